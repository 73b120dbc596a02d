/**
 * Collects samples into one table per event, sorted by time.
 */
import { float64Column, int32Column, uint8Column } from './columns.js';
import { askForMemory } from './memory.js';
import type { NumberStyle, Sample, SampleContext, SampleField, SampleTable } from './sample-table.js';
import type { Nanoseconds } from './units.js';

export class SampleTablesBuilder {
  private readonly tables = new Map<string, SampleTableBuilder>();

  /** `event`: as perf prints it. */
  add(event: string, { timeNs, tid, pid, cpu, context, values }: Sample): void {
    const table = this.table(event);
    const row = table.addRow(timeNs, tid, pid, cpu, context);
    for (const { name, value } of values) {
      if (typeof value === 'string') table.field(name).setText(row, value);
      else table.field(name).setNumber(row, value);
    }
  }

  /** Returns the table of an event, to add rows without an object for each. */
  table(event: string): SampleTableBuilder {
    let table = this.tables.get(event);
    if (table === undefined) this.tables.set(event, (table = new SampleTableBuilder(event)));
    return table;
  }

  /** Returns the tables by the name of their event. */
  build(): SampleTable[] {
    return [...this.tables.values()].map((table) => table.build()).sort((a, b) => (a.event < b.event ? -1 : 1));
  }
}

export class SampleTableBuilder {
  private readonly event: string;
  private readonly timeNs = float64Column();
  private readonly tid = int32Column();
  private readonly pid = int32Column();
  private readonly cpu = int32Column();
  private readonly context = uint8Column();
  private readonly fields = new Map<string, FieldBuilder>();

  constructor(event: string) {
    this.event = event;
  }

  get length(): number {
    return this.timeNs.length;
  }

  /** Returns the row, for its fields. */
  addRow(timeNs: Nanoseconds, tid: number, pid: number, cpu: number, context: SampleContext): number {
    this.timeNs.push(timeNs);
    this.tid.push(tid);
    this.pid.push(pid);
    this.cpu.push(cpu);
    this.context.push(context);
    return this.timeNs.length - 1;
  }

  /** `style`: how perf prints its numbers, which are texts if one of them is beyond 2^53. */
  field(name: string, style: NumberStyle = 'signed'): FieldBuilder {
    let field = this.fields.get(name);
    if (field === undefined) this.fields.set(name, (field = new FieldBuilder(name, style)));
    return field;
  }

  /** Adds the rows of a table of the same event. */
  append({ timeNs, tid, pid, cpu, context, fields }: SampleTable): void {
    const first = this.length;
    this.timeNs.append(timeNs);
    this.tid.append(tid);
    this.pid.append(pid);
    this.cpu.append(cpu);
    this.context.append(context);
    for (const field of fields) this.field(field.name, field.style).append(first, field);
  }

  build(): SampleTable {
    const { event, length, fields } = this;
    const order = timeOrder(this.timeNs.view());
    return {
      event,
      length,
      timeNs: inOrder(this.timeNs.view(), order),
      tid: inOrder(this.tid.view(), order),
      pid: inOrder(this.pid.view(), order),
      cpu: inOrder(this.cpu.view(), order),
      context: inOrder(this.context.view(), order),
      fields: [...fields.values()].map((field) => field.build(length, order)),
    };
  }
}

const BYTES_PER_TEXT = 16;
const ASK_AGAIN_BYTES = 1024 * 1024;

// Collects the values of one field of an event.

/** A field is of numbers until it gets a text. */
export class FieldBuilder {
  private readonly name: string;
  private readonly style: NumberStyle;
  private readonly numbers = float64Column();
  private texts: string[] | null = null;
  /** Texts that no watcher of memory knows of yet. */
  private unaskedBytes = 0;

  constructor(name: string, style: NumberStyle) {
    this.name = name;
    this.style = style;
  }

  /** `row`: after those set before. */
  setNumber(row: number, value: number): void {
    if (this.texts !== null) return this.addText(this.texts, row, numberText(value, this.style));
    this.fill(row);
    this.numbers.push(value);
  }

  setText(row: number, value: string): void {
    this.texts ??= Array.from(this.numbers.view(), (number) => numberText(number, this.style));
    this.addText(this.texts, row, value);
  }

