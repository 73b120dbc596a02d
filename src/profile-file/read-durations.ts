/**
 * The columns of a thread's durations in a file → durations that everybody may rely on.
 */
import { damagedAt } from '../codec/file-fault.js';
import { BUCKETS, type FunctionDurations } from '../model/calls/durations.js';
import { checkLengths, isRow } from './checks.js';
import type { ThreadPart } from './schema.js';

/** `path`: where they stand in the file; `symbols`: how many there are. */
export function readDurations(
  part: NonNullable<ThreadPart['durations']>,
  symbols: number,
  path: string,
): FunctionDurations {
  const [symbol, bucket, calls] = [part.symbol, part.bucket, part.calls].map((values) => Float64Array.from(values));
  const { length } = symbol;
  checkLengths({ symbol, bucket, calls }, path);
  for (let row = 0; row < length; row++) {
    if (!isRow(symbol[row], symbols)) throw damagedAt(`${path}.symbol[${row}]`, `is no row of the ${symbols} symbols`);
    if (!isRow(bucket[row], BUCKETS)) throw damagedAt(`${path}.bucket[${row}]`, `is no number below ${BUCKETS}`);
    if (!(Number.isInteger(calls[row]) && calls[row] > 0))
      throw damagedAt(`${path}.calls[${row}]`, 'is no whole number from 1 on');
    if (row > 0 && BUCKETS * symbol[row - 1] + bucket[row - 1] >= BUCKETS * symbol[row] + bucket[row])
      throw damagedAt(`${path}.symbol[${row}]`, 'stands behind a later one: rows stand by symbol, then bucket');
  }
  return { length, symbol: Int32Array.from(symbol), bucket: Int32Array.from(bucket), calls };
}
