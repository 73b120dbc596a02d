/**
 * What a recording of waits and probes needs around the recording itself: probes, formats, and a second recording.
 */
import { rm } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { PtflameError } from '../../src/model/errors.js';
import { formatCount } from '../../src/render/format.js';
import { perfFailure } from '../perf/failures.js';
import { handleInterrupts } from '../process/interrupts.js';
import { withProbes } from './added-probes.js';
import { awaitEnd, TIMEOUTS, type Timeouts } from './await-end.js';
import { writeFormats } from './event-formats.js';
import { WAKING } from './machine/tracing.js';
import { type PerfExit, PerfProcess } from './perf-process.js';
import { flushToDisk, inspectRecording } from './recording-file.js';
import { ACK_MS } from './recording-interrupts.js';
import type { RecordingContext, RecordingPlan, WakingsPlan } from './recording-plan.js';

/** Runs `record` while the plan's probes exist and wakings are recorded, after their formats were written. */
export async function withEvents<Result>(
  { probes, wakings, chains, tracepoints, output }: RecordingPlan,
  { machine, notify, timeouts }: RecordingContext,
  record: () => Promise<Result>,
): Promise<Result> {
  const { directory } = machine.tracing;
  const recordBoth = () => (wakings === null ? record() : withWakings(wakings, record, notify, timeouts));
  if (directory === null || (probes === null && wakings === null)) return recordBoth();
  const writeAndRecord = async (probeEvents: readonly string[]) => {
    const events = [...tracepoints, ...probeEvents, ...(wakings === null ? [] : [WAKING])];
    await writeFormats(output, events, directory, chains !== null);
    return recordBoth();
  };
  return probes === null ? writeAndRecord([]) : withProbes(probes, directory, writeAndRecord, notify);
}

/** Flushes the recording of wakings and warns if it is not all there. */
export async function checkWakings(path: string, notify: (text: string) => void): Promise<void> {
  const file = await inspectRecording(path);
  if (!file?.isComplete) {
    await rm(path, { force: true });
    return notify('warning: perf left no recording of wakings: who woke a thread will be unknown');
  }
  await flushToDisk(path);
  const { openRecording } = await import('../../src/perfdata/open-recording.js');
  const recording = await openRecording(path).catch(() => null);
  if (recording === null) return notify(`warning: the recording of wakings is damaged: ${path}`);
  const lost = recording.lostRecords;
  if (lost > 0) notify(`warning: perf lost ${formatCount(lost)} wakings of the machine: some wakers will be unknown`);
}

/** A perf that cannot be controlled is assumed to record by then. */
const BLIND_START_MS = 500;

/**
 * Runs a second perf, which records the wakings of the whole machine while the first one records the target.
 *
 * Runs `record` between the beginning and the end of the recording of wakings. @throws PtflameError if it did not begin
 */
async function withWakings<Result>(
  plan: WakingsPlan,
  record: () => Promise<Result>,
  notify: (text: string) => void,
  timeouts: Timeouts = TIMEOUTS,
): Promise<Result> {
  const { execa } = await import('execa');
  const perf = new PerfProcess({ command: plan.command, isControlled: plan.isControlled, runsCommand: false }, execa);
  const interrupts = new KillingInterrupts(perf);
  let isExpected = false;
  void perf.exited.then(() => {
    if (!isExpected) notify('warning: the recording of wakings has ended early; later wakers will be missing');
  });
  try {
    const exit = await interrupts.during(() => begin(perf, plan, timeouts));
    if (exit !== null) isExpected = true;
    if (interrupts.haveKilled) throw stopped();
    if (exit !== null) throw notBegun(exit, perf.stderr.text);
    const result = await record();
    isExpected = true;
    await interrupts.during(() => end(perf, plan, notify, timeouts));
    return result;
  } finally {
    isExpected = true;
    perf.signalAll('SIGKILL'); // it has ended, unless something failed
    await perf.exited;
  }
}

/** Makes Ctrl-C kill perf while the recording of the target does not handle it. */
class KillingInterrupts {
  readonly #perf: PerfProcess;
  haveKilled = false;

  constructor(perf: PerfProcess) {
    this.#perf = perf;
  }

  async during<Result>(work: () => Promise<Result>): Promise<Result> {
    const release = handleInterrupts(() => {
      this.haveKilled = true;
      this.#perf.signalAll('SIGKILL');
    });
    return work().finally(release);
  }
}

/** Returns how perf ended if it did not begin. */
async function begin(
  perf: PerfProcess,
  { isControlled }: WakingsPlan,
  { startMs }: Timeouts,
): Promise<PerfExit | null> {
  const begun = isControlled
    ? await perf.send('enable', startMs)
    : await Promise.race([wait(BLIND_START_MS, true), perf.exited.then(() => false)]);
  if (begun) return null;
  perf.signalAll('SIGKILL');
  return perf.exited;
}

function notBegun(exit: PerfExit, stderr: string): PtflameError {
  const { code, message, hint, output } = perfFailure({ command: 'record', ...exit, stderr });
  return new PtflameError(code, `wakings of the whole machine cannot be recorded: ${message}`, { hint, output });
}

async function end(
  perf: PerfProcess,
  { isControlled, output }: WakingsPlan,
  notify: (text: string) => void,
  timeouts: Timeouts,
): Promise<void> {
  if (isControlled) await perf.send('disable', ACK_MS);
  perf.signal('SIGINT');
  await awaitEnd(perf, output, notify, timeouts);
}

function stopped(): PtflameError {
  return new PtflameError('INTERRUPTED', 'stopped before perf began to record', { hint: 'nothing was written' });
}
