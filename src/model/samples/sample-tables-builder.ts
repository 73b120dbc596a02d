/**
 * Collects samples into one table per event, sorted by time.
 */
import { float64Column, int32Column, uint8Column } from '../columns.js';
import type { Sample, SampleField, SampleTable, SampleValue } from './sample-table.js';

export class SampleTablesBuilder {
  private readonly tables = new Map<string, TableBuilder>();

  /** `event`: as perf prints it. */
  add(event: string, sample: Sample): void {
    let table = this.tables.get(event);
    if (table === undefined) this.tables.set(event, (table = new TableBuilder(event)));
    table.add(sample);
  }

  /** Returns the tables by the name of their event. */
  build(): SampleTable[] {
    return [...this.tables.values()].map((table) => table.build()).sort((a, b) => (a.event < b.event ? -1 : 1));
  }
}

class TableBuilder {
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

  add({ timeNs, tid, pid, cpu, context, values }: Sample): void {
    const row = this.timeNs.length;
    this.timeNs.push(timeNs);
    this.tid.push(tid);
    this.pid.push(pid);
    this.cpu.push(cpu);
    this.context.push(context);
    for (const { name, value } of values) this.field(name).set(row, value);
  }

  build(): SampleTable {
    const length = this.timeNs.length;
    const times = this.timeNs.view();
    const order = Uint32Array.from({ length }, (_, row) => row);
    if (!isAscending(times)) order.sort((a, b) => times[a] - times[b] || a - b);
    return {
      event: this.event,
      length,
      timeNs: new Float64Array(length).map((_, row) => times[order[row]]),
      tid: new Int32Array(length).map((_, row) => this.tid.values[order[row]]),
      pid: new Int32Array(length).map((_, row) => this.pid.values[order[row]]),
      cpu: new Int32Array(length).map((_, row) => this.cpu.values[order[row]]),
      context: new Uint8Array(length).map((_, row) => this.context.values[order[row]]),
      fields: [...this.fields.values()].map((field) => field.build(order)),
    };
  }

  private field(name: string): FieldBuilder {
    let field = this.fields.get(name);
    if (field === undefined) this.fields.set(name, (field = new FieldBuilder(name)));
    return field;
  }
}

/** A field is of numbers until it gets a text. */
class FieldBuilder {
  private readonly name: string;
  private readonly numbers = float64Column();
  private texts: string[] | null = null;

  constructor(name: string) {
    this.name = name;
  }

  set(row: number, value: SampleValue['value']): void {
    if (typeof value === 'string') this.texts ??= Array.from(this.numbers.view(), textOf);
    if (this.texts) {
      while (this.texts.length < row) this.texts.push('');
      this.texts[row] = String(value);
      return;
    }
    while (this.numbers.length < row) this.numbers.push(Number.NaN);
    this.numbers.push(value as number);
  }

  build(order: Uint32Array): SampleField {
    const { name, texts, numbers } = this;
    if (texts) return { name, numbers: null, texts: Array.from(order, (row) => texts[row] ?? '') };
    const { values, length } = numbers;
    const inOrder = new Float64Array(order.length).map((_, at) =>
      order[at] < length ? values[order[at]] : Number.NaN,
    );
    return { name, numbers: inOrder, texts: null };
  }
}

function textOf(value: number): string {
  return Number.isNaN(value) ? '' : String(value);
}

function isAscending(values: Float64Array): boolean {
  for (let row = 1; row < values.length; row++) if (values[row] < values[row - 1]) return false;
  return true;
}
