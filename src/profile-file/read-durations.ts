/**
 * The columns of a thread's durations in a file → durations that everybody may rely on.
 */
import { BUCKETS, type FunctionDurations } from '../model/durations.js';
import { ProfileFault } from './fault.js';
import type { ThreadPart } from './schema.js';

/** `path`: where they stand in the file; `symbols`: how many there are. */
export function readDurations(
  part: NonNullable<ThreadPart['durations']>,
  symbols: number,
  path: string,
): FunctionDurations {
  const [symbol, bucket, calls] = [part.symbol, part.bucket, part.calls].map((values) => Float64Array.from(values));
  const { length } = symbol;
  for (const [name, column] of Object.entries({ bucket, calls }))
    if (column.length !== length)
      throw damaged(`${path}.${name}`, `has ${column.length} rows, but symbol has ${length}`);
  for (let row = 0; row < length; row++) {
    if (!isRow(symbol[row], symbols)) throw damaged(`${path}.symbol[${row}]`, `is no row of the ${symbols} symbols`);
    if (!isRow(bucket[row], BUCKETS)) throw damaged(`${path}.bucket[${row}]`, `is no number below ${BUCKETS}`);
    if (!(Number.isInteger(calls[row]) && calls[row] > 0))
      throw damaged(`${path}.calls[${row}]`, 'is no whole number from 1 on');
    if (row > 0 && BUCKETS * symbol[row - 1] + bucket[row - 1] >= BUCKETS * symbol[row] + bucket[row])
      throw damaged(`${path}.symbol[${row}]`, 'stands behind a later one: rows stand by symbol, then bucket');
  }
  return { length, symbol: Int32Array.from(symbol), bucket: Int32Array.from(bucket), calls };
}

function isRow(value: number, length: number): boolean {
  return Number.isInteger(value) && value >= 0 && value < length;
}

function damaged(path: string, what: string): ProfileFault {
  return new ProfileFault('damaged', `${path} ${what}`);
}