  /** `firstRow`: of the field's first value, after those set before. */
  append(firstRow: number, { numbers, texts }: SampleField): void {
    if (texts !== null) for (let row = 0; row < texts.length; row++) this.setText(firstRow + row, texts[row] as string);
    else if (this.texts === null) {
      this.fill(firstRow);
      this.numbers.append(numbers);
    } else for (let row = 0; row < numbers.length; row++) this.setNumber(firstRow + row, numbers[row]);
  }

  /** `length`: of the table. `order`: null, if its rows are in order. */
  build(length: number, order: Uint32Array | null): SampleField {
    const { name, style, texts, numbers } = this;
    this.fill(length);
    if (texts === null) return { name, style, numbers: inOrder(numbers.view(), order), texts: null };
    return {
      name,
      style,
      numbers: null,
      texts: order === null ? texts : Array.from(order, (row) => texts[row] as string),
    };
  }

  private addText(texts: string[], row: number, value: string): void {
    this.fill(row);
    texts.push(value);
    this.unaskedBytes += value.length + BYTES_PER_TEXT;
    if (this.unaskedBytes < ASK_AGAIN_BYTES) return;
    askForMemory(this.unaskedBytes);
    this.unaskedBytes = 0;
  }

  /** Gives the rows up to this one no value, unless they have one. */
  private fill(row: number): void {
    const { texts, numbers } = this;
    if (texts === null) while (numbers.length < row) numbers.push(Number.NaN);
    else while (texts.length < row) texts.push('');
  }
}

/** Negative numbers are counted from 2^64 unless they are signed. */
export function numberText(value: number, style: NumberStyle): string {
  if (Number.isNaN(value)) return '';
  if (style === 'signed') return String(value);
  const unsigned = BigInt.asUintN(64, BigInt(value));
  return style === 'unsigned' ? String(unsigned) : `0x${unsigned.toString(16)}`;
}

// Sorts rows by time.

/**
 * Returns the rows of a column in the order of their values; rows of equal values stay in their order. null: they are in
 * order, as those of text are. Merges the ascending runs: a recording has one for each buffer that perf wrote.
 */
export function timeOrder(times: Float64Array): Uint32Array | null {
  let ends = runEnds(times);
  if (ends.length === 1) return null;
  let from = new Uint32Array(times.length);
  for (let row = 0; row < from.length; row++) from[row] = row;
  let to = new Uint32Array(times.length);
  while (ends.length > 1) {
    ends = mergePairs(times, from, ends, to);
    [from, to] = [to, from];
  }
  return from;
}

/** Returns a copy of a column with its rows in an order; null: as they are. */
export function inOrder<Values extends Float64Array | Int32Array | Uint32Array | Uint8Array>(
  values: Values,
  order: Uint32Array | null,
): Values {
  if (order === null) return values.slice() as Values;
  const sorted = new (values.constructor as new (length: number) => Values)(order.length);
  for (let at = 0; at < order.length; at++) sorted[at] = values[order[at]];
  return sorted;
}

/** Returns where the ascending runs end. */
function runEnds(times: Float64Array): number[] {
  const ends: number[] = [];
  for (let row = 1; row < times.length; row++) if (times[row] < times[row - 1]) ends.push(row);
  ends.push(times.length);
  return ends;
}

function mergePairs(times: Float64Array, from: Uint32Array, ends: readonly number[], to: Uint32Array): number[] {
  const merged: number[] = [];
  for (let pair = 0, start = 0; pair < ends.length; pair += 2) {
    const middle = ends[pair] as number;
    const end = ends[pair + 1] ?? middle;
    merge(times, from, [start, middle, end], to);
    merged.push(end);
    start = end;
  }
  return merged;
}

function merge(
  times: Float64Array,
  from: Uint32Array,
  [start, middle, end]: readonly [number, number, number],
  to: Uint32Array,
): void {
  let left = start;
  let right = middle;
  for (let at = start; at < end; at++) {
    const isLeft = left < middle && (right === end || times[from[left]] <= times[from[right]]);
    to[at] = isLeft ? from[left++] : from[right++];
  }
}

// Merges the samples of several sources. A moment that two of them recorded is one sample.

