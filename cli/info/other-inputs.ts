/**
 * Describes inputs other than recordings and imported traces, without reading all of them: text, profiles, levels files and
 * folders of tables.
 */

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { PtflameError } from '../../src/model/errors.js';
import { SymbolKind } from '../../src/model/symbol-table.js';
import { detectInputKind, openTraceFile } from '../../src/pipeline/open-text.js';
import { readProfile } from '../../src/pipeline/profile/read-profile.js';
import { formatBytes, formatCount, formatDuration } from '../../src/render/format.js';
import { visibleText as escapeForTerminal, shellWords } from '../../src/render/visible-text.js';
import { firstBytes } from '../input/open-sides.js';
import { beginning, isFolderOfTables, otherKind } from '../input/other-kinds.js';
import { statOrNull } from '../output/refuse-overwriting.js';
import { alignColumns } from '../terminal/table.js';

/** What `ptflame info --json` prints of such an input. */
export interface OtherInfo {
  readonly format: 'ptflame-input-info';
  readonly version: 1;
  readonly file: string;
  readonly kind: 'text' | 'profile' | 'levels' | 'tables';
  /** null: a folder. */
  readonly sizeBytes: number | null;
  /** Facts as they are printed. */
  readonly facts: readonly (readonly [name: string, text: string])[];
  /** A command to go on with. */
  readonly next: string;
}

type Facts = Pick<OtherInfo, 'kind' | 'facts' | 'next'>;

/** @throws PtflameError INPUT_KIND for a file that ptflame does not read, which it names; null: it cannot be described either */
export async function otherInfo(path: string, signal: AbortSignal): Promise<OtherInfo | null> {
  const stats = statOrNull(path);
  const described =
    stats === null ? null : stats.isDirectory() ? tables(path) : stats.isFile() ? await file(path, signal) : null;
  if (described !== null)
    return {
      ...{ format: 'ptflame-input-info', version: 1, file: path },
      sizeBytes: stats?.isFile() ? stats.size : null,
      ...described,
    };
  const other = await otherKind(path);
  if (other !== null) throw new PtflameError('INPUT_KIND', `${path} is ${other.what}`, { hint: other.hint });
  return null;
}

const KINDS = {
  text: 'the text of perf script',
  profile: 'a profile of ptflame',
  levels: 'the levels file of ptflame serve',
  tables: 'a folder of tables that ptflame export wrote',
} as const;

export function otherLines({ file, kind, sizeBytes, facts, next }: OtherInfo): string[] {
  const size = sizeBytes === null ? '' : `, ${formatBytes(sizeBytes)}`;
  const rows = [['file', `${file}, ${KINDS[kind]}${size}`], ...facts.map((fact) => [...fact]), ['next', next]];
  return alignColumns(rows, ['left', 'left']).map(escapeForTerminal);
}

/** The parts of a path that `ptflame export` makes of builds and hosts. */
function tables(path: string): Facts | null {
  if (!isFolderOfTables(path)) return null;
  const files = readdirSync(join(path, 'recordings'), { recursive: true }).map(String);
  const recordings = files.filter((name) => name.endsWith('.parquet'));
  const parts = (key: string) =>
    new Set(recordings.flatMap((name) => new RegExp(`${key}=([^/]*)/`).exec(name)?.[1] ?? []));
  const name = shellWords([path]);
  return {
    kind: 'tables',
    facts: [
      ['recordings', formatCount(recordings.length)],
      ['builds', formatCount(parts('build').size)],
      ['hosts', formatCount(parts('host').size)],
    ],
    next: `ptflame fleet ${name}; ptflame merge ${name} -o fleet.html`,
  };
}

async function file(path: string, signal: AbortSignal): Promise<Facts | null> {
  if (Buffer.from(firstBytes(path)).toString('latin1', 0, 8) === '\x8fPTL\r\n\x1a\n') return levels(path);
  if ((await otherKind(path)) !== null) return null;
  const opened = await openTraceFile(path);
  const input = await detectInputKind(opened);
  return input.kind === 'profile' ? profile(path, signal) : text(path);
}

function levels(path: string): Facts {
  const trace = path.replace(/\.levels$/, '');
  return {
    kind: 'levels',
    facts: [['version', String(Buffer.from(firstBytes(path)).readUInt32LE(8))]],
    next: `ptflame serve ${trace === path ? 'TRACE.ptf' : shellWords([trace])}`,
  };
}

async function profile(path: string, signal: AbortSignal): Promise<Facts> {
  const { meta, threads, symbols, quality } = await readProfile(await openTraceFile(path), { signal });
  return {
    kind: 'profile',
    facts: [
      ['time', meta.weight === 'calls' ? 'no times, only calls' : formatDuration(meta.endNs - meta.startNs)],
      ['threads', formatCount(threads.length)],
      ['functions', formatCount(symbols.kind.filter((kind) => kind !== SymbolKind.Synthetic).length)],
      ['events', formatCount(quality.events)],
    ],
    next: render(path),
  };
}

function render(path: string): string {
  return `ptflame render ${shellWords([path])} -o flame.html`;
}

/** A branch as perf script prints it, and anything with a time. */
const BRANCH = /=>|\b(?:call|return|jmp|jcc|tr strt|tr end|syscall)\b/;
const EVENT = /\s\d+\.\d{6,9}:\s/;

const TEXT_BYTES = 64 * 1024;

async function text(path: string): Promise<Facts | null> {
  const { bytes, isPacked } = await beginning(path, TEXT_BYTES);
  const lines = Buffer.from(bytes).toString('latin1').trimEnd().split('\n');
  const branches = lines.filter((line) => BRANCH.test(line)).length;
  if (branches === 0 && !lines.some((line) => EVENT.test(line))) return null;
  const found = branches === 0 ? 'no branches' : `${formatCount(branches)} like branches`;
  return {
    kind: 'text',
    facts: [
      ['stored', isPacked ? 'compressed with gzip' : 'plain'],
      ['lines', `${found} among the first ${formatCount(lines.length)}`],
    ],
    next: branches === 0 ? `ptflame waits ${shellWords([path])}` : render(path),
  };
}
