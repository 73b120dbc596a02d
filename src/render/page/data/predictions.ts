/**
 * What a node's numbers mostly are, by the columns before: writer and reader guess the same, and the page has the distances.
 */
import type { CallTree } from '../../../model/calls/call-tree.js';
import type { NodeColumn } from '../../../model/calls/node-columns.js';
import { totalTimes } from '../../../model/calls/tree-view.js';

/** A thread's nodes, callers before callees; of the columns, those that are not read yet are empty. */
export type NodeRows = Pick<CallTree, 'parent' | NodeColumn>;

/** A guess for each value of a column, from those that stand before it in `NODE_COLUMNS`. */
export function predictionsFor(column: NodeColumn, rows: NodeRows): Float64Array {
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

/** All of a node's time was spent in calls that were seen whole, if there are any. */
function completeTimes(rows: NodeRows): Float64Array {
  const guesses = totalTimes(rows);
  for (let row = 0; row < guesses.length; row++) if (completeCalls(rows, row) === 0) guesses[row] = 0;
  return guesses;
}

/** What time of a node is in no complete call, one that was cut lasted. */
function longestInferredTimes(rows: NodeRows): Float64Array {
  const guesses = totalTimes(rows);
  for (let row = 0; row < guesses.length; row++)
    guesses[row] = rows.inferredCalls[row] > 0 ? Math.max(0, guesses[row] - rows.completeNs[row]) : 0;
  return guesses;
}

/** One call is the shortest itself. */
function shortestCalls(rows: NodeRows): Float64Array {
  const guesses = new Float64Array(rows.parent.length);
  for (let row = 0; row < guesses.length; row++) {
    const calls = completeCalls(rows, row);
    if (calls === 0) guesses[row] = Number.POSITIVE_INFINITY;
    if (calls === 1) guesses[row] = rows.completeNs[row];
  }
  return guesses;
}

/** Of two calls, the longest is the other one; of more, it is as long as all but the shortest are on average. */
function longestCalls(rows: NodeRows): Float64Array {
  const guesses = new Float64Array(rows.parent.length);
  for (let row = 0; row < guesses.length; row++) {
    const calls = completeCalls(rows, row);
    if (calls === 0) guesses[row] = Number.NEGATIVE_INFINITY;
    else if (calls === 1) guesses[row] = rows.completeNs[row];
    else guesses[row] = Math.max(0, Math.floor((rows.completeNs[row] - rows.minNs[row]) / (calls - 1)));
  }
  return guesses;
}

function completeCalls({ calls, inferredCalls }: NodeRows, row: number): number {
  return calls[row] - inferredCalls[row];
}
