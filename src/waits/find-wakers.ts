/**
 * Finds which thread ended each wait: the last `sched:sched_waking` of the waiter before it ran again.
 */
import { SampleContext, type SampleTable } from '../model/sample-table.js';
import { type Nanoseconds, NONE } from '../model/units.js';
import { type FutexCalls, FutexKind, lastCalls, TIMED_OUT } from './futex-calls.js';
import { atPlaces, groupOf, groupPlaces, type Places, rowsAt } from './input/group-rows.js';
import { type SampleRows, sampleRows } from './input/sample-rows.js';
import { OffState, type Schedule } from './schedule.js';
import type { WaitCalls } from './wait-calls.js';

/**
 * - `NotSeen`: no waking was recorded, or the thread stayed runnable and needed none.
 * - `Thread`: that thread did it, in its own name.
 * - `MaybeThread`: that thread ran, but an interrupt may have done it; text does not say.
 * - `Interrupt`: a timer, a device, or another CPU, whichever thread it interrupted.
 */
export const WakerKind = { NotSeen: 0, Thread: 1, MaybeThread: 2, Interrupt: 3 } as const;
export type WakerKind = (typeof WakerKind)[keyof typeof WakerKind];

/** By wait. */
export interface Wakers {
  readonly wakerKind: Uint8Array; // WakerKind
  readonly waker: Int32Array; // its tid; NONE unless it is a thread, or maybe one
  readonly wakeNs: Float64Array; // NaN: not seen
}

interface Wakings extends SampleRows {
  readonly byWoken: Places;
  /** By place: the row, and its time. */
  readonly rows: Uint32Array;
  readonly placedNs: Float64Array;
  /** By row: the last futex call of the waker. */
  readonly wakeCall: Int32Array;
}

export function findWakers(
  schedule: Schedule,
  { waitCall }: WaitCalls,
  calls: FutexCalls,
  samples: readonly SampleTable[],
): Wakers {
  const wakings = wakingsOf(samples, calls);
  const wakerKind = new Uint8Array(schedule.length);
  const waker = new Int32Array(schedule.length).fill(NONE);
  const wakeNs = new Float64Array(schedule.length).fill(Number.NaN);
  eachWaking(schedule, waitCall, calls, wakings, (wait, first, last) => {
    const kind = kindOf(wakings, first, last, calls, waitCall[wait]);
    wakeNs[wait] = wakings.timeNs[first];
    wakerKind[wait] = kind;
    if (kind !== WakerKind.Interrupt) waker[wait] = wakings.tid[first];
  });
  return { wakerKind, waker, wakeNs };
}

function wakingsOf(samples: readonly SampleTable[], calls: FutexCalls): Wakings {
  const wakings = sampleRows(samples, 'sched:sched_waking', ['pid']);
  const byWoken = groupPlaces(new Int32Array(wakings.integers[0]));
  const { places } = byWoken;
  const placed = { byWoken, rows: rowsAt(places), placedNs: atPlaces(wakings.timeNs, places) };
  return { ...wakings, ...placed, wakeCall: lastCalls(calls, wakings) };
}

/** Calls back for each wait with a waking: the row that noted it first, and the last one, if it was noted twice. */
function eachWaking(
  { tids, starts, outNs, inNs, state }: Schedule,
  waitCall: Int32Array,
  calls: FutexCalls,
  wakings: Wakings,
  found: (wait: number, first: number, last: number) => void,
): void {
  const { byWoken, rows, placedNs } = wakings;
  tids.forEach((tid, thread) => {
    const group = groupOf(byWoken.keys, tid);
    const from = group === NONE ? 0 : byWoken.starts[group];
    const to = group === NONE ? 0 : byWoken.starts[group + 1];
    let next = from;
    for (let wait = starts[thread]; wait < starts[thread + 1]; wait++) {
      while (next < to && placedNs[next] <= inNs[wait]) next++;
      if (state[wait] !== OffState.Blocked || next === from) continue;
      const last = next - 1;
      const afterNs = earliestNs(outNs[wait], calls, waitCall[wait]);
      if (placedNs[last] > afterNs) found(wait, rows[firstNote(wakings, last, from, afterNs)], rows[last]);
    }
  });
}

/**
 * A thread that is about to sleep can be woken before its switch is noted, by a thread on another CPU. Within a futex
 * call that cannot be another waking: the call waits for one.
 */
function earliestNs(outNs: number, calls: FutexCalls, call: number): number {
  return call === NONE || Number.isNaN(calls.exitNs[call]) ? outNs : calls.enterNs[call];
}

/** Two recordings of one machine note a waking this close together. */
const MAX_NOTE_DISTANCE_NS = 1_000_000;

/** The kernel notes a waking once (try_to_wake_up), so more of them by the same thread are those of a second recording. */
function firstNote({ rows, placedNs, tid, cpu }: Wakings, last: number, from: number, afterNs: number): number {
  let first = last;
  while (
    first > from &&
    placedNs[first - 1] > afterNs &&
    placedNs[last] - placedNs[first - 1] <= MAX_NOTE_DISTANCE_NS &&
    tid[rows[first - 1]] === tid[rows[last]] &&
    cpu[rows[first - 1]] === cpu[rows[last]]
  ) {
    first--;
  }
  return first;
}

function kindOf(wakings: Wakings, first: number, last: number, calls: FutexCalls, waitCall: number): WakerKind {
  const { context, tid, timeNs, integers } = wakings;
  const isInterrupt = (row: number) => context[row] >= SampleContext.SoftInterrupt;
  const waker = tid[first];
  if (isInterrupt(first) || isInterrupt(last) || waker === IDLE || waker === integers[0][first])
    return WakerKind.Interrupt;
  if (context[first] === SampleContext.Task || context[last] === SampleContext.Task) return WakerKind.Thread;
  if (waitCall !== NONE && calls.result[waitCall] === TIMED_OUT) return WakerKind.Interrupt;
  return isWokenByCall(calls, waitCall, wakings.wakeCall[first], timeNs[first])
    ? WakerKind.Thread
    : WakerKind.MaybeThread;
}

/** An idle CPU wakes a thread only for another CPU or for a timer. */
const IDLE = 0;

/** Whether the waker was in a call that wakes threads waiting for the waiter's word. */
function isWokenByCall(calls: FutexCalls, waitCall: number, wakeCall: number, atNs: Nanoseconds): boolean {
  if (waitCall === NONE || wakeCall === NONE || calls.exitNs[wakeCall] < atNs) return false;
  const { kind, address, address2 } = calls;
  const isWake = kind[wakeCall] === FutexKind.Wake || kind[wakeCall] === FutexKind.UnlockPi;
  const isRequeue = kind[wakeCall] === FutexKind.Requeue;
  const word = address[waitCall];
  return ((isWake || isRequeue) && address[wakeCall] === word) || (isRequeue && address2[wakeCall] === word);
}
