/**
 * Carries out a plan: writes the recording and its notes, or fails and restores what was there before.
 */

import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { readdir, readFile, rename, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, resolve } from 'node:path';
import { finished } from 'node:stream/promises';
import { PtflameError, systemReason } from '../../src/model/errors.js';
import { safeJson } from '../../src/model/text.js';
import { PTFLAME_VERSION } from '../../src/model/version.js';
import { formatsPath, notesPath, wakingsPath } from '../../src/perfdata/beside.js';
import { firstBytes } from '../../src/perfdata/open-recording.js';
import { formatBytes, formatDuration } from '../../src/render/format.js';
import { newFileMode } from '../output/new-file-mode.js';
import { statOrNull } from '../output/refuse-overwriting.js';
import { createTemporaryFile } from '../output/temporary-files.js';
import { perfFailure } from '../perf/failures.js';
import { RecordingDisplay } from '../terminal/recording-line.js';
import { canLock, totalBytes } from './buffers.js';
import { areFormats } from './event-formats.js';
import { freeDiskBytes, type Machine } from './machine/probe.js';
import { flushToDisk, inspectRecording, type RecordingFile } from './recording-file.js';
import type { RecordingNotes } from './recording-notes.js';
import type { RecordingContext, RecordingPlan } from './recording-plan.js';
import { type RecordingEnd, runRecording } from './run-recording.js';
import { targetText } from './target.js';
import { checkWakings, withEvents } from './with-events.js';

/** Records. The file decides whether that succeeded, not perf's exit code. */
export async function recordToFile(plan: RecordingPlan, context: RecordingContext): Promise<RecordingNotes> {
  await checkSpace(plan, context.machine, context.notify);
  const replaced = await setAside(plan.output);
  const recorded = await record(plan, context).catch(async (error: unknown) => {
    await replaced.restore();
    throw error;
  });
  await replaced.keep();
  for (const line of recorded.lines) context.notify(line);
  return recorded.notes;
}

async function record(plan: RecordingPlan, context: RecordingContext) {
  const { notify } = context;
  notify(`recording ${targetText(plan.target)}${lengthText(plan)}; Ctrl-C stops and keeps it`);
  const end = await withEvents(plan, context, () => runDisplayed(plan, context));
  const file = await inspectRecording(plan.dataFile);
  if (!file?.isComplete) throw noRecording(plan, end, file);
  end.stderr.release();
  end.stderr.end();
  await flushToDisk(plan.output);
  if (plan.wakings !== null) await checkWakings(plan.wakings.output, notify);
  const notes = notesOf(plan, end, context);
  await writeNotes(plan.output, notes);
  const lines = [...endLines(plan, end, notes, file), ...(await wakingsLines(plan))];
  return { notes, lines };
}

/** Records with a status line; a recorded command has the terminal to itself. */
async function runDisplayed(
  plan: RecordingPlan,
  { notify, timeouts, quiet = false }: RecordingContext,
): Promise<RecordingEnd> {
  const { dataFile: path, timeMs, target } = plan;
  const display = new RecordingDisplay({ path, timeMs, isQuiet: quiet || target.kind === 'command' }, notify);
  try {
    return await runRecording(plan, display.notify, timeouts, display);
  } finally {
    display.stop();
  }
}

function lengthText({ timeMs }: RecordingPlan): string {
  return timeMs === null ? '' : ` for ${formatDuration(timeMs * 1e6)}`;
}

/** Returns the error for a perf that left no recording or an incomplete one. */
function noRecording(plan: RecordingPlan, end: RecordingEnd, file: RecordingFile | null): PtflameError {
  const stderr = end.stderr.text;
  if (end.wasKilled)
    return new PtflameError('PERF_KILLED', 'perf did not stop and had to be killed', {
      hint: 'check whether the disk hangs; or record less: a shorter -t, a smaller -m',
    });
  if (end.endedBy === 'interrupt' && !end.hasBegun)
    return new PtflameError('INTERRUPTED', 'stopped before perf began to record', { hint: 'nothing was written' });
  if (end.exitCode !== 0 || end.signal !== undefined) return perfFailure({ command: 'record', ...end, stderr });
  const what = file === null ? 'wrote no recording' : `left an incomplete recording (${formatBytes(file.bytes)})`;
  return new PtflameError('PERF_FAILED', `perf ${what}: ${plan.dataFile}`, { hint: 'check for a full disk: df -h' });
}

function endLines(
  { target, output, snapshots }: RecordingPlan,
  end: RecordingEnd,
  { workload, durationNs }: RecordingNotes,
  { bytes }: RecordingFile,
): string[] {
  const lines = workload === null || target.kind !== 'command' ? [] : workloadLines(workload);
  if (end.endedBy === 'target' && target.kind !== 'command') lines.push(`${targetText(target)} ended`);
  if (snapshots === 'by-signal' && end.snapshots === 0) lines.push('no snapshot was taken');
  return [...lines, `wrote ${output}: ${formatDuration(durationNs)}, ${formatBytes(bytes)}`];
}

