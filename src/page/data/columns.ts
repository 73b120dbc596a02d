/**
 * Encodes and decodes durations: the index of each row among the buckets of all functions, then its calls.
 */

import type { NumberReader } from '../../codec/numbers.js';
import { type Guess, longest, pageWriter } from '../../codec/page-numbers.js';
import type { CallTree } from '../../model/calls/call-tree.js';
import { NODE_COLUMNS, type NodeColumn, type NodeColumns, nodeColumns } from '../../model/calls/call-tree.js';
import { BUCKETS, type FunctionDurations } from '../../model/calls/durations.js';
import type { Shape } from '../../model/calls/overlay.js';
import { totalTimes } from '../../model/calls/tree-view.js';
import { NONE } from '../../model/units.js';

/** Encodes the known durations; their symbols are numbered as in the page. */
export function durationsBytes(threads: readonly FunctionDurations[]): Uint8Array[] {
  const [indexes, counts] = [pageWriter(), pageWriter()];
  for (const { symbol, bucket, calls } of threads) {
    indexes.rows(indexesOf(symbol, bucket));
    counts.guessed(calls, oneCallEach(calls.length));
  }
  return [indexes.view(), counts.view()];
}

function indexesOf(symbol: Int32Array, bucket: Int32Array): Float64Array {
  const indexes = new Float64Array(symbol.length);
  for (let row = 0; row < indexes.length; row++) indexes[row] = symbol[row] * BUCKETS + bucket[row];
  return indexes;
}

/** Reads durations. `lengths`: number of rows per thread; null if unknown. `symbols`: number of symbols. */
export function readDurations(
  reader: NumberReader,
  lengths: readonly (number | null)[],
  symbols: number,
): (FunctionDurations | null)[] {
  const indexes = lengths.map((length) => reader.rows(length ?? 0, symbols * BUCKETS));
  const counts = indexes.map(({ length }) => reader.guessed(oneCallEach(length)));
  return lengths.map((length, row) => (length === null ? null : durationsAt(indexes[row], counts[row])));
}

function durationsAt(indexes: Float64Array, calls: Float64Array): FunctionDurations {
  const { length } = indexes;
  const symbol = new Int32Array(length);
  const bucket = new Int32Array(length);
  for (let row = 0; row < length; row++) {
    symbol[row] = Math.floor(indexes[row] / BUCKETS);
    bucket[row] = indexes[row] - symbol[row] * BUCKETS;
  }
  return { length, symbol, bucket, calls };
}

/** Predicts one call per bucket, the most frequent count. */
function oneCallEach(length: number): Float64Array {
  return new Float64Array(length).fill(1);
}

/** Encodes and decodes the shape. Nodes are in pre-order, so the depth of a node determines its caller. */
export function shapeBytes({ parent, symbol }: Shape): Uint8Array {
  const depth = new Int32Array(parent.length);
  for (let node = 1; node < depth.length; node++) depth[node] = depth[parent[node]] + 1;
  const writer = pageWriter();
  writer.rows(depth);
  writer.guessed(symbol.subarray(1), new Float64Array(symbol.length - 1));
  return writer.view();
}

/** Reads a shape. `length`: number of nodes. `symbols`: number of symbols. */
export function readShape(reader: NumberReader, length: number, symbols: number): Shape {
  const parent = parentsOf(reader, length);
  const rows = reader.guessed(new Float64Array(length - 1));
  if (rows.some((row) => !(row >= 0 && row < symbols))) throw reader.fault('has a node without a symbol');
  const symbol = new Int32Array(length).fill(NONE);
  symbol.set(rows, 1);
  return { length, parent, symbol };
}

/** Returns the callers: the caller of a node is the last node before it with a depth smaller by one. */
function parentsOf(reader: NumberReader, length: number): Int32Array {
  const depth = reader.rows(length, length);
  const parent = new Int32Array(depth.length).fill(NONE);
  const lastAt = new Int32Array(depth.length);
  if (depth[0] !== 0) throw reader.fault('has no root');
  for (let node = 1; node < depth.length; node++) {
    const level = depth[node];
    if (!(level > 0 && level <= depth[node - 1] + 1)) throw reader.fault('has a node without a caller');
    parent[node] = lastAt[level - 1];
    lastAt[level] = node;
  }
  return parent;
}

/** Encodes and decodes the node columns: column by column, each for all threads. */
export function columnBytes(column: NodeColumn, threads: readonly NodeRows[]): Uint8Array {
  const writer = pageWriter();
  for (const rows of threads) writer.guessed(rows[column], predictionsFor(column, rows));
  return writer.view();
}

/** Reads the columns of all threads. `parents`: caller rows of each thread. */
export function readColumns(reader: NumberReader, parents: readonly Int32Array[]): NodeColumns[] {
  const none: Float64Array = new Float64Array(0);
  const threads = parents.map((parent) => ({ parent, ...nodeColumns(() => none) }));
  for (const column of NODE_COLUMNS)
    for (const rows of threads) rows[column] = reader.guessed(predictionsFor(column, rows));
  return threads.map(({ parent: _, ...columns }) => columns);
}

/**
 * Predicts the values of a column from the columns before it. Writer and reader predict the same; the page stores the differences.
 *
 * The nodes of a thread, callers before callees; columns that are not read yet are empty.
 */
type NodeRows = Pick<CallTree, 'parent' | NodeColumn>;

/** Returns a prediction for each value of a column, from the columns before it in `NODE_COLUMNS`. */
function predictionsFor(column: NodeColumn, rows: NodeRows): Float64Array {
  const predictions = new Float64Array(rows.parent.length);
  const guess = guessFor(column, rows);
  if (guess !== null) for (let row = 0; row < predictions.length; row++) predictions[row] = guess(row);
  return predictions;
}

/** null: always 0. */
function guessFor(column: NodeColumn, rows: NodeRows): Guess | null {
  switch (column) {
    case 'calls':
    case 'inferredCalls':
    case 'selfNs':
    case 'inferredNs':
    case 'unwoundCalls':
      return null;
    case 'completeNs':
      return completeTime(rows);
    case 'longestCutNs':
      return longestInferredTime(rows);
    case 'minNs':
      return shortestCall(rows);
    case 'maxNs':
      return longest(rows);
  }
}

/** A node with complete calls spent all of its time in them. */
function completeTime(rows: NodeRows): Guess {
  const totalNs = totalTimes(rows);
  return (row) => (completeCalls(rows, row) === 0 ? 0 : totalNs[row]);
}

/** One inferred call took all time outside complete calls. */
function longestInferredTime(rows: NodeRows): Guess {
  const totalNs = totalTimes(rows);
  return (row) => (rows.inferredCalls[row] > 0 ? Math.max(0, totalNs[row] - rows.completeNs[row]) : 0);
}

/** Exact for a single call. */
function shortestCall(rows: NodeRows): Guess {
  return (row) => {
    const calls = completeCalls(rows, row);
    return calls === 0 ? Number.POSITIVE_INFINITY : calls === 1 ? rows.completeNs[row] : 0;
  };
}

function completeCalls({ calls, inferredCalls }: NodeRows, row: number): number {
  return calls[row] - inferredCalls[row];
}
