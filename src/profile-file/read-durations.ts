/**
 * Reads and checks the durations of a thread in a profile.
 */
import { damagedAt } from '../codec/file-fault.js';
import { BUCKETS, type FunctionDurations } from '../model/calls/durations.js';
import { checkLengths, isRow } from './checks.js';
import type { ThreadPart } from './schema.js';

/** `path`: of the durations in the file; `symbols`: the number of symbols. */
export function readDurations(
  part: NonNullable<ThreadPart['durations']>,
  symbols: number,
  path: string,
): FunctionDurations {
  const [symbol, bucket, calls] = [part.symbol, part.bucket, part.calls].map((values) => Float64Array.from(values));
  const { length } = symbol;
  checkLengths({ symbol, bucket, calls }, path);
  for (let row = 0; row < length; row++) {
    if (!isRow(symbol[row], symbols))
      throw damagedAt(`${path}.symbol[${row}]`, `is not a row of the ${symbols} symbols`);
    if (!isRow(bucket[row], BUCKETS)) throw damagedAt(`${path}.bucket[${row}]`, `is not a number below ${BUCKETS}`);
    if (!(Number.isInteger(calls[row]) && calls[row] > 0))
      throw damagedAt(`${path}.calls[${row}]`, 'is not a whole number from 1 on');
    if (row > 0 && BUCKETS * symbol[row - 1] + bucket[row - 1] >= BUCKETS * symbol[row] + bucket[row])
      throw damagedAt(`${path}.symbol[${row}]`, 'is out of order: rows are sorted by symbol, then bucket');
  }
  return { length, symbol: Int32Array.from(symbol), bucket: Int32Array.from(bucket), calls };
}