/** Returns one table per event. The result does not depend on the order of the sources. */
export function mergeSampleTables(sources: readonly (readonly SampleTable[])[]): SampleTable[] {
  const byEvent = new Map<string, SampleTable[]>();
  for (const table of sources.flat()) byEvent.set(table.event, [...(byEvent.get(table.event) ?? []), table]);
  const merged = [...byEvent.values()].map((tables) => tables.sort(compareTables).reduce(mergeTwo));
  return merged.sort((a, b) => (a.event < b.event ? -1 : 1));
}

function compareTables(a: SampleTable, b: SampleTable): number {
  const byTime = (a.timeNs[0] as number) - (b.timeNs[0] as number);
  return byTime || a.length - b.length || (rowText(a) < rowText(b) ? -1 : 1);
}

function rowText({ tid, cpu, context, fields }: SampleTable): string {
  return [tid[0], cpu[0], context[0], ...fields.map((field) => (field.texts ?? field.numbers)[0])].join(' ');
}

function mergeTwo(a: SampleTable, b: SampleTable): SampleTable {
  if (a.length === 0) return b;
  const twinOf = twins(a, b);
  const twinOfA = new Int32Array(a.length).fill(-1);
  for (let row = 0; row < b.length; row++) if (twinOf[row] !== -1) twinOfA[twinOf[row]] = row;
  const into = new SampleTablesBuilder();
  const builder = into.table(a.event);
  for (let row = 0; row < a.length; row++) addRow(a, row, b, twinOfA[row], builder);
  for (let row = 0; row < b.length; row++) if (twinOf[row] === -1) addRow(b, row, a, -1, builder);
  return into.build()[0] as SampleTable;
}

/**
 * Each event of perf reads the clock itself, so that two recordings give one moment two times: 2 to 22 µs apart where it
 * was measured.
 */
const MAX_APART_NS: Nanoseconds = 100_000;

/** Returns the same moment in `a` for each row of `b`, or -1. Repeated moments are matched in their order. */
function twins(a: SampleTable, b: SampleTable): Int32Array {
  const twinOf = new Int32Array(b.length).fill(-1);
  if (!overlap(a, b)) return twinOf; // recorded one after the other
  const isEqual = rowComparison(a, b);
  const isTaken = new Uint8Array(a.length);
  for (let row = 0, first = 0; row < b.length; row++) {
    while (first < a.length && a.timeNs[first] < b.timeNs[row] - MAX_APART_NS) first++;
    for (let other = first; other < a.length && a.timeNs[other] <= b.timeNs[row] + MAX_APART_NS; other++) {
      if (isTaken[other] || !isEqual(other, row)) continue;
      isTaken[other] = 1;
      twinOf[row] = other;
      break;
    }
  }
  return twinOf;
}

function overlap(a: SampleTable, b: SampleTable): boolean {
  return (
    (a.timeNs.at(-1) as number) >= (b.timeNs[0] as number) && (b.timeNs.at(-1) as number) >= (a.timeNs[0] as number)
  );
}

/** Compares all but the time, and the context, which text does not have. */
function rowComparison(a: SampleTable, b: SampleTable): (rowOfA: number, rowOfB: number) => boolean {
  const names = [...new Set([...a.fields, ...b.fields].map(({ name }) => name))];
  const columns = names.map((name) => [a, b].map((table) => cells(table.fields, name)) as [Cells, Cells]);
  return (one, other) =>
    a.tid[one] === b.tid[other] &&
    a.cpu[one] === b.cpu[other] &&
    columns.every(([first, second]) => Object.is(first[one], second[other]));
}

type Cells = ArrayLike<number | string | undefined>;

function cells(fields: readonly SampleField[], name: string): Cells {
  const field = fields.find((field) => field.name === name);
  return field?.texts ?? field?.numbers ?? [];
}

/** Adds a row of a table. Its twin (-1: none) may be earlier, or know the context. */
function addRow(table: SampleTable, row: number, other: SampleTable, twin: number, into: SampleTableBuilder): void {
  const timeNs = twin === -1 ? table.timeNs[row] : Math.min(table.timeNs[row], other.timeNs[twin]);
  const context = twin === -1 ? table.context[row] : Math.max(table.context[row], other.context[twin]);
  const added = into.addRow(timeNs, table.tid[row], table.pid[row], table.cpu[row], context as SampleContext);
  for (const { name, style, numbers, texts } of table.fields) {
    if (texts !== null) into.field(name, style).setText(added, texts[row] as string);
    else into.field(name, style).setNumber(added, numbers[row]);
  }
}
