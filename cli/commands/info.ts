/**
 * `ptflame info`: shows what an input is and contains, decodes a sample of a recording, and names the next command.
 */

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { PtflameError, systemReason } from '../../src/model/errors.js';
import { SymbolKind } from '../../src/model/symbol-table.js';
import { mainOfWakings } from '../../src/perfdata/beside.js';
import { dataFilePath, firstBytes, openRecording, openSides } from '../../src/perfdata/open-recording.js';
import { isGzip, isPack, isRecording, PACK_PATHS } from '../../src/perfdata/recognize.js';
import type { Recording } from '../../src/perfdata/recording.js';
import { detectInputKind, openTraceFile } from '../../src/pipeline/open-text.js';
import { readProfile } from '../../src/pipeline/profile/read-profile.js';
import { formatBytes, formatCount, formatDuration } from '../../src/render/format.js';
import { inferredShareText } from '../../src/render/quality-summary.js';
import { visibleText as escapeForTerminal, shellWords } from '../../src/render/visible-text.js';
import { isTraceFile } from '../../src/trace/file/format.js';
import { describeRecording, sampleDecoding } from '../info/describe-recording.js';
import type { RecordingInfo } from '../info/recording-info.js';
import { recordingLines } from '../info/recording-lines.js';
import { describeCall, readCaptures } from '../input/captures.js';
import { beginning, isFolderOfTables, otherKind } from '../input/other-kinds.js';
import { decoding, decodingWords, general, outputs, symfs } from '../options/shared.js';
import { path } from '../options/values.js';
import { type AnswerFormats, answerFormats, openAnswer } from '../output/answer.js';
import { refuseOverwriting, statOrNull } from '../output/refuse-overwriting.js';
import { alignColumns } from '../terminal/table.js';
import { defineCommand } from '../usage/define-command.js';
import { flag, group } from '../usage/flag.js';

/** The options of `ptflame info`. */
export const InfoOptions = z.object({
  file: path,
  ...group('Output', {
    output: outputs('write FILE.txt or .json instead of printing; may be repeated'),
    json: flag(z.boolean().default(false), 'print JSON, for programs: docs/perf-data.md', {
      common: 'print JSON, for programs',
    }),
  }),
  ...group('Input', { symfs, wakes: decoding().wakes }),
  ...general(),
});
export type InfoOptions = z.infer<typeof InfoOptions>;

export const command = defineCommand({
  examples: [
    ['ptflame info perf.data', 'machine, settings, losses, threads, and the cost of decoding'],
    ['ptflame info fleet', 'a folder of tables; any other input, too'],
  ],
  arguments: [
    {
      property: 'file',
      placeholder: 'FILE',
      description: 'any input: a recording, a pack, a trace, text, a profile, a levels file, a folder of tables',
      isFile: true,
    },
  ],
  schema: InfoOptions,
  formats: answerFormats,
  run: info,
});

export async function info(options: InfoOptions, signal: AbortSignal): Promise<void> {
  const { file } = options;
  if (file !== '-') refuseOverwriting([file], options.output ?? ['-']);
  const output = await openAnswer(options, [file]);
  const answer = await answerOf(options, signal);
  await output.write(answer);
}

async function answerOf(options: InfoOptions, signal: AbortSignal): Promise<AnswerFormats> {
  const { file } = options;
  const first = firstBytes(file);
  if (isTraceFile(first)) return traceAnswer(file);
  const other = file === '-' || isRecording(first) || isPack(first) ? null : await otherInfo(file, signal);
  if (other === null) {
    if (isGzip(first) && !isPack(first)) await refuseCompressed(file);
    return recordingAnswer(options, signal);
  }
  return { json: () => other, text: () => otherLines(other) };
}

/** @throws PtflameError for what gzip compressed that is damaged, or may not be compressed */
async function refuseCompressed(file: string): Promise<void> {
  const { openTraceFile } = await import('../../src/pipeline/open-text.js');
  try {
    for await (const _ of (await openTraceFile(file)).bytes) return;
  } catch (cause) {
    if (cause instanceof PtflameError) throw cause;
    throw new PtflameError(
      'INPUT_UNREADABLE',
      `${file} is damaged: gzip cannot decompress it (${systemReason(cause)})`,
      {
        hint: `copy it again from where it was made; gzip -t ${shellWords([file])} checks it`,
        cause,
      },
    );
  }
}

async function recordingAnswer(options: InfoOptions, signal: AbortSignal): Promise<AnswerFormats> {
  const { file, symfs = null, wakes } = options;
  const { recording, path, root } = await open(file, signal);
  const shownPath = root === null ? path : PACK_PATHS.recording;
  const sides = await openSides({ name: file, path, shownPath, recording }, wakes, signal);
  const sampled = sampleDecoding(recording, { path: dataFilePath(path), symfs: root ?? symfs });
  const described = describeRecording(file, recording, sides, sampled);
  return {
    json: () => described,
    text: () => [...recordingLines(described), '', `next: ${nextStep(described, decodingWords(options))}`],
  };
}