/** The recording of wakings must be copied with the other one. */
async function wakingsLines({ wakings }: RecordingPlan): Promise<string[]> {
  const file = wakings && (await inspectRecording(wakings.output));
  return file ? [`wrote ${wakings.output}: ${formatBytes(file.bytes)}, the wakings of the whole machine`] : [];
}

function workloadLines({ exitCode, signal }: NonNullable<RecordingNotes['workload']>): string[] {
  if (signal !== null) return [`the workload was killed by ${signal}`];
  return exitCode === 0 ? [] : [`the workload exited with code ${exitCode}`];
}

function notesOf(plan: RecordingPlan, end: RecordingEnd, { machine, version }: RecordingContext): RecordingNotes {
  return {
    format: 'ptflame-recording',
    version: 1,
    ptflame: PTFLAME_VERSION,
    perf: version.text,
    host: hostname(),
    kernel: machine.kernel,
    cpu: machine.cpu.model,
    startedAt: end.startedAt.toISOString(),
    durationNs: end.durationNs,
    endedBy: end.endedBy,
    command: [...plan.command],
    event: plan.event ?? '',
    tracepoints: [...plan.tracepoints],
    probes: plan.probes?.probes.map(({ probe: { name, file, definition } }) => `${name}=${file}:${definition}`) ?? [],
    wakings: plan.wakings && [...plan.wakings.command],
    auxBytes: plan.buffers.auxBytes,
    buffers: plan.buffers.count,
    snapshots: end.snapshots,
    workload: workloadOf(plan, end),
  };
}

/** perf ends as its command did: with the same exit code, or by the same signal. */
function workloadOf(
  { target }: RecordingPlan,
  { endedBy, exitCode, signal }: RecordingEnd,
): RecordingNotes['workload'] {
  if (target.kind !== 'command' || endedBy !== 'target') return null;
  return { command: [...target.command], exitCode: exitCode ?? null, signal: signal ?? null };
}

/** As private as the recording: command lines may have passwords. */
async function writeNotes(output: string, notes: RecordingNotes): Promise<void> {
  const temporary = createTemporaryFile(resolve(notesPath(output)), { mode: newFileMode([output]) });
  const stream = createWriteStream(temporary.path, { fd: temporary.fd, flush: true });
  stream.end(`${safeJson(JSON.stringify(notes, null, 2))}\n`);
  await finished(stream);
  await temporary.rename();
}

/** A busy CPU writes 50 to 500 MB of trace per second. */
const BYTES_PER_CPU_SECOND = 200e6;
const MIN_DISK_BYTES = 128 * 1024 * 1024;
const MAX_MEMORY_SHARE = 0.8;

/**
 * Checks that there is enough memory for the buffers and enough disk space for the recording.
 *
 * @throws PtflameError if perf would run out of memory or disk space; `notify` receives warnings
 */
async function checkSpace(plan: RecordingPlan, machine: Machine, notify: (text: string) => void): Promise<void> {
  const needed = totalBytes(plan.buffers) + (plan.wakings?.bufferBytes ?? 0);
  if (needed > machine.availableBytes * MAX_MEMORY_SHARE) throw noMemory(plan, needed, machine.availableBytes);
  if (!canLock(machine, plan.buffers))
    notify(`note: the buffers (${formatBytes(needed)}) are larger than this user may lock: perf will probably refuse`);
  const free = await freeDiskBytes(plan.output);
  if (free === null) return;
  if (free < MIN_DISK_BYTES) throw noDisk(plan, free);
  const expected = expectedBytes(plan, machine);
  if (expected > free)
    notify(
      `note: this may write ${formatBytes(expected)}, but only ${formatBytes(free)} are free in ${dirname(plan.output)}`,
    );
}

/** Returns what busy CPUs would write; 0 if the recording has no time limit. */
function expectedBytes({ event, timeMs, buffers, snapshots }: RecordingPlan, { cpu }: Machine): number {
  if (event === null || timeMs === null || snapshots !== 'none') return 0;
  const cpus = Math.min(buffers.count, cpu.online.length);
  return (timeMs / 1000) * cpus * BYTES_PER_CPU_SECOND;
}

function noMemory({ buffers }: RecordingPlan, needed: number, available: number): PtflameError {
  const { count, auxBytes, dataBytes } = buffers;
  const message = `${count} buffers of ${formatBytes(auxBytes || (dataBytes ?? 0))} need ${formatBytes(needed)} of memory, but only ${formatBytes(available)} are available`;
  return new PtflameError('AUX_TOO_LARGE', message, { hint: 'use smaller buffers (-m 4M) or fewer CPUs (-C 0-3)' });
}

