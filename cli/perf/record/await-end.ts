/**
 * Waits for a perf that was asked to end: it may write for long, and one that neither ends nor writes is killed.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { formatBytes } from '../../../src/text.js';
import type { PerfProcess } from './perf-process.js';
import { fileBytes } from './recording-file.js';

/** How long we wait for perf, and when we say that we do. */
export interface Timeouts {
  readonly startMs: number;
  readonly noticeMs: number;
  /** With a file that does not grow. */
  readonly stalledMs: number;
  /** From SIGTERM to SIGKILL. */
  readonly termMs: number;
}

export const TIMEOUTS: Timeouts = { startMs: 120_000, noticeMs: 2_000, stalledMs: 120_000, termMs: 5_000 };

const LOOK_MS = 200;
/** Between one word about it and the next: this doubles, up to 16 times. */
const MOST_DOUBLINGS = 4;

/** True if perf had to be killed. */
export async function awaitEnd(
  perf: PerfProcess,
  dataFile: string,
  notify: (text: string) => void,
  timeouts: Timeouts,
): Promise<boolean> {
  const isGone = (ms: number) => Promise.race([perf.exited.then(() => true), wait(ms, false)]);
  let [size, grownMs] = [-1, performance.now()];
  let [said, saidMs] = [0, grownMs];
  while (!(await isGone(LOOK_MS))) {
    const nowMs = performance.now();
    const bytes = await fileBytes(dataFile);
    if (bytes !== size) [size, grownMs] = [bytes, nowMs];
    if (nowMs - saidMs > timeouts.noticeMs * 2 ** Math.min(said, MOST_DOUBLINGS)) {
      [said, saidMs] = [said + 1, nowMs];
      notify(`perf still writes its recording (${formatBytes(size)} so far); Ctrl-C kills it, and nothing is kept`);
    }
    if (nowMs - grownMs < timeouts.stalledMs) continue;
    notify('perf does not end: it is killed');
    perf.signal('SIGTERM');
    if (!(await isGone(timeouts.termMs))) perf.signalAll('SIGKILL');
    await perf.exited;
    return true;
  }
  return false;
}
