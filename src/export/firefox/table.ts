/**
 * Writes a table of Firefox Profiler: an object of columns, each of them a list.
 */
import { NONE } from '../../model/units.js';
import type { AsciiWriter } from '../ascii-writer.js';

/** Writes the value of a row; or it is the same in all rows. */
export type Column = ((row: number, writer: AsciiWriter) => void) | 'null' | 'false' | '-1' | '0' | '1';

/** `first`: other members of the object, with a comma. */
export function* tablePieces(
  columns: Readonly<Record<string, Column>>,
  length: number,
  writer: AsciiWriter,
  first = '',
): Generator<Uint8Array> {
  writer.text(`{${first}`);
  for (const [name, column] of Object.entries(columns)) {
    writer.text(`"${name}":[`);
    for (let row = 0; row < length; row++) {
      if (row > 0) writer.text(',');
      if (typeof column === 'string') writer.text(column);
      else column(row, writer);
      if (writer.isFull) yield writer.take();
    }
    writer.text('],');
  }
  writer.text('"length":');
  writer.number(length);
  writer.text('}');
  yield writer.take();
}

/** Counts the rows. */
export function numbersFrom(first: number): Column {
  return (row, writer) => writer.number(first + row);
}

/** NONE is null. */
export function numberOrNull(value: number, writer: AsciiWriter): void {
  if (value === NONE) writer.text('null');
  else writer.number(value);
}
