/**
 * Writes an answer as text, JSON, comma-separated values or spans: to standard output, or to the files of `-o`.
 */
import { stringify } from 'csv-stringify/sync';
import { PtflameError } from '../../src/model/errors.js';
import { safeJson } from '../../src/model/text.js';
import { visibleText } from '../../src/render/visible-text.js';
import { notify } from '../terminal/notify.js';
import { fileWidth, fitted, tableWidth } from '../terminal/width.js';
import { type AnswerFile, type AnswerFormat, type AnswerOptions, answerFiles } from './answer-files.js';
import { showStep } from './formats.js';
import { isStandardOutput, isTerminal, type Output, openOutput, writeAll } from './outputs.js';
import type { Chunks } from './write-chunks.js';
import { sizeLine } from './written-files.js';

export interface AnswerFormats {
  readonly json: () => unknown;
  /** `width`: of the terminal, or of lines in a file. */
  readonly text: (width: number) => Iterable<string>;
  /** Rows of values, titles first. */
  readonly csv?: () => readonly (readonly (string | number | boolean | null)[])[];
  /** Spans, for other tools. */
  readonly otlp?: () => Chunks;
  readonly perfetto?: () => Chunks;
}

/** An answer whose outputs are open, before the work for it begins. */
export interface OpenedAnswer {
  readonly hasOutputs: boolean;
  readonly formats: readonly AnswerFormat[];
  /** Also says which files were written. */
  write(formats: AnswerFormats): Promise<void>;
}

/** `inputs`: paths that are read. @throws PtflameError as `answerFiles` and `openOutput`; BAD_OPTION for bytes to a terminal */
export async function openAnswer(options: AnswerOptions, inputs: readonly string[]): Promise<OpenedAnswer> {
  const files = answerFiles(options);
  if (files.some(({ path, format }) => format === 'perfetto' && isTerminal(path)))
    throw new PtflameError('BAD_OPTION', 'a trace for Perfetto is binary and cannot be printed to a terminal', {
      hint: 'write it to a file: -o requests.pftrace, and open that at https://ui.perfetto.dev',
    });
  const opened: { output: Output; file: AnswerFile }[] = [];
  for (const file of files) opened.push({ output: await openOutput(file.path, inputs), file });
  return {
    hasOutputs: files.length > 0,
    formats: files.map(({ format }) => format),
    async write(formats) {
      await writeAll(opened.map(({ output, file }) => ({ output, chunks: () => chunksOf(formats, file) })));
      if (!options.quiet) for (const line of await writtenLines(files)) notify(line);
    },
  };
}

async function writtenLines(files: readonly AnswerFile[]): Promise<string[]> {
  const lines = await Promise.all(files.map(({ path }) => sizeLine(path)));
  const spans = files.find(({ path, format }) => format === 'perfetto' && !isStandardOutput(path));
  return [...lines.filter((line) => line !== null), ...(spans ? [`next: ${showStep('perfetto', spans.path)}`] : [])];
}

function chunksOf(formats: AnswerFormats, { path, format }: AnswerFile): Chunks {
  if (format === 'json') return [jsonText(formats.json())];
  if (format === 'csv' && formats.csv) return [csvText(formats.csv())];
  if (format === 'otlp' && formats.otlp) return formats.otlp();
  if (format === 'perfetto' && formats.perfetto) return formats.perfetto();
  if (!isStandardOutput(path)) return endedLines(formats.text(fileWidth()));
  return endedLines(fitted(formats.text(tableWidth()), process.stdout));
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
