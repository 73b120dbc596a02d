/**
 * The threads' durations, in the page and back.
 */
import { BUCKETS, type FunctionDurations } from '../../../model/durations.js';
import type { NumberReader } from './number-reader.js';
import { following, NumberWriter, theSame } from './number-writer.js';

/** Of the threads that have them. Their symbols are as the page numbers them. */
export function durationsBytes(threads: readonly FunctionDurations[]): Uint8Array[] {
  const [symbols, buckets, counts] = [new NumberWriter(), new NumberWriter(), new NumberWriter()];
  for (const { symbol, bucket, calls } of threads) {
    symbols.rows(symbol, theSame);
    buckets.rows(bucket, following);
    counts.column(calls, oneCallEach(calls.length));
  }
  return [symbols, buckets, counts].map((writer) => writer.taken());
}

/** `lengths`: how many rows each thread has; null: its durations are not known. `symbols`: how many there are. */
export function readDurations(
  reader: NumberReader,
  lengths: readonly (number | null)[],
  symbols: number,
): (FunctionDurations | null)[] {
  const symbol = lengths.map((length) => reader.rows(length ?? 0, theSame, symbols));
  const bucket = lengths.map((length) => reader.rows(length ?? 0, following, BUCKETS));
  const calls = lengths.map((length) => reader.column(oneCallEach(length ?? 0)));
  return lengths.map((length, row) =>
    length === null
      ? null
      : {
          length,
          symbol: symbol[row] as Int32Array,
          bucket: bucket[row] as Int32Array,
          calls: calls[row] as Float64Array,
        },
  );
}

/** Most buckets have one. */
function oneCallEach(length: number): Float64Array {
  return new Float64Array(length).fill(1);
}
