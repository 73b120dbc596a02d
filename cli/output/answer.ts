/**
 * Writes an answer to standard output as text, JSON or comma-separated values.
 */
import { stringify } from 'csv-stringify/sync';
import { PtflameError, safeJson, visibleText } from '../../src/text.js';
import { openOutput, writeAll } from './outputs.js';
import type { Chunks } from './write-chunks.js';

export interface AnswerFormats {
  readonly json: () => unknown;
  readonly text: () => Iterable<string>;
  /** Rows of values, titles first. */
  readonly csv?: () => readonly (readonly (string | number | boolean | null)[])[];
  /** Spans, for other tools. */
  readonly otlp?: () => Chunks;
  readonly perfetto?: () => Chunks;
}

/** The options that choose a format. */
interface ChosenFormat {
  readonly json: boolean;
  readonly csv?: boolean;
  readonly otlp?: boolean;
  readonly perfetto?: boolean;
}

/** @throws PtflameError BAD_OPTION for `--json --csv` */
export function refuseTwoFormats(options: ChosenFormat): void {
  const [first, second] = (['json', 'csv', 'otlp', 'perfetto'] as const).filter((name) => options[name]);
  if (second === undefined) return;
  throw new PtflameError('BAD_OPTION', `--${first} and --${second} are mutually exclusive`, { hint: 'leave one out' });
}

export async function writeAnswer(formats: AnswerFormats, options: ChosenFormat): Promise<void> {
  await writeAll([{ output: await openOutput('-'), chunks: () => chunksOf(formats, options) }]);
}

function chunksOf(formats: AnswerFormats, { json, csv, otlp, perfetto }: ChosenFormat): Chunks {
  if (json) return [jsonText(formats.json())];
  if (csv && formats.csv) return [csvText(formats.csv())];
  if (otlp && formats.otlp) return formats.otlp();
  return perfetto && formats.perfetto ? formats.perfetto() : endedLines(formats.text());
}

function* endedLines(lines: Iterable<string>): Iterable<string> {
  for (const line of lines) yield `${line}\n`;
}

function jsonText(answer: unknown): string {
  return `${safeJson(JSON.stringify(answer, null, 2))}\n`;
}

/** Escapes names that a spreadsheet would evaluate as formulas. */
function csvText(rows: readonly (readonly (string | number | boolean | null)[])[]): string {
  const cast = { boolean: String, string: visibleText }; // csv-stringify's defaults: 1 and ''
  return stringify(rows as (string | number | boolean | null)[][], { escape_formulas: true, cast });
}
