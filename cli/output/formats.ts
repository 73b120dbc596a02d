/**
 * What commands write, by the names of files: the formats of `render`, and how option and name choose one; a name like
 * that of another command's file is refused, with that command. renderers.ts loads what writes the formats.
 */
import { basename } from 'node:path';
import { PtflameError } from '../../src/model/errors.js';
import { shellWords } from '../../src/render/visible-text.js';

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
  /** What `render` does, as a clause. */
  readonly does: string;
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
  folded: { does: 'writes folded stacks', endings: ['.folded', '.txt'] },
  svg: { does: 'draws a picture', endings: ['.svg'] },
  html: { does: 'draws a page', endings: ['.html', '.htm'] },
  json: { does: 'writes a profile', endings: ['.json'] },
  parquet: { does: 'writes a table of all calls', endings: ['.parquet'], isBinary: true },
  pprof: {
    does: 'writes a profile for pprof',
    endings: ['.pb.gz'],
    isBinary: true,
    shownBy: ['go', 'tool', 'pprof', '-http=:'],
  },
  callgrind: {
    does: 'writes a profile for KCachegrind',
    endings: ['.callgrind'],
    names: /^callgrind\.out(?:\.|$)/,
    shownBy: ['callgrind_annotate', '--inclusive=yes'],
  },
  perfetto: {
    does: 'writes calls for Perfetto',
    endings: ['.pftrace'],
    isBinary: true,
    shownAt: 'https://ui.perfetto.dev',
  },
  firefox: {
    does: 'writes calls for that viewer',
    endings: ['.firefox.json'],
    shownAt: 'https://profiler.firefox.com',
  },
  speedscope: {
    does: 'writes calls for that viewer',
    endings: ['.speedscope.json'],
    shownAt: 'https://www.speedscope.app',
  },
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

/** Returns the format of `render` that has such names. */
export function formatOfName(path: string): Format | null {
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

/** What a command writes. */
interface Kind {
  /** Words between "ptflame" and its path. */
  readonly command: string;
  /** As a clause: "draws a page". */
  readonly does: string;
}

const RECORDING: Kind = { command: 'record -p PID -o', does: 'records' };

/** What other commands than `render` write; its text is folded stacks, so a table is not what its name promises. */
const OF_COMMANDS: readonly (readonly [names: RegExp, kind: Kind])[] = [
  [/^parquet:/, { command: 'export INPUT --to', does: 'writes a folder of tables' }],
  [/\.(?:csv|txt)$/, { command: 'report INPUT -o', does: 'writes the table of functions' }],
  [/\.jsonl$/, { command: 'requests ROOT INPUT -o', does: 'writes requests as spans' }],
  [/\.ptf$/, { command: 'import INPUT -o', does: 'writes an imported trace' }],
  [/\.pack$/, { command: 'pack RECORDING -o', does: 'packs a recording' }],
  [/\.data$/, RECORDING],
  [/\.levels$/, { command: 'serve TRACE.ptf --levels', does: 'keeps all calls there' }],
];

/** Not written by any command. */
const FOREIGN = /\.(?:gz|tar|tgz|zst|zip|png|jpe?g|gif|pdf)$/;

const IS_URL = /^[a-z][a-z0-9+.-]*:\/\//i;

/** "ptflame render INPUT -o x.html draws a page"; null: the name says nothing. `inputs`: if known. */
export function whatWrites(path: string, inputs: readonly string[] = []): string | null {
  const kind = kindOf(path);
  if (kind === null) return null;
  const named = inputs.length === 1 && !/ROOT|TRACE|PID/.test(kind.command) ? shellWords(inputs) : null;
  const command = named === null ? kind.command : kind.command.replace(/INPUT|RECORDING/, () => named);
  return `ptflame ${command} ${shellWords([path])} ${kind.does}`;
}

function kindOf(path: string): Kind | null {
  const other = OF_COMMANDS.find(([names]) => names.test(path.toLowerCase()));
  if (other !== undefined) return other[1];
  const format = formatOfName(path);
  return format && { command: 'render INPUT -o', does: FILES_OF[format].does };
}

/** What a command writes with an option. */
interface OwnKind {
  /** "import writes an imported trace". */
  readonly does: string;
  /** A name for it, with its ending: "trace.ptf". */
  readonly example: string;
  readonly option: string;
}

/** @throws PtflameError BAD_OPTION for a name that promises another kind of file */
export function refuseOtherName(
  path: string,
  { does, example, option }: OwnKind,
  inputs: readonly string[] = [],
): void {
  refuseUrl(path);
  const ending = example.slice(example.lastIndexOf('.'));
  const isOther = kindOf(path) !== null || FOREIGN.test(path.toLowerCase());
  if (!isOther || path.toLowerCase().endsWith(ending)) return;
  const other = whatWrites(path, inputs);
  throw new PtflameError('BAD_OPTION', `${does}, but ${path} is named like another kind of file`, {
    hint: `${other === null ? '' : `${other}; `}here, name it such as ${option} ${example}`,
  });
}

/** @throws PtflameError BAD_OPTION for an address, where a file is wanted */
export function refuseUrl(path: string): void {
  if (!IS_URL.test(path)) return;
  throw new PtflameError('BAD_OPTION', `${path} is an address, and ptflame writes files only`, {
    hint: 'name a file, and copy it from there',
  });
}

/** A recording may not be named like what is made of one. @throws PtflameError BAD_OPTION */
export function refuseRecordingName(output: string): void {
  if (output === '-')
    throw new PtflameError('BAD_OPTION', 'a recording cannot be written to standard output', {
      hint: 'pass a file: -o perf.data',
    });
  refuseUrl(output);
  const name = output.toLowerCase();
  const isOther = FOREIGN.test(name) || (kindOf(output) ?? RECORDING) !== RECORDING;
  if (!isOther) return;
  const ending = /\.[^./]*$/.exec(name)?.[0] ?? '';
  const writer = whatWrites(output, ['perf.data']);
  const isRendered = OWN_FORMATS.some((format) => format === formatOfName(output));
  const other = isRendered ? `to render it as well: --render ${shellWords([output])}` : writer;
  throw new PtflameError(
    'BAD_OPTION',
    `-o names the recording (perf.data), but ${output} ends like another kind of file`,
    { hint: `choose a name without ${ending}: -o perf.data${other === null ? '' : `; ${other}`}` },
  );
}
