/**
 * The waits of all threads: when, in which futex call, woken by which thread, and how long until they ran again.
 */
import { type FutexCalls, futexCallsOf } from './futexes/futex-calls.js';
import { type WaitCalls, waitCallsOf } from './futexes/wait-calls.js';
import { type LostSpans, lostSpansOf } from './input/lost.js';
import type { WaitInput } from './input/wait-input.js';
import { type KernelReasons, kernelReasonsOf } from './reasons/kernel-reasons.js';
import { type Schedule, scheduleOf } from './schedule/schedule.js';
import { findWakers, type Wakers } from './wakers/find-wakers.js';

/** A wait is a row of the schedule. */
export interface Waits extends Schedule, Wakers, WaitCalls, KernelReasons {
  readonly calls: FutexCalls;
  readonly lost: LostSpans;
}

export function waitsOf(input: WaitInput): Waits {
  const schedule = scheduleOf(input);
  const calls = futexCallsOf(input.samples);
  const lost = lostSpansOf(input.lost);
  const waitCalls = waitCallsOf(schedule, calls, lost);
  const wakers = findWakers(schedule, waitCalls, calls, input.samples);
  return { ...schedule, ...waitCalls, ...wakers, ...kernelReasonsOf(schedule, input.samples), calls, lost };
}
