/**
 * Waits for perf to end after it was asked to: writing may take long, but a perf that neither ends nor writes is killed.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { formatBytes } from '../../src/render/format.js';
import type { PerfProcess } from './perf-process.js';
import { fileBytes } from './recording-file.js';

export interface Timeouts {
  readonly startMs: number;
  /** Until the user is told that perf is slow. */
  readonly noticeMs: number;
  /** Without growth of the file. */
  readonly stalledMs: number;
  /** From SIGTERM to SIGKILL. */
  readonly termMs: number;
}

export const TIMEOUTS: Timeouts = { startMs: 120_000, noticeMs: 2_000, stalledMs: 120_000, termMs: 5_000 };

const POLL_MS = 200;
/** The time between notices doubles, up to 16 times `noticeMs`. */
const MAX_DOUBLINGS = 4;

/** Returns whether perf had to be killed. */
export async function awaitEnd(
  perf: PerfProcess,
  dataFile: string,
  notify: (text: string) => void,
  timeouts: Timeouts,
): Promise<boolean> {
  const isGone = (ms: number) => Promise.race([perf.exited.then(() => true), wait(ms, false)]);
  let [size, grownMs] = [-1, performance.now()];
  let [notices, noticedMs] = [0, grownMs];
  while (!(await isGone(POLL_MS))) {
    const nowMs = performance.now();
    const bytes = await fileBytes(dataFile);
    if (bytes !== size) [size, grownMs] = [bytes, nowMs];
    if (nowMs - noticedMs > timeouts.noticeMs * 2 ** Math.min(notices, MAX_DOUBLINGS)) {
      [notices, noticedMs] = [notices + 1, nowMs];
      notify(`perf is still writing the recording (${formatBytes(size)} so far); Ctrl-C kills perf and discards it`);
    }
    if (nowMs - grownMs < timeouts.stalledMs) continue;
    notify('perf does not exit; killing it');
    perf.signal('SIGTERM');
    if (!(await isGone(timeouts.termMs))) perf.signalAll('SIGKILL');
    await perf.exited;
    return true;
  }
  return false;
}
