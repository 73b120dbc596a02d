/**
 * Finds the futex call in which a thread waited.
 */
import { NONE } from '../model/units.js';
import { type FutexCalls, FutexKind } from './futex-calls.js';
import { rowsOf } from './input/group-rows.js';
import { isLostWithin, type LostSpans } from './input/lost.js';
import { OffState, type Schedule } from './schedule.js';

/** `Likely`: exits were not recorded, and the thread slept soon after it began the call. */
export const CallCertainty = { None: 0, Likely: 1, Certain: 2 } as const;
export type CallCertainty = (typeof CallCertainty)[keyof typeof CallCertainty];

/** By wait. */
export interface WaitCalls {
  readonly waitCall: Int32Array; // row of FutexCalls; NONE: in no futex call, or that is not known
  readonly callCertainty: Uint8Array; // CallCertainty
}

/** The kernel sleeps a few microseconds after a futex call begins. */
const MAX_NS_TO_SLEEP = 100_000;

export function waitCallsOf(schedule: Schedule, calls: FutexCalls, lost: LostSpans): WaitCalls {
  const { tids, starts, outNs, state } = schedule;
  const waitCall = new Int32Array(schedule.length).fill(NONE);
  const callCertainty = new Uint8Array(schedule.length);
  tids.forEach((tid, thread) => {
    const rows = rowsOf(calls.byThread, tid);
    const hasExits = rows.some((call) => !Number.isNaN(calls.exitNs[call]));
    let next = 0;
    for (let wait = starts[thread]; wait < starts[thread + 1]; wait++) {
      while (next < rows.length && calls.enterNs[rows[next]] <= outNs[wait]) next++;
      const call = rows[next - 1];
      if (next === 0 || state[wait] !== OffState.Blocked || !isWait(calls, call)) continue;
      if (isLostWithin(lost, calls.enterNs[call], outNs[wait])) continue;
      const isLast = next === rows.length;
      callCertainty[wait] = certaintyOf(schedule, calls, { wait, call, thread, isLast, hasExits });
      if (callCertainty[wait] !== CallCertainty.None) waitCall[wait] = call;
    }
  });
  return { waitCall, callCertainty };
}

interface Pair {
  readonly wait: number;
  readonly call: number;
  readonly thread: number;
  /** The thread made no later call. */
  readonly isLast: boolean;
  /** Exits of its calls were recorded. */
  readonly hasExits: boolean;
}

function certaintyOf(
  { starts, outNs, inNs, isOpen }: Schedule,
  { enterNs, exitNs }: FutexCalls,
  { wait, call, thread, isLast, hasExits }: Pair,
): CallCertainty {
  if (exitNs[call] >= inNs[wait]) return CallCertainty.Certain;
  if (!Number.isNaN(exitNs[call])) return CallCertainty.None;
  const isFirst = wait === starts[thread] || outNs[wait - 1] < enterNs[call];
  const isSoon = isFirst && outNs[wait] - enterNs[call] <= MAX_NS_TO_SLEEP;
  if (hasExits) return isLast && isOpen[wait] && isSoon ? CallCertainty.Certain : CallCertainty.None;
  return isSoon ? CallCertainty.Likely : CallCertainty.None;
}

function isWait({ kind }: FutexCalls, call: number): boolean {
  return kind[call] === FutexKind.Wait || kind[call] === FutexKind.LockPi;
}
