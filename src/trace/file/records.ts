/**
 * Encodes and decodes side records (records other than branches, names and mappings) and samples.
 */

import { NumberReader, NumberWriter } from '../../codec/numbers.js';
import { MAX_ID } from '../../model/limits.js';
import {
  type NumberStyle,
  SampleContext,
  type SampleField,
  type SampleTable,
  type SideAccount,
} from '../../model/sample-table.js';
import type { Mapping, ThreadName, TraceRecord } from '../../model/trace/trace-chunk.js';
import { NONE } from '../../model/units.js';
import type { SideRecords, StoredSamples } from './contents.js';

type Switch = Extract<TraceRecord, { what: 'switch' }>;

/** Codes of records; a switch is coded by its direction. */
const DIRECTIONS: readonly Switch['direction'][] = ['in', 'out', 'preempted'];
const Code = { Gap: 3, Exec: 4, Exit: 5, Fork: 6, Traced: 7 } as const;

/** A pid of −1 is the kernel's, or unknown. */
const MIN_ID = -(2 ** 31);
const NOTHING = 0;

export function sideBytes({ records, names, mappings }: SideRecords): Uint8Array {
  const out = new SideWriter();
  out.numbers.count(records.length);
  for (const record of records) out.record(record);
  out.numbers.count(names.length);
  for (const name of names) out.name(name);
  out.numbers.count(mappings.length);
  for (const mapping of mappings) out.mapping(mapping);
  return out.numbers.view();
}

class SideWriter {
  readonly numbers = new NumberWriter();
  private readonly words = new WordWriter(this.numbers);
  private tid = 0;
  private timeNs = 0;

  record(record: TraceRecord): void {
    const { numbers } = this;
    numbers.count(codeOf(record));
    this.when(record);
    numbers.near(record.cpu, 0);
    if (record.what === 'switch') return;
    numbers.near(record.pid, record.tid);
    if (record.what === 'fork') numbers.near(record.parentPid, record.pid);
    if (record.what !== 'gap') return;
    numbers.near(record.code, 0);
    numbers.near(record.ip, 0);
    this.words.write(record.message);
  }

  name({ pid, parent, comm, ...at }: ThreadName): void {
    this.when(at);
    for (const id of [pid, parent]) {
      this.numbers.count(id === null ? NOTHING : 1);
      if (id !== null) this.numbers.near(id, at.tid);
    }
    this.numbers.count(comm === null ? NOTHING : 1);
    if (comm !== null) this.words.write(comm);
  }

  mapping({ pid, timeNs, start, length, fileOffset, file }: Mapping): void {
    this.when({ tid: pid, timeNs });
    this.numbers.near(start, 0);
    this.numbers.near(length, 0);
    this.numbers.near(fileOffset, 0);
    this.words.write(file);
  }

  private when({ tid, timeNs }: { readonly tid: number; readonly timeNs: number }): void {
    this.numbers.near(tid, this.tid);
    this.numbers.near(timeNs, this.timeNs);
    this.tid = tid;
    this.timeNs = timeNs;
  }
}

function codeOf(record: TraceRecord): number {
  switch (record.what) {
    case 'switch':
      return DIRECTIONS.indexOf(record.direction);
    case 'gap':
      return Code.Gap;
    case 'exec':
      return Code.Exec;
    case 'exit':
      return Code.Exit;
    case 'fork':
      return Code.Fork;
    case 'traced':
      return Code.Traced;
  }
}

/** `version`: of the file. */
export function readSide(bytes: Uint8Array, version: number): SideRecords {
  const from = new SideReader(bytes, version);
  const list = <Row>(read: () => Row) => Array.from({ length: from.numbers.length(4) }, read);
  const records = list(() => from.record());
  const names = list(() => from.name());
  const mappings = list(() => from.mapping());
  from.numbers.end();
  return { records, names, mappings };
}

class SideReader {
  readonly numbers: NumberReader;
  private readonly words: WordReader;
  private tid = 0;
  private timeNs = 0;

  constructor(
    bytes: Uint8Array,
    private readonly version: number,
  ) {
    this.numbers = new NumberReader(bytes, 'its table of records');
    this.words = new WordReader(this.numbers);
  }

  record(): TraceRecord {
    const { numbers } = this;
    const code = numbers.countWithin(0, Code.Traced);
    const at = { ...this.when(), cpu: this.id(0) };
    if (code < DIRECTIONS.length) return { what: 'switch', ...at, direction: DIRECTIONS[code] };
    const pid = this.id(at.tid);
    if (code === Code.Fork) return { what: 'fork', ...at, pid, parentPid: this.id(pid) };
    if (code === Code.Traced) return { what: 'traced', ...at, pid };
    if (code !== Code.Gap) return { what: code === Code.Exec ? 'exec' : 'exit', ...at, pid };
    return { what: 'gap', ...at, pid, code: this.id(0), ip: numbers.wholeOrUnknownNear(0), message: this.words.read() };
  }

  name(): ThreadName {
    const at = this.when();
    const [pid = null, parent = null] = [0, 1].map(() => (this.isThere() ? this.id(at.tid) : null));
    return { ...at, pid, parent, comm: this.isThere() ? this.words.read() : null };
  }

  mapping(): Mapping {
    const { tid: pid, timeNs } = this.when();
    const { numbers, version } = this;
    const range = { start: numbers.wholeOrUnknownNear(0), length: numbers.wholeOrUnknownNear(0) };
    return {
      pid,
      timeNs,
      ...range,
      fileOffset: version === 1 ? Number.NaN : numbers.wholeOrUnknownNear(0),
      file: this.words.read(),
    };
  }

  private when(): { readonly tid: number; readonly timeNs: number } {
    this.tid = this.id(this.tid);
    this.timeNs = this.numbers.near(this.timeNs);
    if (!Number.isSafeInteger(this.timeNs) && this.timeNs !== Number.NEGATIVE_INFINITY)
      throw this.numbers.fault(`has the time ${this.timeNs}, which is no whole number below 2^53`);
    return { tid: this.tid, timeNs: this.timeNs };
  }

  private id(known: number): number {
    return this.numbers.nearWithin(known, MIN_ID, MAX_ID);
  }

  private isThere(): boolean {
    return this.numbers.countWithin(NOTHING, 1) !== NOTHING;
  }
}

/** Encodes and decodes words: texts that may repeat. A word is its number; a new one is followed by its text. */
export class WordWriter {
  private readonly numberOf = new Map<string, number>();

  constructor(private readonly out: NumberWriter) {}

  write(text: string): void {
    const number = this.numberOf.get(text) ?? this.numberOf.size;
    this.out.count(number);
    if (number < this.numberOf.size) return;
    this.numberOf.set(text, number);
    this.out.text(text);
  }
}

export class WordReader {
  private readonly texts: string[] = [];

  constructor(private readonly from: NumberReader) {}

  read(): string {
    const number = this.from.countWithin(0, this.texts.length);
    if (number === this.texts.length) this.texts.push(this.from.text());
    return this.texts[number] as string;
  }
}

const STYLES: readonly NumberStyle[] = ['signed', 'unsigned', 'hexadecimal'];
const Kind = { Numbers: 0, Texts: 1 } as const;
/** A row has a byte in each of the columns that all tables have. */
const MIN_ROW_BYTES = 5;
const MIN_TABLE_BYTES = 3;
const MIN_FIELD_BYTES = 3;
const MIN_SIDE_BYTES = 6;

/** Encodes and decodes samples of tracepoints and probes, and what is missing of them. */
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
