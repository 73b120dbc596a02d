/**
 * Writes an answer as text, JSON, comma-separated values or spans: to standard output, or to the files of `-o`.
 */
import { stringify } from 'csv-stringify/sync';
import { PtflameError } from '../../src/model/errors.js';
import { safeJson } from '../../src/model/text.js';
import { visibleText, visibleWithIsolates } from '../../src/render/visible-text.js';
import { notify } from '../terminal/notify.js';
import { fileWidth, fitted, tableWidth } from '../terminal/width.js';
import { formatOfName, hasEnding, refuseUrl, showStep, unknownEnding } from './formats.js';
import { type Output, openOutput, writeAll } from './outputs.js';
import type { Chunks } from './write-chunks.js';
import { isStandardOutput, isTerminal } from './write-chunks.js';
import { sizeLine } from './written-files.js';

export type CsvCell = string | number | boolean | null;

export interface AnswerFormats {
  /** Its lists may be iterables that make their elements as they are written. */
  readonly json: () => object;
  /** `width`: of the terminal, or of lines in a file. */
  readonly text: (width: number) => Iterable<string>;
  /** Rows of values, titles first. */
  readonly csv?: () => Iterable<readonly CsvCell[]>;
  /** Spans, for other tools. */
  readonly otlp?: () => Chunks;
  readonly perfetto?: () => Chunks;
}

/** An answer whose outputs are open, before the work for it begins. */
export interface OpenedAnswer {
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
  if (format === 'json') return jsonText(formats.json());
  if (format === 'csv' && formats.csv) return csvText(formats.csv());
  if (format === 'otlp' && formats.otlp) return formats.otlp();
  if (format === 'perfetto' && formats.perfetto) return formats.perfetto();
  if (!isStandardOutput(path)) return endedLines(visibleLines(formats.text(fileWidth())));
  return endedLines(fitted(visibleLines(formats.text(tableWidth())), process.stdout));
}

/** Whatever names a line has, it acts on no terminal. */
function* visibleLines(lines: Iterable<string>): Iterable<string> {
  for (const line of lines) yield visibleWithIsolates(line);
}

/** Lines take their turns together. */
const CHARACTERS_AT_ONCE = 4096;

function* endedLines(lines: Iterable<string>): Iterable<string> {
  let text = '';
  for (const line of lines) {
    text += `${line}\n`;
    if (text.length < CHARACTERS_AT_ONCE) continue;
    yield text;
    text = '';
  }
  yield text;
}

function* jsonText(answer: object): Iterable<string> {
  yield* jsonParts(answer, '');
  yield '\n';
}

/** Longer lists are written by element. */
const LONG = 100;

/**
 * Writes what `JSON.stringify(value, null, 2)` returns, long lists by element: so that Ctrl-C is heard, and elements may be made
 * as they are written.
 *
 * `indent`: of the lines after the first.
 */
function* jsonParts(value: unknown, indent: string): Iterable<string> {
  const within = `${indent}  `;
  if (isLong(value)) {
    let before = '[';
    for (const element of value) {
      yield `${before}\n${within}`;
      yield* jsonParts(element, within);
      before = ',';
    }
    yield before === '[' ? '[]' : `\n${indent}]`;
  } else if (typeof value === 'object' && value !== null && Object.values(value).some(isLong)) {
    let before = '{';
    for (const [key, own] of Object.entries(value)) {
      if (own === undefined) continue;
      yield `${before}\n${within}${safeJson(JSON.stringify(key))}: `;
      yield* jsonParts(own, within);
      before = ',';
    }
    yield `\n${indent}}`;
  } else yield safeJson((JSON.stringify(value, null, 2) ?? 'null').replaceAll('\n', `\n${indent}`));
}

function isLong(value: unknown): value is Iterable<unknown> {
  if (typeof value !== 'object' || value === null || !(Symbol.iterator in value)) return false;
  return !Array.isArray(value) || value.length > LONG;
}

const ROWS_AT_ONCE = 500;

/** Escapes names that a spreadsheet would evaluate as formulas. */
function* csvText(rows: Iterable<readonly CsvCell[]>): Iterable<string> {
  const cast = { boolean: String, string: visibleText }; // csv-stringify's defaults: 1 and ''
  const text = (some: (readonly CsvCell[])[]) => stringify(some as CsvCell[][], { escape_formulas: true, cast });
  let some: (readonly CsvCell[])[] = [];
  for (const row of rows) {
    some.push(row);
    if (some.length < ROWS_AT_ONCE) continue;
    yield text(some);
    some = [];
  }
  yield text(some);
}

/** Each with the ending of its files. */
const ENDINGS = { text: '.txt', csv: '.csv', json: '.json', otlp: '.jsonl', perfetto: '.pftrace' } as const;
/** Decides where an answer goes, and as what: `-o` names files, whose endings select formats. */
export type AnswerFormat = keyof typeof ENDINGS;

/** Those that an option of that name requests. */
const REQUESTED = ['json', 'csv', 'otlp', 'perfetto'] as const;

/** The options that choose a format or name files. A command has the formats that it has options for, and text. */
interface AnswerOptions {
  readonly json: boolean;
  readonly csv?: boolean;
  readonly otlp?: boolean;
  readonly perfetto?: boolean;
  /** Files of the answer; undefined: it is printed. */
  readonly output?: readonly string[] | undefined;
  readonly quiet: boolean;
}

interface AnswerFile {
  readonly path: string;
  readonly format: AnswerFormat;
}

/**
 * Returns where an answer goes: to files by their endings; `--json` and the like are the format of standard output and of
 * names without an ending.
 *
 * @throws PtflameError BAD_OPTION for `--json --csv`, and other endings
 */
function answerFiles(options: AnswerOptions): AnswerFile[] {
  const [requested = null, second] = REQUESTED.filter((name) => options[name]);
  if (second !== undefined)
    throw new PtflameError('BAD_OPTION', `--${requested} and --${second} are mutually exclusive`, {
      hint: 'leave one out, or write files: -o FILE.json -o FILE.csv',
    });
  const formats: AnswerFormat[] = ['text', ...REQUESTED.filter((name) => name in options)];
  const files = (options.output ?? []).map((path) => ({
    path,
    format: formatOf(path, formats) ?? requested ?? 'text',
  }));
  const isPrinted =
    options.output === undefined || (requested !== null && !files.some(({ format }) => format === requested));
  return isPrinted ? [...files, { path: '-', format: requested ?? 'text' }] : files;
}

/** For the flags that apply to some formats. */
export function answerFormats(options: AnswerOptions): AnswerFormat[] {
  return answerFiles(options).map(({ format }) => format);
}

/** Returns the format that the ending of a name selects; null: it has none. */
function formatOf(path: string, formats: readonly AnswerFormat[]): AnswerFormat | null {
  refuseUrl(path);
  if (!hasEnding(path)) return null;
  const known = formats.find((format) => path.toLowerCase().endsWith(ENDINGS[format]));
  if (known !== undefined) return known;
  throw unknownEnding(
    path,
    formats.map((format) => ENDINGS[format]),
  );
}

/** Whether a name is that of a table. */
export function isTableFile(path: string): boolean {
  return /\.(?:csv|txt)$/i.test(path) || formatOfName(path) === 'json';
}
