/**
 * Encodes and decodes samples of tracepoints and probes, and what is missing of them.
 */
import { NumberReader } from '../../codec/number-reader.js';
import { NumberWriter } from '../../codec/number-writer.js';
import { MAX_ID } from '../../model/limits.js';
import type { SideAccount } from '../../model/sample-table.js';
import { type NumberStyle, SampleContext, type SampleField, type SampleTable } from '../../model/sample-table.js';
import { NONE } from '../../model/units.js';
import type { StoredSamples } from './contents.js';
import { WordReader, WordWriter } from './words.js';

const STYLES: readonly NumberStyle[] = ['signed', 'unsigned', 'hexadecimal'];
const Kind = { Numbers: 0, Texts: 1 } as const;
/** A row has a byte in each of the columns that all tables have. */
const MIN_ROW_BYTES = 5;
const MIN_TABLE_BYTES = 3;
const MIN_FIELD_BYTES = 3;
const MIN_SIDE_BYTES = 6;

export const NO_SAMPLES: StoredSamples = {
  tables: [],
  account: { lines: 0, unreadable: 0, damaged: 0, lost: 0, lostSpans: [] },
  sides: [],
};

/** Whether there is nothing to say of samples. */
export function isEmpty({ tables, account, sides }: StoredSamples): boolean {
  const { lines, unreadable, damaged, lost, lostSpans } = account;
  return tables.length + sides.length + lostSpans.length + lines + unreadable + damaged + lost === 0;
}

export function sampleBytes({ tables, account, sides }: StoredSamples): Uint8Array {
  const out = new NumberWriter();
  const words = new WordWriter(out);
  for (const count of [account.lines, account.unreadable, account.damaged, account.lost]) out.count(count);
  out.count(account.lostSpans.length);
  for (const { fromNs, toNs } of account.lostSpans) {
    out.near(fromNs, 0);
    out.near(toNs, fromNs);
  }
  out.count(sides.length);
  for (const side of sides) writeSide(side, out, words);
  out.count(tables.length);
  for (const table of tables) writeTable(table, out, words);
  return out.view();
}

function writeSide(
  { input, side, isMissing, samples, unreadable, lost }: SideAccount,
  out: NumberWriter,
  words: WordWriter,
): void {
  words.write(input);
  words.write(side);
  for (const count of [isMissing ? 1 : 0, samples, unreadable, lost]) out.count(count);
}

function writeTable(
  { event, length, timeNs, tid, pid, cpu, context, fields }: SampleTable,
  out: NumberWriter,
  words: WordWriter,
): void {
  words.write(event);
  out.count(length);
  for (const column of [timeNs, tid, pid, cpu, context]) writeColumn(out, column);
  out.count(fields.length);
  for (const { name, style = 'signed', numbers, texts } of fields) {
    words.write(name);
    out.count(STYLES.indexOf(style));
    out.count(texts === null ? Kind.Numbers : Kind.Texts);
    if (texts === null) writeColumn(out, numbers);
    else writeTexts(texts, out, words);
  }
}

function writeColumn(out: NumberWriter, values: ArrayLike<number>): void {
  out.count(values.length);
  let last = 0;
  for (let row = 0; row < values.length; row++) {
    out.near(values[row], last);
    if (!Number.isNaN(values[row])) last = values[row];
  }
}

function writeTexts(texts: readonly string[], out: NumberWriter, words: WordWriter): void {
  out.count(texts.length);
  for (const text of texts) words.write(text);
}

export function readSamples(bytes: Uint8Array): StoredSamples {
  const reader = new SampleReader(bytes);
  return reader.read();
}

class SampleReader {
  private readonly input: NumberReader;
  private readonly words: WordReader;

  constructor(bytes: Uint8Array) {
    this.input = new NumberReader(bytes, 'its table of samples');
    this.words = new WordReader(this.input);
  }

  read(): StoredSamples {
    const { input } = this;
    const [lines = 0, unreadable = 0, damaged = 0, lost = 0] = [0, 0, 0, 0].map(() => input.count());
    const lostSpans = Array.from({ length: input.length(2) }, () => this.span());
    const sides = Array.from({ length: input.length(MIN_SIDE_BYTES) }, () => this.side());
    const tables = Array.from({ length: input.length(MIN_TABLE_BYTES) }, () => this.table());
    input.end();
    return { tables, account: { lines, unreadable, damaged, lost, lostSpans }, sides };
  }

  private span() {
    const fromNs = this.input.wholeNear(0);
    return { fromNs, toNs: this.input.wholeNear(fromNs) };
  }

  private side(): SideAccount {
    const { input, words } = this;
    const names = { input: words.read(), side: words.read() };
    const isMissing = input.countWithin(0, 1) === 1;
    return { ...names, isMissing, samples: input.count(), unreadable: input.count(), lost: input.count() };
  }

  private table(): SampleTable {
    const { input } = this;
    const event = this.words.read();
    const length = input.length(MIN_ROW_BYTES);
    const timeNs = this.numbers(length);
    if (!timeNs.every((time, row) => Number.isSafeInteger(time) && (row === 0 || time >= timeNs[row - 1])))
      throw input.fault('has times that are not in order, or no whole numbers below 2^53');
    const [tid, pid, cpu] = [this.ids(length), this.ids(length), this.ids(length)];
    const context = this.bounded(new Uint8Array(this.lengthOf(length)), 0, SampleContext.HardInterrupt);
    const fields = Array.from({ length: input.length(MIN_FIELD_BYTES) }, () => this.field(length));
    return { event, length, timeNs, tid, pid, cpu, context, fields };
  }

  private field(length: number): SampleField {
    const { input, words } = this;
    const name = words.read();
    const style = STYLES[input.countWithin(0, STYLES.length - 1)] as NumberStyle;
    if (input.countWithin(Kind.Numbers, Kind.Texts) === Kind.Numbers)
      return { name, style, numbers: this.numbers(length), texts: null };
    return { name, style, numbers: null, texts: Array.from({ length: this.lengthOf(length) }, () => words.read()) };
  }

  /** Reads the length of a column, which the bytes that are left bound. */
  private lengthOf(rows: number): number {
    if (this.input.length() === rows) return rows;
    throw this.input.fault('has columns of different lengths');
  }

  private ids(length: number): Int32Array {
    return this.bounded(new Int32Array(this.lengthOf(length)), NONE, MAX_ID);
  }

  private bounded<Values extends Int32Array | Uint8Array>(values: Values, min: number, max: number): Values {
    let last = 0;
    for (let row = 0; row < values.length; row++) values[row] = last = this.input.nearWithin(last, min, max);
    return values;
  }

  private numbers(length: number): Float64Array {
    const values = new Float64Array(this.lengthOf(length));
    let last = 0;
    for (let row = 0; row < length; row++) {
      values[row] = this.input.wholeOrUnknownNear(last);
      if (!Number.isNaN(values[row])) last = values[row];
    }
    return values;
  }
}