/** A command to go on with. */
function nextStep({ file, settings, samples, aux }: RecordingInfo, options: readonly string[]): string {
  const main = mainOfWakings(file);
  if (main !== null) return `ptflame waits ${shellWords([main])}: its wakings are in this file`;
  if (settings !== null && aux.bytes > 0) return drawing([file, ...options]);
  if (samples.events.length > 0) return `ptflame waits ${shellWords([file, ...options])}: it has no Intel PT trace`;
  return 'ptflame record traces calls; this recording has no Intel PT trace';
}

function drawing(words: readonly string[]): string {
  return `ptflame render ${shellWords(words)} -o flame.html`;
}

async function traceAnswer(file: string): Promise<AnswerFormats> {
  const { traceInfo, importedLines } = await import('../info/trace-info.js');
  const described = traceInfo(file);
  const next = described.events === 0 ? `ptflame waits ${shellWords([file])}` : drawing([file]);
  return { json: () => described, text: () => [...importedLines(described), '', `next: ${next}`] };
}

/** A recording, its file, and the directory of its binaries if it came in a pack. */
interface OpenedRecording {
  readonly recording: Recording;
  readonly path: string;
  readonly root: string | null;
}

async function open(path: string, signal: AbortSignal): Promise<OpenedRecording> {
  if (path === '-')
    throw new PtflameError('BAD_OPTION', 'a recording cannot be read from a pipe', { hint: 'pass its file' });
  if (isPack(firstBytes(path))) {
    const { unpack } = await import('../perf/unpack.js');
    const unpacked = await unpack(path, undefined, signal);
    const recording = await openRecording(unpacked.path, { signal, name: `the recording in ${path}` });
    return { recording, path: unpacked.path, root: unpacked.symfs };
  }
  return { recording: await openRecording(path, { signal }), path, root: null };
}

/** What `ptflame info --json` prints of such an input. */
export interface OtherInfo {
  readonly format: 'ptflame-input-info';
  readonly version: 1;
  readonly file: string;
  readonly kind: 'text' | 'profile' | 'levels' | 'tables' | 'captures';
  /** null: a folder. */
  readonly sizeBytes: number | null;
  /** Facts as they are printed. */
  readonly facts: readonly (readonly [name: string, text: string])[];
  /** A command to go on with. */
  readonly next: string;
}

type Facts = Pick<OtherInfo, 'kind' | 'facts' | 'next'>;

/**
 * Describes inputs other than recordings and imported traces, without reading all of them: text, profiles, levels files and
 * folders of tables. Returns null for what cannot be described either.
 *
 * @throws PtflameError INPUT_KIND for a file that ptflame does not read, which it names
 */
async function otherInfo(path: string, signal: AbortSignal): Promise<OtherInfo | null> {
  const stats = statOrNull(path);
  const described =
    stats === null
      ? null
      : stats.isDirectory()
        ? (captures(path) ?? tables(path))
        : stats.isFile()
          ? await file(path, signal)
          : null;
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
  captures: 'snapshots of slow calls',
} as const;

export function otherLines({ file, kind, sizeBytes, facts, next }: OtherInfo): string[] {
  const size = sizeBytes === null ? '' : `, ${formatBytes(sizeBytes)}`;
  const rows = [['file', `${file}, ${KINDS[kind]}${size}`], ...facts.map((fact) => [...fact]), ['next', next]];
  return alignColumns(rows, ['left', 'left']).map(escapeForTerminal);
}

const MAX_LISTED = 10;

function captures(path: string): Facts | null {
  const found = readCaptures(path);
  if (found === null) return null;
  const { triggers, snapshots, unfinished } = found;
  const names = [...new Set(triggers.map((line) => line.function))];
  return {
    kind: 'captures',
    facts: [
      ['function', names.join(', ')],
      ['triggers', formatCount(triggers.length)],
      ['snapshots', formatCount(snapshots.length)],
      ...snapshots.slice(0, MAX_LISTED).map((each) => [each.file, describeCall(each)] as const),
      ...unfinished.map((name) => [name, 'perf still writes it; or ptflame was killed, then remove it'] as const),
    ],
    next: `ptflame report ${shellWords([path])} opens the slowest; ptflame waits if it was recorded with --no-trace`,
  };
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
  const inferred = inferredShareText(quality, meta);
  return {
    kind: 'profile',
    facts: [
      ['time', meta.weight === 'calls' ? 'no times, only calls' : formatDuration(meta.endNs - meta.startNs)],
      ['threads', formatCount(threads.length)],
      ['functions', formatCount(symbols.kind.filter((kind) => kind !== SymbolKind.Synthetic).length)],
      ['events', formatCount(quality.events)],
      ...(inferred === null ? [] : [['inferred', inferred] as const]),
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
