/**
 * The moments at which threads handed work on, or took it.
 */
import { numbersOf, type SampleTable, textsOf } from '../../model/samples/sample-table.js';

export interface Moments {
  readonly length: number;
  readonly timeNs: Float64Array; // ascending
  readonly tid: Int32Array;
  /** What identifies the work, such as a pointer to it; NaN or '': unknown. */
  readonly key: ArrayLike<number | string>;
}

/** `keyField`: null, or a field that the samples lack: no keys. */
export function momentsOf(table: SampleTable, keyField: string | null): Moments {
  const { length, timeNs, tid } = table;
  const key = keyField === null ? null : (numbersOf(table, keyField) ?? textsOf(table, keyField));
  return { length, timeNs, tid, key: key ?? new Float64Array(length).fill(Number.NaN) };
}

export function hasKey({ key }: Moments, row: number): boolean {
  return key[row] !== '' && !Number.isNaN(key[row]);
}
