/**
 * What is known of the threads' nodes, in the page and back: column after column, each of all threads.
 */
import { guessesFor, type NodeRows } from './guesses.js';
import type { NumberReader } from './number-reader.js';
import { NumberWriter } from './number-writer.js';
import { NODE_COLUMNS, type NodeColumn, type NodeColumns } from './page-data.js';

export function columnBytes(column: NodeColumn, threads: readonly NodeRows[]): Uint8Array {
  const writer = new NumberWriter();
  for (const rows of threads) writer.column(rows[column], guessesFor(column, rows));
  return writer.taken();
}

/** `parents`: of each thread's nodes. */
export function readColumns(reader: NumberReader, parents: readonly Int32Array[]): NodeColumns[] {
  const threads = parents.map((parent) => ({ parent, ...noColumns() }));
  for (const column of NODE_COLUMNS) for (const rows of threads) rows[column] = reader.column(guessesFor(column, rows));
  return threads.map(({ parent: _, ...columns }) => columns);
}

function noColumns(): Record<NodeColumn, Float64Array> {
  const none = new Float64Array(0);
  return {
    calls: none,
    inferredCalls: none,
    selfNs: none,
    inferredNs: none,
    unwoundCalls: none,
    completeNs: none,
    longestCutNs: none,
    minNs: none,
    maxNs: none,
  };
}
