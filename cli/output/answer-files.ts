/**
 * Decides where an answer goes, and as what: `-o` names files, whose endings select formats.
 */
import { PtflameError } from '../../src/model/errors.js';
import { hasEnding, unknownEnding } from './formats.js';
import { refuseUrl } from './kinds.js';

/** Each with the ending of its files. */
const ENDINGS = { text: '.txt', csv: '.csv', json: '.json', otlp: '.jsonl', perfetto: '.pftrace' } as const;
export type AnswerFormat = keyof typeof ENDINGS;

/** Those that an option of that name requests. */
const REQUESTED = ['json', 'csv', 'otlp', 'perfetto'] as const;

/** The options that choose a format or name files. A command has the formats that it has options for, and text. */
export interface AnswerOptions {
  readonly json: boolean;
  readonly csv?: boolean;
  readonly otlp?: boolean;
  readonly perfetto?: boolean;
  /** Files of the answer; undefined: it is printed. */
  readonly output?: readonly string[] | undefined;
  readonly quiet: boolean;
}

export interface AnswerFile {
  readonly path: string;
  readonly format: AnswerFormat;
}

/**
 * Returns where an answer goes: to files by their endings; `--json` and the like are the format of standard output and of
 * names without an ending.
 *
 * @throws PtflameError BAD_OPTION for `--json --csv`, and other endings
 */
export function answerFiles(options: AnswerOptions): AnswerFile[] {
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
  return /\.(?:csv|json|txt)$/i.test(path) && !/\.(?:firefox|speedscope)\.json$/i.test(path);
}
