/**
 * Which command writes what, by the names of files: an output that is named like the file of another command is refused,
 * with that command.
 */
import { PtflameError } from '../../src/model/errors.js';
import { shellWords } from '../../src/render/visible-text.js';

interface Kind {
  readonly name: RegExp;
  /** Writes it: words between "ptflame" and its path. */
  readonly command: string;
  /** As a clause: "draws a page". */
  readonly does: string;
}

const RECORDING: Kind = { name: /\.data$/, command: 'record -p PID -o', does: 'records' };

const KINDS: readonly Kind[] = [
  { name: /^parquet:/, command: 'export INPUT --to', does: 'writes a folder of tables' },
  { name: /\.(?:html?)$/, command: 'render INPUT -o', does: 'draws a page' },
  { name: /\.svg$/, command: 'render INPUT -o', does: 'draws a picture' },
  { name: /\.folded$/, command: 'render INPUT -o', does: 'writes folded stacks' },
  { name: /\.pb\.gz$/, command: 'render INPUT -o', does: 'writes a profile for pprof' },
  {
    name: /\.callgrind$|(?:^|\/)callgrind\.out(?:\.[^/]*)?$/,
    command: 'render INPUT -o',
    does: 'writes a profile for KCachegrind',
  },
  { name: /\.pftrace$/, command: 'render INPUT -o', does: 'writes calls for Perfetto' },
  { name: /\.(?:firefox|speedscope)\.json$/, command: 'render INPUT -o', does: 'writes calls for that viewer' },
  { name: /\.parquet$/, command: 'render INPUT -o', does: 'writes a table of all calls' },
  { name: /\.json$/, command: 'render INPUT -o', does: 'writes a profile' },
  { name: /\.(?:csv|txt)$/, command: 'report INPUT -o', does: 'writes the table of functions' },
  { name: /\.jsonl$/, command: 'requests ROOT INPUT -o', does: 'writes requests as spans' },
  { name: /\.ptf$/, command: 'import INPUT -o', does: 'writes an imported trace' },
  { name: /\.pack$/, command: 'pack RECORDING -o', does: 'packs a recording' },
  RECORDING,
  { name: /\.levels$/, command: 'serve TRACE.ptf --levels', does: 'keeps all calls there' },
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
  const name = path.toLowerCase();
  return KINDS.find((kind) => kind.name.test(name)) ?? null;
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

const RENDERED = /^\.(?:svg|html?|folded|txt|json)$/;

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
  const other = RENDERED.test(ending) ? `to render it as well: --render ${shellWords([output])}` : writer;
  throw new PtflameError(
    'BAD_OPTION',
    `-o names the recording (perf.data), but ${output} ends like another kind of file`,
    { hint: `choose a name without ${ending}: -o perf.data${other === null ? '' : `; ${other}`}` },
  );
}
