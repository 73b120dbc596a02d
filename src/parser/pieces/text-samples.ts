/**
 * Collects samples that were read from text into tables, as they are read from recordings.
 */
import type { NumberStyle, SampleTable } from '../../model/samples/sample-table.js';
import { SampleContext } from '../../model/samples/sample-table.js';
import { SampleTablesBuilder } from '../../model/samples/sample-tables-builder.js';
import { type Nanoseconds, NONE } from '../../model/units.js';
import type { PerfLine } from '../lines/perf-line-types.js';
import type { PrintedValue } from '../lines/sample-fields.js';
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
    for (const value of sample.values) {
      const number = value.isText ? null : numberOf(value.text);
      const field = table.field(value.name, styleOf(value, number));
      if (typeof number === 'number') field.setNumber(row, number);
      else field.setText(row, number ?? this.decoded(value.text));
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

/** As in a recording: numbers of 64 bits are signed, and a text beyond 2^53. Returns null if it is not a number. */
function numberOf(text: string): number | string | null {
  if (!/^(?:-?\d{1,20}|0x[0-9a-f]{1,16})$/.test(text)) return null;
  const short = Number(text);
  if (Number.isSafeInteger(short)) return short;
  const signed = Number(BigInt.asIntN(64, BigInt(text)));
  if (Number.isSafeInteger(signed)) return signed;
  return text.startsWith('0x') ? `0x${BigInt(text).toString(16)}` : text;
}

function styleOf({ text }: PrintedValue, number: number | string | null): NumberStyle {
  if (text.startsWith('0x')) return 'hexadecimal';
  const isAbove = typeof number === 'number' && number < 0 && !text.startsWith('-');
  return isAbove ? 'unsigned' : 'signed';
}
