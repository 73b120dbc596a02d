/**
 * The life of a recording: perf is started, told to begin, and ended by the time, by Ctrl-C, or by the end of its target.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { formatBytes, PtflameError } from '../../src/text.js';
import { takeInterrupts } from '../interrupts.js';
import { type PerfExit, PerfProcess } from './perf-process.js';
import { fileBytes } from './recording-file.js';
import type { RecordingPlan } from './recording-plan.js';

/** How long we wait for perf, and when we say that we do. */
export interface Patience {
  readonly startMs: number;
  readonly sayMs: number;
  /** Of a file that does not grow. */
  readonly stillMs: number;
  readonly termMs: number;
}

const PATIENCE: Patience = { startMs: 120_000, sayMs: 2_000, stillMs: 60_000, termMs: 5_000 };

export interface RecordingEnd extends PerfExit {
  readonly endedBy: 'time' | 'interrupt' | 'target';
  /** It had begun to record. */
  readonly hasBegun: boolean;
  readonly startedAt: Date;
  readonly durationNs: number;
  readonly snapshots: number;
  readonly stderr: string;
  /** It did not end when it was asked to, and was killed. */
  readonly wasKilled: boolean;
}

const ACK_MS = 5_000;
/** Without control nothing tells that perf has begun; what fails at all fails sooner. */
const BLIND_START_MS = 500;

/** @throws PtflameError INTERRUPTED at the second Ctrl-C: perf is killed then */
export async function runRecording(
  plan: RecordingPlan,
  say: (text: string) => void,
  patience = PATIENCE,
): Promise<RecordingEnd> {
  const perf = new PerfProcess({ ...plan, runsCommand: plan.target.kind === 'command' });
  const interrupts = new Interrupts(perf, say);
  const releaseSnapshots = plan.snapshots === 'by-signal' ? interrupts.takeSnapshots() : () => {};
  try {
    const spawnedAt = new Date();
    const spawnedNs = process.hrtime.bigint();
    const hasBegun = await begin(perf, plan, interrupts, say, patience);
    const [startedAt, startedNs] =
      plan.target.kind === 'command' ? [spawnedAt, spawnedNs] : [new Date(), process.hrtime.bigint()];
    const endedBy = await firstEnd(perf, plan, interrupts, hasBegun);
    const durationNs = Number(process.hrtime.bigint() - startedNs);
    const wasKilled = endedBy !== 'target' && (await stop(perf, plan, interrupts, say, patience));
    const exit = await perf.exited;
    if (interrupts.isSecond) throw interrupted();
    const { snapshots } = interrupts;
    return { ...exit, endedBy, hasBegun, startedAt, durationNs, snapshots, stderr: perf.words.text, wasKilled };
  } finally {
    interrupts.release();
    releaseSnapshots();
  }
}

/** The first Ctrl-C asks for the end, the second kills. */
class Interrupts {
  readonly #perf: PerfProcess;
  readonly #say: (text: string) => void;
  readonly release: () => void;
  readonly first: Promise<'interrupt'>;
  isFirst = false;
  isSecond = false;
  snapshots = 0;

  constructor(perf: PerfProcess, say: (text: string) => void) {
    this.#perf = perf;
    this.#say = say;
    let tell: (end: 'interrupt') => void = () => {};
    this.first = new Promise((done) => {
      tell = done;
    });
    this.release = takeInterrupts(() => {
      if (!this.isFirst) {
        this.isFirst = true;
        tell('interrupt');
      } else {
        this.isSecond = true;
        perf.killAll();
      }
    });
  }

  takeSnapshots(): () => void {
    const take = () => void this.takeSnapshot();
    process.on('SIGUSR2', take);
    return () => void process.off('SIGUSR2', take);
  }

  async takeSnapshot(): Promise<void> {
    const isTaken = await this.#perf.ask('snapshot', ACK_MS);
    if (isTaken) this.snapshots++;
    this.#say(isTaken ? `snapshot ${this.snapshots} taken` : 'perf did not answer to the wish for a snapshot');
  }
}

/** False if perf ended, or we were interrupted, before. */
async function begin(
  perf: PerfProcess,
  { isControlled, waitsForEnable }: RecordingPlan,
  interrupts: Interrupts,
  say: (text: string) => void,
  patience: Patience,
): Promise<boolean> {
  const slow = setTimeout(() => say('perf is still starting: large buffers take time'), patience.sayMs);
  const gone = Promise.race([perf.exited, interrupts.first]).then(() => false);
  const longestMs = waitsForEnable ? patience.startMs : BLIND_START_MS;
  const answer = isControlled ? perf.ask(waitsForEnable ? 'enable' : 'ping', longestMs) : wait(longestMs, true);
  const hasBegun = await Promise.race([answer, gone]);
  clearTimeout(slow);
  if (hasBegun) perf.words.release();
  if (hasBegun || interrupts.isFirst || !waitsForEnable) return hasBegun || !waitsForEnable;
  const isOver = await Promise.race([perf.exited.then(() => true), wait(0, false)]);
  if (!isOver) perf.killAll(); // it has not answered in all that time
  return false;
}

async function firstEnd(
  perf: PerfProcess,
  { timeMs }: RecordingPlan,
  { first }: Interrupts,
  hasBegun: boolean,
): Promise<RecordingEnd['endedBy']> {
  const timer = new AbortController();
  const { signal } = timer;
  const ends = [first, perf.exited.then(() => 'target' as const)];
  const time = timeMs === null || !hasBegun ? [] : [wait(timeMs, 'time' as const, { signal })];
  try {
    return await Promise.race([...ends, ...time]);
  } finally {
    timer.abort();
    for (const each of time) each.catch(() => {});
  }
}

/** True if perf had to be killed. */
async function stop(
  perf: PerfProcess,
  plan: RecordingPlan,
  interrupts: Interrupts,
  say: (text: string) => void,
  patience: Patience,
): Promise<boolean> {
  if (plan.snapshots === 'by-signal' && interrupts.snapshots === 0) await interrupts.takeSnapshot();
  if (plan.waitsForEnable) await perf.ask('disable', ACK_MS);
  perf.signal('SIGINT');
  return untilGone(perf, plan, say, patience);
}

const LOOK_MS = 200;

/** perf may write for long; one that neither ends nor writes is killed. */
async function untilGone(
  perf: PerfProcess,
  { dataFile }: RecordingPlan,
  say: (text: string) => void,
  patience: Patience,
): Promise<boolean> {
  const askedMs = performance.now();
  let grownMs = askedMs;
  let size = -1;
  let saidMs = askedMs;
  let said = 0;
  const isGone = async (ms: number) => Promise.race([perf.exited.then(() => true), wait(ms, false)]);
  while (!(await isGone(LOOK_MS))) {
    const nowMs = performance.now();
    const bytes = await fileBytes(dataFile);
    if (bytes !== size) [size, grownMs] = [bytes, nowMs];
    if (nowMs - saidMs > patience.sayMs * 2 ** Math.min(said, 4)) {
      said++;
      saidMs = nowMs;
      say(`perf still writes its recording (${formatBytes(size)} so far); Ctrl-C kills it, and nothing is kept`);
    }
    if (nowMs - grownMs < patience.stillMs) continue;
    say('perf does not end: it is killed');
    perf.signal('SIGTERM');
    if (!(await isGone(patience.termMs))) perf.killAll();
    await perf.exited;
    return true;
  }
  return false;
}

function interrupted(): PtflameError {
  return new PtflameError('INTERRUPTED', 'stopped: perf was killed, and its recording is not kept', {
    hint: 'Ctrl-C once ends a recording and keeps it',
  });
}
