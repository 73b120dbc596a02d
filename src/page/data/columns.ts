/**
 * Encodes and decodes the node columns: column by column, each for all threads.
 */

import type { NumberReader } from '../../codec/number-reader.js';
import { pageWriter } from '../../codec/page-numbers.js';
import type { CallTree } from '../../model/calls/call-tree.js';
import { NODE_COLUMNS, type NodeColumn, type NodeColumns, nodeColumns } from '../../model/calls/node-columns.js';
import { totalTimes } from '../../model/calls/tree-view.js';

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
  switch (column) {
    case 'calls':
    case 'inferredCalls':
    case 'selfNs':
    case 'inferredNs':
    case 'unwoundCalls':
      return new Float64Array(rows.parent.length);
    case 'completeNs':
      return completeTimes(rows);
    case 'longestCutNs':
      return longestInferredTimes(rows);
    case 'minNs':
      return shortestCalls(rows);
    case 'maxNs':
      return longestCalls(rows);
  }
}

/** Predicts that a node with complete calls spent all of its time in them. */
function completeTimes(rows: NodeRows): Float64Array {
  const predictions = totalTimes(rows);
  for (let row = 0; row < predictions.length; row++) if (completeCalls(rows, row) === 0) predictions[row] = 0;
  return predictions;
}

/** Predicts that one inferred call took all time outside complete calls. */
function longestInferredTimes(rows: NodeRows): Float64Array {
  const predictions = totalTimes(rows);
  for (let row = 0; row < predictions.length; row++)
    predictions[row] = rows.inferredCalls[row] > 0 ? Math.max(0, predictions[row] - rows.completeNs[row]) : 0;
  return predictions;
}

/** Predicts the shortest call: exact for a single call. */
function shortestCalls(rows: NodeRows): Float64Array {
  const predictions = new Float64Array(rows.parent.length);
  for (let row = 0; row < predictions.length; row++) {
    const calls = completeCalls(rows, row);
    if (calls === 0) predictions[row] = Number.POSITIVE_INFINITY;
    if (calls === 1) predictions[row] = rows.completeNs[row];
  }
  return predictions;
}

/** Predicts the longest call as the average of all calls but the shortest: exact for two calls. */
function longestCalls(rows: NodeRows): Float64Array {
  const predictions = new Float64Array(rows.parent.length);
  for (let row = 0; row < predictions.length; row++) {
    const calls = completeCalls(rows, row);
    if (calls === 0) predictions[row] = Number.NEGATIVE_INFINITY;
    else if (calls === 1) predictions[row] = rows.completeNs[row];
    else predictions[row] = Math.max(0, Math.floor((rows.completeNs[row] - rows.minNs[row]) / (calls - 1)));
  }
  return predictions;
}

function completeCalls({ calls, inferredCalls }: NodeRows, row: number): number {
  return calls[row] - inferredCalls[row];
}
