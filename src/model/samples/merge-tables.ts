/**
 * Merges the samples of several sources. A moment that two of them recorded is one sample.
 */
import type { Nanoseconds } from '../units.js';
import type { SampleContext, SampleField, SampleTable } from './sample-table.js';
import { type SampleTableBuilder, SampleTablesBuilder } from './sample-tables-builder.js';

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
