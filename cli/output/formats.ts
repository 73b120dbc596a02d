/**
 * The output formats of `render`, and how they are chosen by option and file name. renderers.ts loads what writes them.
 */
import { basename } from 'node:path';
import { PtflameError } from '../../src/model/errors.js';
import { shellWords } from '../../src/render/visible-text.js';
import { refuseUrl, whatWrites } from './kinds.js';

/** Of comparisons, too. */
export const OWN_FORMATS = ['folded', 'svg', 'html', 'json'] as const;
export type OwnFormat = (typeof OWN_FORMATS)[number];

/** They show single calls over time, not sums: the longest ones. */
export const FORMATS_OVER_TIME = ['perfetto', 'firefox', 'speedscope'] as const;

/** Those that have single calls. */
export const FORMATS_OF_CALLS = [...FORMATS_OVER_TIME, 'parquet'] as const;

/** The others are those of other tools. */
export const FORMATS = [...OWN_FORMATS, 'pprof', 'callgrind', ...FORMATS_OF_CALLS] as const;
export type Format = (typeof FORMATS)[number];

interface FormatFiles {
  /** The first one is that of examples. */
  readonly endings: readonly string[];
  /** Names that its tools look for, whatever their endings. */
  readonly names?: RegExp;
  /** Never printed to a terminal; other formats are if `-o -` requests it. */
  readonly isBinary?: boolean;
  /** The command that shows a file, apart from its path. */
  readonly shownBy?: readonly string[];
  /** The page that opens a file. */
  readonly shownAt?: string;
}

const FILES_OF: Readonly<Record<Format, FormatFiles>> = {
  folded: { endings: ['.folded', '.txt'] },
  svg: { endings: ['.svg'] },
  html: { endings: ['.html', '.htm'] },
  json: { endings: ['.json'] },
  parquet: { endings: ['.parquet'], isBinary: true },
  pprof: { endings: ['.pb.gz'], isBinary: true, shownBy: ['go', 'tool', 'pprof', '-http=:'] },
  callgrind: {
    endings: ['.callgrind'],
    names: /^callgrind\.out(?:\.|$)/,
    shownBy: ['callgrind_annotate', '--inclusive=yes'],
  },
  perfetto: { endings: ['.pftrace'], isBinary: true, shownAt: 'https://ui.perfetto.dev' },
  firefox: { endings: ['.firefox.json'], shownAt: 'https://profiler.firefox.com' },
  speedscope: { endings: ['.speedscope.json'], shownAt: 'https://www.speedscope.app' },
};

/** Longest first: ".x.json" before ".json". */
const ENDINGS = endingsOf(FORMATS).sort(([a], [b]) => b.length - a.length);

function endingsOf<Name extends Format>(formats: readonly Name[]): (readonly [ending: string, format: Name])[] {
  return formats.flatMap((format) => FILES_OF[format].endings.map((ending) => [ending, format] as const));
}

/** ".png", ".folded"; not the ten characters that mktemp appends after a dot. */
const ENDING = /[^/]\.([a-z][a-z0-9]{0,7})$/i;

/** Returns the requested format, else the one of the file name, else folded. */
function outputFormat<Name extends Format>(
  path: string,
  format: Name | undefined,
  formats: readonly Name[],
): Name | 'folded' {
  refuseUrl(path);
  if (format !== undefined) return format;
  const known = formatOfName(path);
  if (known === null && !hasEnding(path)) return 'folded';
  const own = formats.find((name) => name === known);
  if (own !== undefined) return own;
  throw unknownEnding(
    path,
    endingsOf(formats).map(([ending]) => ending),
    ', or add --format',
  );
}

/** `more`: another way. */
export function unknownEnding(path: string, endings: readonly string[], more = ''): PtflameError {
  const other = whatWrites(path);
  return new PtflameError('BAD_OPTION', `unknown file ending: ${path}`, {
    hint: `${other === null ? 'use' : `${other}; here, use`} ${endings.join(', ')}${more}; see --help`,
  });
}

/** Whether a name has an ending, which selects a format. */
export function hasEnding(path: string): boolean {
  return ENDING.test(path) || /^parquet:/.test(path);
}

function formatOfName(path: string): Format | null {
  const name = basename(path).toLowerCase();
  const byEnding = ENDINGS.find(([ending]) => name.endsWith(ending))?.[1];
  return byEnding ?? FORMATS.find((format) => FILES_OF[format].names?.test(name)) ?? null;
}

interface OutputOptions<Name extends Format> {
  readonly output?: readonly string[] | undefined;
  readonly format?: Name | undefined;
}

/**
 * Returns the format of each output, or of standard output if none is named. `formats`: those of the command.
 *
 * @throws PtflameError BAD_OPTION
 */
export function outputFormats<Name extends Format>(
  { output = ['-'], format }: OutputOptions<Name>,
  formats: readonly Name[],
): (Name | 'folded')[] {
  return output.map((path) => outputFormat(path, format, formats));
}

/** Returns a name for a file of this format: "flame.svg". */
export function exampleName(format: Format): string {
  return `flame${FILES_OF[format].endings[0]}`;
}

export function isOverTime(format: Format): boolean {
  return FORMATS_OVER_TIME.some((name) => name === format);
}

export function isBinary(format: Format): boolean {
  return FILES_OF[format].isBinary ?? false;
}

/** Returns how to see a file of another tool: a command, or where to open it; null: it needs no words. */
export function showStep(format: Format, path: string): string | null {
  const { shownBy, shownAt } = FILES_OF[format];
  if (shownAt !== undefined) return `open ${shellWords([path])} at ${shownAt}`;
  return shownBy === undefined ? null : shellWords([...shownBy, path]);
}
