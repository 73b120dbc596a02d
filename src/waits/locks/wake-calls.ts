/**
 * Finds the futex call that ended each wait.
 */
import { type Nanoseconds, NONE } from '../../model/units.js';
import { type FutexCalls, lastCall } from '../futexes/futex-calls.js';
import { FutexKind } from '../futexes/futex-ops.js';
import { OffState } from '../schedule/off-state.js';
import type { Waits } from '../waits.js';
import { WakerKind } from '../wakers/find-wakers.js';

/** A call wakes a thread a few microseconds after it began; what comes later may be of another call, if some are missing. */
const MAX_NS_TO_WAKE = 10_000;

/** By wait: row of FutexCalls; NONE: it did not end by a call of a known waker, or the call is not among the samples. */
export function wakeCallsOf(waits: Waits): Int32Array {
  const { calls, state, wakerKind, wakeNs } = waits;
  const wakeCall = new Int32Array(waits.length).fill(NONE);
  const firstNs = new Float64Array(calls.length).fill(Number.POSITIVE_INFINITY);
  for (let wait = 0; wait < waits.length; wait++) {
    if (state[wait] !== OffState.Blocked || wakerKind[wait] !== WakerKind.Thread) continue;
    const call = callAt(waits, wait);
    wakeCall[wait] = call;
    if (call !== NONE) firstNs[call] = Math.min(firstNs[call], wakeNs[wait]);
  }
  return wakeCall.map((call, wait) =>
    call !== NONE && wakesOne(calls, call) && wakeNs[wait] > firstNs[call] ? NONE : call,
  );
}

/** Returns the call of the waker that began before the waking, and had not ended. */
function callAt({ calls, waker, wakeNs, waitCall }: Waits, wait: number): number {
  const call = lastCall(calls, waker[wait], wakeNs[wait]);
  if (call === NONE || !isRelease(calls, call) || !lasts(calls, call, wakeNs[wait])) return NONE;
  const isForWord = waitCall[wait] === NONE || calls.address[call] === calls.address[waitCall[wait]];
  return isForWord || calls.kind[call] === FutexKind.Requeue ? call : NONE;
}

function lasts({ exitNs, enterNs, isIncomplete }: FutexCalls, call: number, atNs: Nanoseconds): boolean {
  return !(exitNs[call] < atNs) && (!isIncomplete || atNs - enterNs[call] <= MAX_NS_TO_WAKE);
}

function wakesOne({ kind, value }: FutexCalls, call: number): boolean {
  return kind[call] === FutexKind.Wake && value[call] <= 1;
}

/** Whether a call wakes threads that wait for its word. */
export function isRelease({ kind }: FutexCalls, call: number): boolean {
  return kind[call] === FutexKind.Wake || kind[call] === FutexKind.UnlockPi || kind[call] === FutexKind.Requeue;
}
