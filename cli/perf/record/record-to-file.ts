/**
 * A plan → a recording on the disk, with its notes beside it: or an error, and what was there before.
 */
import { createWriteStream } from 'node:fs';
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { finished } from 'node:stream/promises';
import { formatBytes, formatDuration, PTFLAME_VERSION, PtflameError, safeJson } from '../../../src/text.js';
import { notesPath } from '../../input/data-file.js';
import { createTemporaryFile } from '../../output/temporary-files.js';
import { RecordingDisplay } from '../../terminal/recording-line.js';
import { perfFailure } from '../failures/failures.js';
import type { Machine } from '../machine/probe.js';
import type { PerfVersion } from '../machine/version.js';
import { checkSpace } from '../plan/check-space.js';
import type { RecordingPlan } from '../plan/recording-plan.js';
import { targetText } from '../plan/target.js';
import type { Timeouts } from './await-end.js';
import { flushRecording, inspectRecording, type RecordingFile } from './recording-file.js';
import type { RecordingNotes } from './recording-notes.js';
import { setAside } from './replaced-recording.js';
import { type RecordingEnd, runRecording } from './run-recording.js';

export interface RecordingContext {
  readonly machine: Machine;
  readonly version: PerfVersion;
  /** A line to the user. */
  readonly notify: (text: string) => void;
  readonly timeouts?: Timeouts;
  /** No line that tells how far it is. */
  readonly quiet?: boolean;
}

/** Whatever perf's exit code: the file says whether there is a recording. */
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
  notify(`recording ${targetText(plan.target)}${lengthText(plan)}; Ctrl-C ends it and keeps it`);
  const end = await runDisplayed(plan, context);
  const file = await inspectRecording(plan.dataFile);
  if (!file?.isComplete) throw noRecording(plan, end, file);
  end.stderr.release();
  end.stderr.end();
  await flushed(plan.output);
  const notes = notesOf(plan, end, context);
  await writeNotes(plan.output, notes);
  return { notes, lines: endLines(plan, end, notes, file) };
}

/** @throws PtflameError OUTPUT_UNWRITABLE: what perf wrote never reached the disk */
async function flushed(output: string): Promise<void> {
  await flushRecording(output).catch((cause: NodeJS.ErrnoException) => {
    const why = cause.code === 'ENOSPC' ? 'the disk is full' : cause.message;
    throw new PtflameError('OUTPUT_UNWRITABLE', `cannot write ${output} to the disk: ${why}`, {
      hint: 'choose another place with -o; dmesg may tell more',
      cause,
    });
  });
}

/** The terminal of a command is its own: nothing is drawn into it. */
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

/** Of a perf that left no recording, or a half of one. */
function noRecording(plan: RecordingPlan, end: RecordingEnd, file: RecordingFile | null): PtflameError {
  const stderr = end.stderr.text;
  if (end.wasKilled)
    return new PtflameError('PERF_KILLED', 'perf did not end when it was asked to, and had to be killed', {
      hint: 'look at what it waits for: a disk that hangs, or a smaller recording with -t and -m',
    });
  if (end.endedBy === 'interrupt' && !end.hasBegun)
    return new PtflameError('INTERRUPTED', 'stopped before perf had begun to record', { hint: 'nothing was written' });
  if (end.exitCode !== 0 || end.signal !== undefined) return perfFailure({ command: 'record', ...end, stderr });
  const what = file === null ? 'wrote nothing' : `left ${formatBytes(file.bytes)} without an end`;
  return new PtflameError('PERF_FAILED', `perf ${what} at ${plan.dataFile}`, { hint: 'is the disk full? df -h' });
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

function workloadLines({ exitCode, signal }: NonNullable<RecordingNotes['workload']>): string[] {
  if (signal !== null) return [`the workload was ended by ${signal}`];
  return exitCode === 0 ? [] : [`the workload ended with exit code ${exitCode}`];
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
    event: plan.event,
    auxBytes: plan.buffers.auxBytes,
    buffers: plan.buffers.count,
    snapshots: end.snapshots,
    workload: workloadOf(plan, end),
  };
}

/** When its command has ended, perf ends as the command did: with its exit code, or by its signal. */
function workloadOf(
  { target }: RecordingPlan,
  { endedBy, exitCode, signal }: RecordingEnd,
): RecordingNotes['workload'] {
  if (target.kind !== 'command' || endedBy !== 'target') return null;
  return { command: [...target.command], exitCode: exitCode ?? null, signal: signal ?? null };
}

async function writeNotes(output: string, notes: RecordingNotes): Promise<void> {
  const temporary = createTemporaryFile(resolve(notesPath(output)));
  const stream = createWriteStream(temporary.path, { fd: temporary.fd, flush: true });
  stream.end(`${safeJson(JSON.stringify(notes, null, 2))}\n`);
  await finished(stream);
  await temporary.rename();
}
