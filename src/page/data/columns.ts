/**
 * Encodes and decodes the node columns: column by column, each for all threads.
 */

import type { NumberReader } from '../../codec/number-reader.js';
import { NODE_COLUMNS, type NodeColumn, type NodeColumns, nodeColumns } from '../../model/calls/node-columns.js';
import { pageWriter } from './numbers.js';
import { type NodeRows, predictionsFor } from './predictions.js';

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
