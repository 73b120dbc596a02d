/**
 * The table of call paths → a call tree of each command name, host or build: the sum of all recordings.
 */
import { type CallTree, ROOT } from '../../model/calls/call-tree.js';
import { type NodeColumn, nodeColumns } from '../../model/calls/node-columns.js';
import { NONE } from '../../model/units.js';
import type { Fleet } from '../open-fleet.js';
import { HashRows, type HashWords, hashWords } from './hash-rows.js';
import type { FleetSymbols } from './read-symbols.js';

export type MergedBy = 'comm' | 'host' | 'build';

/** Paths of all groups, a row each, in no order. */
interface PathRows {
  readonly paths: HashWords;
  readonly parents: HashWords;
  readonly symbol: Int32Array;
  readonly numbers: Readonly<Record<NodeColumn, Float64Array>>;
}

/** Siblings are in no order, and callers may follow their callees. */
export async function readTrees(
  { engine }: Fleet,
  by: MergedBy,
  { symbolsOf }: FleetSymbols,
): Promise<Map<string | null, CallTree>> {
  const [names, paths, parents, functions, ...numbers] = (await engine.columns(`
    SELECT
      p.group_name, p.path, coalesce(p.parent, ${ROOT_PATH}), p.function,
      ${Object.values(nodeColumns(sqlOf)).join(', ')}
    FROM group_paths AS p WHERE p.grouped_by = '${by}'`)) as [
    (string | null)[],
    BigInt64Array,
    BigInt64Array,
    BigInt64Array,
    ...Float64Array[],
  ];
  let at = 0;
  const rows: PathRows = {
    paths: hashWords(paths),
    parents: hashWords(parents),
    symbol: symbolsOf(functions),
    numbers: nodeColumns(() => numbers[at++] as Float64Array),
  };
  const nodeOf = new Int32Array(names.length);
  return new Map([...rowsByName(names)].map(([name, own]) => [name, treeOf(rows, Int32Array.from(own), nodeOf)]));
}

/** The path of a thread itself, and the parent of its first functions. */
const ROOT_PATH = 0;
const ROOT_WORDS: HashWords = new Int32Array(2);

const SQL_COLUMNS: Readonly<Record<NodeColumn, string>> = {
  calls: 'calls',
  inferredCalls: 'inferred_calls',
  selfNs: 'self_ns',
  inferredNs: 'inferred_ns',
  unwoundCalls: 'unwound_calls',
  completeNs: 'complete_ns',
  longestCutNs: 'longest_cut_ns',
  minNs: 'min_ns',
  maxNs: 'max_ns',
};

/** Of a node without calls that have the value. */
function noneOf(name: NodeColumn): number {
  if (name === 'minNs') return Number.POSITIVE_INFINITY;
  return name === 'maxNs' ? Number.NEGATIVE_INFINITY : 0;
}

function sqlOf(name: NodeColumn): string {
  return `coalesce(CAST(p.${SQL_COLUMNS[name]} AS DOUBLE), CAST('${noneOf(name)}' AS DOUBLE))`;
}

function rowsByName(names: readonly (string | null)[]): Map<string | null, number[]> {
  const rows = new Map<string | null, number[]>();
  names.forEach((name, row) => {
    const own = rows.get(name);
    if (own === undefined) rows.set(name, [row]);
    else own.push(row);
  });
  return rows;
}

function treeOf({ paths, parents, symbol, numbers }: PathRows, own: Int32Array, nodeOf: Int32Array): CallTree {
  const known = new HashRows(paths, own);
  const thread = known.find(ROOT_WORDS, 0); // NONE: threads have no time of their own
  const rows = new Int32Array(own.length + Number(thread === NONE)).fill(thread, ROOT, ROOT + 1);
  let length = ROOT + 1;
  for (const row of own) if (row !== thread) rows[(nodeOf[row] = length++)] = row;
  const parent = rows.map((row) => {
    const caller = known.find(parents, row);
    return caller === NONE ? ROOT : nodeOf[caller];
  });
  parent[ROOT] = NONE;
  cutCircles(parent);
  const column = (name: NodeColumn) => {
    const values = new Float64Array(length);
    for (let node = ROOT; node < length; node++) values[node] = numbers[name][rows[node]];
    if (thread === NONE) values[ROOT] = noneOf(name);
    return values;
  };
  return {
    length,
    parent,
    symbol: rows.map((row, node) => (node === ROOT ? NONE : symbol[row])),
    ...nodeColumns(column),
  };
}

/** Makes children of the root of nodes that lead to themselves, which only a damaged file has. */
function cutCircles(parent: Int32Array): void {
  const walked = new Int32Array(parent.length); // from which node
  for (let first = ROOT + 1; first < parent.length; first++) {
    let node = first;
    for (; node !== ROOT && walked[node] === 0; node = parent[node]) walked[node] = first;
    if (node !== ROOT && walked[node] === first) parent[node] = ROOT;
  }
}
