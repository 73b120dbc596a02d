/**
 * Collects samples into one table per event, sorted by time.
 */
import { float64Column, int32Column, uint8Column } from '../columns.js';
import type { Nanoseconds } from '../units.js';
import { FieldBuilder } from './field-builder.js';
import type { NumberStyle, Sample, SampleContext, SampleTable } from './sample-table.js';
import { inOrder, timeOrder } from './time-order.js';

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
