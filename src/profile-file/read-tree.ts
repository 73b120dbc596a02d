/**
 * Reads and checks the call tree of a thread in a profile.
 */
import { damagedAt } from '../codec/file-fault.js';
import { type CallTree, NODE_COLUMNS, ROOT } from '../model/calls/call-tree.js';
import { siblingsByRank } from '../model/calls/tree-view.js';
import { NONE } from '../model/units.js';
import { checkLengths, isRow } from './checks.js';
import { TREE_COLUMNS, type TreeColumn } from './format.js';
import type { ThreadPart } from './schema.js';

type Columns = Readonly<Record<TreeColumn, Float64Array>>;

/** `path`: of the tree in the file; `symbols`: the number of symbols. */
export function readTree(part: ThreadPart['tree'], symbols: number, path: string): CallTree {
  const columns = columnsOf(part, path);
  checkLinks(columns, symbols, path);
  for (const name of NODE_COLUMNS.slice(0, -2)) checkWhole(columns[name], `${path}.${name}`);
  checkCalls(columns, path);
  checkShortestAndLongest(columns, path);
  const tree: CallTree = {
    ...columns,
    length: columns.parent.length,
    parent: Int32Array.from(columns.parent),
    symbol: Int32Array.from(columns.symbol),
    minNs: columns.minNs.map((ns) => (Number.isNaN(ns) ? Number.POSITIVE_INFINITY : ns)),
    maxNs: columns.maxNs.map((ns) => (Number.isNaN(ns) ? Number.NEGATIVE_INFINITY : ns)),
  };
  checkSiblings(tree, path);
  return tree;
}

/** A null becomes NaN. */
function columnsOf(part: ThreadPart['tree'], path: string): Columns {
  const entries = TREE_COLUMNS.map((name) => [name, columnOf(part[name])] as const);
  const columns = Object.fromEntries(entries) as Columns;
  if (columns.parent.length === 0) throw damagedAt(path, 'has no root');
  checkLengths(columns, path);
  return columns;
}

function columnOf(values: ArrayLike<number | null>): Float64Array {
  return values instanceof Float64Array ? values : Float64Array.from(values, (value) => value ?? Number.NaN);
}

function checkLinks({ parent, symbol }: Columns, symbols: number, path: string): void {
  if (parent[ROOT] !== NONE || symbol[ROOT] !== NONE)
    throw damagedAt(path, `does not begin with a root: its parent and symbol must be ${NONE}`);
  for (let node = 1; node < parent.length; node++) {
    if (!isRow(parent[node], node))
      throw damagedAt(`${path}.parent[${node}]`, `is ${shown(parent[node])}, which is not a node before it`);
    if (!isRow(symbol[node], symbols))
      throw damagedAt(`${path}.symbol[${node}]`, `is ${shown(symbol[node])}, but there are ${symbols} symbols`);
  }
}

function checkWhole(values: Float64Array, path: string): void {
  const row = values.findIndex((value) => !(Number.isInteger(value) && value >= 0));
  if (row !== -1) throw damagedAt(`${path}[${row}]`, `is ${shown(values[row])}, not a whole number from 0 on`);
}

function checkCalls(columns: Columns, path: string): void {
  const { calls, inferredCalls, unwoundCalls, longestCutNs, selfNs, inferredNs } = columns;
  for (let node = 0; node < calls.length; node++) {
    if (inferredCalls[node] > calls[node])
      throw damagedAt(`${path}.inferredCalls[${node}]`, `is ${inferredCalls[node]} of ${calls[node]} calls`);
    const complete = calls[node] - inferredCalls[node];
    if (unwoundCalls[node] > complete)
      throw damagedAt(`${path}.unwoundCalls[${node}]`, `is ${unwoundCalls[node]} of ${complete} complete calls`);
    if (longestCutNs[node] > 0 && inferredCalls[node] === 0)
      throw damagedAt(`${path}.longestCutNs[${node}]`, `is ${longestCutNs[node]}, but no call is inferred`);
    if (inferredNs[node] > selfNs[node])
      throw damagedAt(`${path}.inferredNs[${node}]`, `is ${inferredNs[node]} of ${selfNs[node]} ns`);
  }
}

/** Both are of complete calls: if there are none, both are null. */
function checkShortestAndLongest({ calls, inferredCalls, minNs, maxNs }: Columns, path: string): void {
  for (let node = 0; node < calls.length; node++) {
    const [min, max] = [minNs[node], maxNs[node]];
    const isNothing = Number.isNaN(min) && Number.isNaN(max);
    const isRange = Number.isInteger(min) && Number.isInteger(max) && min >= 0 && min <= max;
    if (calls[node] > inferredCalls[node] ? !isRange : !isNothing)
      throw damagedAt(`${path}.minNs[${node}]`, `to maxNs is ${shown(min)} to ${shown(max)}, which is impossible`);
  }
}

function checkSiblings({ length, parent, symbol }: CallTree, path: string): void {
  const { nextSibling } = siblingsByRank(parent, symbol);
  for (let node = 1; node < length; node++) {
    const next = nextSibling[node];
    if (next !== NONE && symbol[next] === symbol[node])
      throw damagedAt(`${path}.symbol[${next}]`, `is that of node ${node}, which has the same parent`);
  }
}

function shown(value: number): string {
  return Number.isNaN(value) ? 'null' : String(value);
}