function noDisk({ output }: RecordingPlan, free: number): PtflameError {
  return new PtflameError('OUTPUT_UNWRITABLE', `only ${formatBytes(free)} of disk space are free for ${output}`, {
    hint: 'choose another directory with -o',
  });
}

/**
 * Sets aside an earlier recording with the output's name. It replaces the ".old" recording only when the new one is complete.
 */
interface ReplacedRecording {
  /** Makes it the ".old" recording; call it when the new recording is complete. */
  keep(): Promise<void>;
  /** Moves it back; call it when there is no new recording. */
  restore(): Promise<void>;
}

/** Files next to a recording, which are moved and removed with it. */
const SIDE_FILES = [
  { path: notesPath, isOurs: areNotes },
  { path: wakingsPath, isOurs: areWakings },
  { path: formatsPath, isOurs: async (path: string) => areFormats(firstBytes(path)) },
];

/**
 * Moves the recording at `output` aside, with the files next to it.
 *
 * @throws PtflameError OUTPUT_UNWRITABLE if the output is not a recording, or is read-only
 */
async function setAside(output: string): Promise<ReplacedRecording> {
  const old = `${output}.old`;
  for (const path of [output, old]) await refuseOtherFiles(path);
  const aside = `${output}.${randomUUID().slice(0, 8)}.old`;
  await move(output, aside);
  return {
    async keep() {
      if ((await kindOf(aside)) !== 'recording') return remove(aside);
      await remove(old);
      await move(aside, old);
    },
    async restore() {
      await remove(output);
      await move(aside, output);
    },
  };
}

/** Moves what exists of a recording and the files next to it. */
async function move(from: string, to: string): Promise<void> {
  try {
    await rename(from, to).catch(ignoreMissing);
    for (const { path } of SIDE_FILES) await rename(path(from), path(to)).catch(ignoreMissing);
  } catch (cause) {
    throw new PtflameError('OUTPUT_UNWRITABLE', `cannot move ${from} to ${to}: ${systemReason(cause)}`, {
      hint: 'choose another name with -o',
      cause,
    });
  }
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}

const MAGICS = ['PERFILE2', '2ELIFREP'];
type Kind = 'recording' | 'empty' | 'other' | 'nothing';

async function kindOf(path: string): Promise<Kind> {
  const stats = statOrNull(path);
  if (stats === null) return 'nothing';
  if (stats.isFile() && stats.size === 0) return 'empty';
  if (!stats.isFile() && !(await isPerfDirectory(path))) return 'other';
  return MAGICS.includes(Buffer.from(firstBytes(path).subarray(0, 8)).toString('latin1')) ? 'recording' : 'other';
}

/** Returns whether `perf record --kcore` made this directory: with any other file in it, it is never removed. */
async function isPerfDirectory(path: string): Promise<boolean> {
  const names: string[] = await readdir(path).catch(() => []);
  return names.includes('data') && names.every((name) => name === 'data' || /^kcore_dir/.test(name));
}

const ANY_WRITE_PERMISSION = 0o222;

/** Only recordings, their notes and empty files may be moved or replaced. */
async function refuseOtherFiles(path: string): Promise<void> {
  if ((await kindOf(path)) === 'other') throw unwritable(`${path} already exists and is not a recording`);
  const stats = statOrNull(path);
  if (stats?.isFile() && (stats.mode & ANY_WRITE_PERMISSION) === 0) throw unwritable(`${path} is read-only`);
  for (const side of SIDE_FILES) await refuseOtherSideFile(side.path(path), side.isOurs);
}

/** An empty file is what an interrupted recording leaves. */
async function refuseOtherSideFile(path: string, isOurs: (path: string) => Promise<boolean>): Promise<void> {
  const stats = statOrNull(path);
  if (stats === null || (stats.isFile() && (stats.size === 0 || (await isOurs(path))))) return;
  throw unwritable(`${path} already exists and was not written by ptflame`);
}

async function areNotes(path: string): Promise<boolean> {
  return (await readFile(path, 'latin1')).includes('"format": "ptflame-recording"');
}

/** A recording with notes of its own is not part of another. */
async function areWakings(path: string): Promise<boolean> {
  return (await kindOf(path)) === 'recording' && statOrNull(notesPath(path)) === null;
}

function unwritable(message: string): PtflameError {
  return new PtflameError('OUTPUT_UNWRITABLE', message, { hint: 'move it away, or choose another name with -o' });
}

/** Removes a recording and the files next to it. */
async function remove(recording: string): Promise<void> {
  const stats = statOrNull(recording);
  if (stats?.isFile() || (await isPerfDirectory(recording))) await rm(recording, { recursive: true, force: true });
  for (const { path } of SIDE_FILES) await rm(path(recording), { force: true });
}
