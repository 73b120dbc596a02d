/**
 * An answer → standard output: as text, JSON or comma-separated values.
 */
import { stringify } from 'csv-stringify/sync';
import { PtflameError, safeJson, visibleText } from '../../src/text.js';
import { openOutput, writeAll } from './outputs.js';

export interface AnswerForms {
  readonly json: () => unknown;
  readonly text: () => readonly string[];
  /** Rows of values; the first has the titles. */
  readonly csv?: () => readonly (readonly (string | number | boolean | null)[])[];
}

/** @throws PtflameError BAD_OPTION if two forms are asked for */
export function refuseBoth({ json, csv }: { readonly json: boolean; readonly csv: boolean }): void {
  if (!json || !csv) return;
  throw new PtflameError('BAD_OPTION', '--json and --csv cannot both be had', { hint: 'leave one out' });
}

export async function writeAnswer(
  forms: AnswerForms,
  { json, csv = false }: { readonly json: boolean; readonly csv?: boolean },
): Promise<void> {
  const pieces = () => [json ? jsonText(forms.json()) : csv && forms.csv ? csvText(forms.csv()) : plain(forms.text())];
  await writeAll([{ output: await openOutput('-'), pieces }]);
}

function plain(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}

function jsonText(answer: unknown): string {
  return `${safeJson(JSON.stringify(answer, null, 2))}\n`;
}

/** A name that begins as a formula does must not become one in a spreadsheet. */
function csvText(rows: readonly (readonly (string | number | boolean | null)[])[]): string {
  const cast = { boolean: String, string: visibleText }; // true and false, not 1 and nothing
  return stringify(rows as (string | number | boolean | null)[][], { escape_formulas: true, cast });
}
