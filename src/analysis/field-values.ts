/**
 * The values of one field of many samples, as numbers where all of them are numbers.
 */

import type { NumberStyle, SampleField } from '../model/sample-table.js';
import { numberText } from '../model/sample-tables-builder.js';
import { NONE } from '../model/units.js';

export interface FieldValues {
  readonly style: NumberStyle;
  /** By row: beyond 2^53 rounded; NaN: the sample has no such field. null: they are texts. */
  readonly numbers: Float64Array | null;
  /** By row: equal values have one number, from 0 on; NONE: the sample has no such field. */
  readonly ids: Int32Array;
  /** By number of the value: the first row that has it. */
  readonly firstRow: readonly number[];
  /** As perf prints it. */
  readonly textOf: (row: number) => string;
}

export function fieldValues(field: SampleField): FieldValues {
  const { numbers, texts, style = 'signed' } = field;
  if (texts === null) return { ...numbered(numbers), ...numeric(numbers, style), style };
  const areNumbers = texts.some((text) => text !== '') && texts.every((text) => text === '' || INTEGER.test(text));
  const textOf = (row: number) => texts[row];
  if (!areNumbers) return { ...numbered(texts), numbers: null, textOf, style };
  return {
    ...numbered(texts.map((text) => (text === '' ? null : text))),
    ...{ numbers: Float64Array.from(texts, (text) => (text === '' ? Number.NaN : Number(text))), textOf },
    style: texts.some((text) => text.startsWith('0x')) ? 'hexadecimal' : style,
  };
}

const INTEGER = /^(-?\d+|0x[0-9a-f]+)$/;

/** Unless they are signed, numbers from 2^63 on are stored as negative ones. */
function numeric(numbers: Float64Array, style: NumberStyle): Pick<FieldValues, 'numbers' | 'textOf'> {
  return {
    numbers: style === 'signed' ? numbers : numbers.map((number) => (number < 0 ? number + 2 ** 64 : number)),
    textOf: (row) => numberText(numbers[row], style),
  };
}

function numbered(values: ArrayLike<number | string | null>): Pick<FieldValues, 'ids' | 'firstRow'> {
  const known = new Map<number | string, number>();
  const firstRow: number[] = [];
  const ids = new Int32Array(values.length).fill(NONE);
  for (let row = 0; row < values.length; row++) {
    const value = values[row];
    if (value === null || Number.isNaN(value)) continue;
    let id = known.get(value);
    if (id === undefined) known.set(value, (id = firstRow.push(row) - 1));
    ids[row] = id;
  }
  return { ids, firstRow };
}
