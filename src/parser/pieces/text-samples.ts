/**
 * Collects samples that were read from text into tables, as they are read from recordings.
 */
import type { SampleTable } from '../../model/sample-table.js';
import { SampleContext } from '../../model/sample-table.js';
import { SampleTablesBuilder } from '../../model/sample-tables-builder.js';
import { type Nanoseconds, NONE } from '../../model/units.js';
import type { PerfLine } from '../lines/perf-line-types.js';
import { fromLatin1 } from '../sites/intern.js';

export type SampleLine = Extract<PerfLine, { type: 'sample' }>;

const MAX_KEPT_TEXTS = 4096;

export class TextSamples {
  /** Lines with a sample, also of events that are not known. */
  lines = 0;
  private readonly tables = new SampleTablesBuilder();
  /** Texts repeat, such as names of threads. */
  private readonly texts = new Map<string, string>();

  /** Text does not show whether a sample was taken in an interrupt. */
  add({ prefix, sample }: SampleLine, timeNs: Nanoseconds): void {
    this.lines++;
    if (sample === null) return;
    const table = this.tables.table(sample.event);
    const { tid, pid, cpu } = prefix;
    const row = table.addRow(timeNs, tid, pid ?? NONE, cpu ?? NONE, SampleContext.Unknown);
    for (const { name, value, style } of sample.values) {
      const field = table.field(name, style);
      if (typeof value === 'number') field.setNumber(row, value);
      else field.setText(row, this.decoded(value));
    }
  }

  /** Adds what another collector built from the lines that follow. */
  append(tables: readonly SampleTable[], lines: number): void {
    this.lines += lines;
    for (const table of tables) this.tables.table(table.event).append(table);
  }

  build(): SampleTable[] {
    return this.tables.build();
  }

  private decoded(text: string): string {
    let decoded = this.texts.get(text);
    if (decoded !== undefined) return decoded;
    if (this.texts.size === MAX_KEPT_TEXTS) this.texts.clear();
    decoded = fromLatin1(text);
    this.texts.set(Buffer.from(text, 'latin1').toString('latin1'), decoded);
    return decoded;
  }
}
