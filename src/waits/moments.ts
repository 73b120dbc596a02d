/**
 * The moments at which threads handed work on, or took it.
 */

import type { SampleField, SampleTable } from '../model/sample-table.js';
import { numberText } from '../model/sample-tables-builder.js';

export interface Moments {
  readonly length: number;
  readonly timeNs: Float64Array; // ascending
  readonly tid: Int32Array;
  readonly pid: Int32Array;
  /**
   * What identifies the work; NaN or '': unknown. Numbers, such as pointers, are keys within one process; texts, in all
   * processes.
   */
  readonly key: ArrayLike<number | string>;
}

export const NO_MOMENTS: Moments = {
  length: 0,
  timeNs: new Float64Array(0),
  tid: new Int32Array(0),
  pid: new Int32Array(0),
  key: [],
};

/** Takes the ids out of texts; null: a text has none. */
export type IdsOf = (texts: readonly string[]) => readonly (string | null)[];

/**
 * `keyField`: null, or a field that the samples lack: no keys. `idsOf`: takes the keys out of the values. A number without
 * an id stays a key, a text does not.
 */
export function momentsOf(table: SampleTable, keyField: string | null, idsOf: IdsOf | null = null): Moments {
  const { length, timeNs, tid, pid, fields } = table;
  const field = fields.find(({ name }) => name === keyField);
  const keys = field && (idsOf === null ? (field.numbers ?? field.texts) : keysOf(field, idsOf));
  return { length, timeNs, tid, pid, key: keys ?? new Float64Array(length).fill(Number.NaN) };
}

function keysOf({ texts, numbers, style = 'signed' }: SampleField, idsOf: IdsOf): (number | string)[] {
  if (texts !== null) return idsOf(texts).map((id) => id ?? '');
  const ids = idsOf(Array.from(numbers, (number) => numberText(number, style)));
  return ids.map((id, row) => id || numbers[row]);
}

export function hasKey({ key }: Moments, row: number): boolean {
  return key[row] !== '' && !Number.isNaN(key[row]);
}

export function selectMoments(moments: Moments, isSelected: (row: number) => boolean): Moments {
  const rows = Int32Array.from({ length: moments.length }, (_, row) => row).filter(isSelected);
  if (rows.length === moments.length) return moments;
  return {
    length: rows.length,
    timeNs: Float64Array.from(rows, (row) => moments.timeNs[row]),
    tid: Int32Array.from(rows, (row) => moments.tid[row]),
    pid: Int32Array.from(rows, (row) => moments.pid[row]),
    key: Array.from(rows, (row) => moments.key[row]),
  };
}
