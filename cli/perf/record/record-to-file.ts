/**
 * Carries out a plan: writes the recording and its notes, or fails and restores what was there before.
 */
import { createWriteStream } from 'node:fs';
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { finished } from 'node:stream/promises';
import { PtflameError } from '../../../src/model/errors.js';
import { safeJson } from '../../../src/model/safe-json.js';
import { PTFLAME_VERSION } from '../../../src/model/version.js';
import { formatBytes, formatDuration } from '../../../src/render/format.js';
import { notesPath } from '../../input/data-file.js';
import { newFileMode } from '../../output/new-file-mode.js';
import { createTemporaryFile } from '../../output/temporary-files.js';
import { RecordingDisplay } from '../../terminal/recording-line.js';
import { perfFailure } from '../failures/failures.js';
import { checkSpace } from '../plan/check-space.js';
import type { RecordingPlan } from '../plan/recording-plan.js';
import { targetText } from '../plan/target.js';
import { checkWakings, withEvents } from './events/with-events.js';
import type { RecordingContext } from './recording-context.js';
import { flushToDisk, inspectRecording, type RecordingFile } from './recording-file.js';
import type { RecordingNotes } from './recording-notes.js';
import { setAside } from './replaced-recording.js';
import { type RecordingEnd, runRecording } from './run-recording.js';

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
