/**
 * Encodes and decodes durations: the index of each row among the buckets of all functions, then its calls.
 */

import type { NumberReader } from '../../codec/number-reader.js';
import { pageWriter } from '../../codec/page-numbers.js';
import { BUCKETS, type FunctionDurations } from '../../model/calls/durations.js';

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
