/**
 * The threads' durations in the page and back: the place of each row among all buckets of all functions, then its calls.
 */

import type { NumberReader } from '../../../codec/number-reader.js';
import { BUCKETS, type FunctionDurations } from '../../../model/calls/durations.js';
import { pageWriter } from './numbers.js';

/** Of the threads that have them. Their symbols are as the page numbers them. */
export function durationsBytes(threads: readonly FunctionDurations[]): Uint8Array[] {
  const [places, counts] = [pageWriter(), pageWriter()];
  for (const { symbol, bucket, calls } of threads) {
    places.rows(Float64Array.from(symbol, (row, at) => row * BUCKETS + bucket[at]));
    counts.guessed(calls, oneCallEach(calls.length));
  }
  return [places.view(), counts.view()];
}

/** `lengths`: how many rows each thread has; null: its durations are not known. `symbols`: how many there are. */
export function readDurations(
  reader: NumberReader,
  lengths: readonly (number | null)[],
  symbols: number,
): (FunctionDurations | null)[] {
  const places = lengths.map((length) => reader.rows(length ?? 0, symbols * BUCKETS));
  const counts = places.map(({ length }) => reader.guessed(oneCallEach(length)));
  return lengths.map((length, row) => (length === null ? null : durationsAt(places[row], counts[row])));
}

function durationsAt(places: Float64Array, calls: Float64Array): FunctionDurations {
  const { length } = places;
  const symbol = new Int32Array(length);
  const bucket = new Int32Array(length);
  for (let row = 0; row < length; row++) {
    symbol[row] = Math.floor(places[row] / BUCKETS);
    bucket[row] = places[row] - symbol[row] * BUCKETS;
  }
  return { length, symbol, bucket, calls };
}

/** Most buckets have one. */
function oneCallEach(length: number): Float64Array {
  return new Float64Array(length).fill(1);
}
