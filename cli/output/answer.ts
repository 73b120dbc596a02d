/**
 * Writes an answer to standard output as text, JSON or comma-separated values.
 */
import { stringify } from 'csv-stringify/sync';
import { PtflameError, safeJson, visibleText } from '../../src/text.js';
import { openOutput, writeAll } from './outputs.js';

export interface AnswerFormats {
  readonly json: () => unknown;
  readonly text: () => readonly string[];
  /** Rows of values, titles first. */
  readonly csv?: () => readonly (readonly (string | number | boolean | null)[])[];
}

/** @throws PtflameError BAD_OPTION for `--json --csv` */
export function refuseTwoFormats({ json, csv }: { readonly json: boolean; readonly csv: boolean }): void {
  if (!json || !csv) return;
  throw new PtflameError('BAD_OPTION', '--json and --csv are mutually exclusive', { hint: 'leave one out' });
}

export async function writeAnswer(
  formats: AnswerFormats,
  { json, csv = false }: { readonly json: boolean; readonly csv?: boolean },
): Promise<void> {
  const chunks = () => [
    json ? jsonText(formats.json()) : csv && formats.csv ? csvText(formats.csv()) : plain(formats.text()),
  ];
  await writeAll([{ output: await openOutput('-'), chunks }]);
}

function plain(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}

function jsonText(answer: unknown): string {
  return `${safeJson(JSON.stringify(answer, null, 2))}\n`;
}

/** Escapes names that a spreadsheet would evaluate as formulas. */
function csvText(rows: readonly (readonly (string | number | boolean | null)[])[]): string {
  const cast = { boolean: String, string: visibleText }; // csv-stringify's defaults: 1 and ''
  return stringify(rows as (string | number | boolean | null)[][], { escape_formulas: true, cast });
}
