/**
 * Reads the samples of one event, with some fields as integers, whether the source gave numbers or texts.
 */
import { numbersOf, type SampleTable, tableOf, textsOf } from '../../model/sample-table.js';

/** Samples of an event, by time; a missing integer is NaN. */
export interface SampleRows extends Omit<SampleTable, 'event' | 'fields'> {
  readonly integers: readonly Float64Array[]; // by field
  /** By row: the row of the table. */
  readonly tableRow: Uint32Array;
}

/** A trace without such samples has no rows. A sample that was recorded twice is one row. */
export function sampleRows(tables: readonly SampleTable[], event: string, fields: readonly string[]): SampleRows {
  const table = tableOf(tables, event) ?? EMPTY;
  const integers = fields.map((field) => integersOf(table, field));
  const kept = new Uint32Array(table.length);
  let length = 0;
  for (let row = 0; row < table.length; row++) if (!isRepeated(table, integers, row)) kept[length++] = row;
  if (length === table.length) return { ...table, integers, tableRow: kept };
  const keptOf = <Column extends Float64Array | Int32Array | Uint8Array>(column: Column): Column =>
    column.slice(0, length).map((_, at) => column[kept[at]]) as Column;
  return {
    length,
    timeNs: keptOf(table.timeNs),
    tid: keptOf(table.tid),
    pid: keptOf(table.pid),
    cpu: keptOf(table.cpu),
    context: keptOf(table.context),
    integers: integers.map(keptOf),
    tableRow: kept,
  };
}

/** Whether an earlier row is the same sample: a thread does not pass a tracepoint twice in a nanosecond. */
function isRepeated({ timeNs, tid, cpu }: SampleTable, integers: readonly Float64Array[], row: number): boolean {
  if (timeNs[row - 1] !== timeNs[row]) return false; // most rows
  for (let other = row - 1; other >= 0 && timeNs[other] === timeNs[row]; other--) {
    const isSame = tid[other] === tid[row] && cpu[other] === cpu[row];
    if (isSame && integers.every((column) => Object.is(column[other], column[row]))) return true;
  }
  return false;
}

/** Returns a field as integers; values in the upper half of 64 bits are negative, as in `Address`. */
function integersOf(table: SampleTable, field: string): Float64Array {
  const numbers = numbersOf(table, field);
  if (numbers) return numbers;
  const texts = textsOf(table, field);
  return new Float64Array(table.length).map((_, row) => (texts ? integerOf(texts[row]) : Number.NaN));
}

const INTEGER = /^(-?\d+|0x[0-9a-f]+)$/;

function integerOf(text: string): number {
  return INTEGER.test(text) ? Number(BigInt.asIntN(64, BigInt(text))) : Number.NaN;
}

const EMPTY: SampleTable = {
  event: '',
  length: 0,
  timeNs: new Float64Array(0),
  tid: new Int32Array(0),
  pid: new Int32Array(0),
  cpu: new Int32Array(0),
  context: new Uint8Array(0),
  fields: [],
};
