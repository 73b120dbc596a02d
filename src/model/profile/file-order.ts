/**
 * Numbers symbols and nodes of a profile in the order of its file: by name, independent of the order in the trace.
 */
import { type CallTree, ROOT } from '../calls/call-tree.js';
import type { FunctionDurations } from '../calls/durations.js';
import { compareSymbols, dsoOf } from '../names/symbol-order.js';
import { SpecialSymbol, type SymbolKind, type SymbolTable } from '../names/symbol-table.js';
import { compareUtf8 } from '../names/utf8-order.js';
import { NONE, type NodeId, type SymbolId } from '../units.js';
import type { Profile, ThreadProfile } from './profile.js';

export interface SymbolOrder {
  /** The file's table: the special symbols, then those that a tree or durations use. */
  readonly table: SymbolTable;
  /** Row in the file, by row in the profile's table. */
  readonly rankOf: Int32Array;
}

/** Orders symbols by name, then by the name of their binary. */
export function symbolOrder({ symbols, threads }: Profile): SymbolOrder {
  const specials: readonly SymbolId[] = Object.values(SpecialSymbol);
  const isUsed = new Uint8Array(symbols.length);
  for (const thread of threads) markUsed(thread, isUsed);
  for (const row of specials) isUsed[row] = 0;
  const others = symbols.name.flatMap((_, row) => (isUsed[row] === 1 ? [row] : []));
  others.sort((a, b) => compareSymbols(symbols, a, b));
  const rows = [...specials, ...others];
  const rankOf = new Int32Array(symbols.length).fill(NONE);
  rows.forEach((row, rank) => {
    rankOf[row] = rank;
  });
  return { table: tableOf(symbols, rows), rankOf };
}

function markUsed({ tree, durations }: ThreadProfile, isUsed: Uint8Array): void {
  for (let node = ROOT + 1; node < tree.length; node++) isUsed[tree.symbol[node]] = 1;
  if (durations) for (let row = 0; row < durations.length; row++) isUsed[durations.symbol[row]] = 1;
}

/** Returns these rows of a table, and the names of their binaries. */
function tableOf(symbols: SymbolTable, rows: readonly SymbolId[]): SymbolTable {
  const dsos = rows.map((row) => dsoOf(symbols, row));
  const dsoName = [...new Set(dsos.filter((dso) => dso !== null))].sort(compareUtf8);
  const rowOfDso = new Map<string | null, number>([[null, NONE], ...dsoName.map((name, row) => [name, row] as const)]);
  return {
    length: rows.length,
    name: rows.map((row) => symbols.name[row]),
    kind: rows.map((row) => symbols.kind[row] as SymbolKind),
    dso: dsos.map((dso) => rowOfDso.get(dso) as number),
    dsoName,
  };
}

/** Returns the durations by symbol as numbered in the file. */
export function orderedDurations(
  { length, symbol, bucket, calls }: FunctionDurations,
  { rankOf }: SymbolOrder,
): FunctionDurations {
  const ordered = {
    length,
    symbol: new Int32Array(length),
    bucket: new Int32Array(length),
    calls: new Float64Array(length),
  };
  let to = 0;
  for (const { start, end } of runsOf(symbol).sort((a, b) => rankOf[symbol[a.start]] - rankOf[symbol[b.start]])) {
    ordered.symbol.fill(rankOf[symbol[start]], to, to + end - start);
    ordered.bucket.set(bucket.subarray(start, end), to);
    ordered.calls.set(calls.subarray(start, end), to);
    to += end - start;
  }
  return ordered;
}

/** Returns the ranges of rows with the same symbol. */
function runsOf(symbol: Int32Array): { readonly start: number; readonly end: number }[] {
  const runs = [];
  for (let start = 0, end = 0; start < symbol.length; start = end) {
    while (end < symbol.length && symbol[end] === symbol[start]) end++;
    runs.push({ start, end });
  }
  return runs;
}

/** Returns the nodes of a tree, callers before callees, siblings by `rank`, which each node has. */
export function nodeOrder({ length, parent }: CallTree, rank: Int32Array): Int32Array {
  const siblings = siblingsByRank(parent, rank);
  const order = new Int32Array(length);
  let node: NodeId = ROOT;
  for (let at = 0; at < length; at++) {
    order[at] = node;
    node = nextNode(node, parent, siblings);
  }
  return order;
}

function nextNode(node: NodeId, parent: Int32Array, { firstChild, nextSibling }: Siblings): NodeId {
  if (firstChild[node] !== NONE) return firstChild[node];
  let open = node;
  while (open !== ROOT && nextSibling[open] === NONE) open = parent[open];
  return nextSibling[open];
}

export interface Siblings {
  readonly firstChild: Int32Array; // NodeId | NONE, as is nextSibling
  readonly nextSibling: Int32Array;
}

/** Sort keys are exact up to 2^27 ranks and 2^26 nodes. */
const NODES = 2 ** 26;

/** Siblings of equal rank are adjacent. */
export function siblingsByRank(parent: Int32Array, rank: Int32Array): Siblings {
  const firstChild = new Int32Array(parent.length).fill(NONE);
  const nextSibling = new Int32Array(parent.length).fill(NONE);
  const keys = new Float64Array(parent.length);
  for (let node = 1; node < keys.length; node++) keys[node] = rank[node] * NODES + node;
  keys.subarray(1).sort();
  for (let at = keys.length - 1; at > 0; at--) {
    const node = keys[at] % NODES;
    nextSibling[node] = firstChild[parent[node]];
    firstChild[parent[node]] = node;
  }
  return { firstChild, nextSibling };
}
