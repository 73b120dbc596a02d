/**
 * Joins the samples of futex calls: a row for each call, from its beginning to its end.
 */
import type { SampleTable } from '../../model/samples/sample-table.js';
import { type Nanoseconds, NONE, type Tid } from '../../model/units.js';
import { countBelow, type Groups, groupRows, rowsOf } from '../input/group-rows.js';
import { type SampleRows, sampleRows } from '../input/sample-rows.js';
import { kindOfOp } from './futex-ops.js';

/** By time of entry. */
export interface FutexCalls {
  readonly length: number;
  readonly tid: Int32Array;
  readonly pid: Int32Array;
  readonly enterNs: Float64Array;
  readonly exitNs: Float64Array; // NaN: not seen
  readonly kind: Uint8Array; // FutexKind
  readonly op: Float64Array;
  readonly address: Float64Array; // Address of the word
  readonly address2: Float64Array; // of the second word, if it has one
  readonly value: Float64Array; // what the word was to be, or how many to wake
  readonly result: Float64Array; // NaN: not seen
  readonly byThread: Groups;
  /** Enters or exits are missing, whether a loss was noted or not. */
  readonly isIncomplete: boolean;
  /** By thread: when calls ended whose enter is missing; ascending. */
  readonly strayExitsNs: ReadonlyMap<Tid, Float64Array>;
}

type Ends = Pick<FutexCalls, 'exitNs' | 'result' | 'isIncomplete' | 'strayExitsNs'>;

export function futexCallsOf(samples: readonly SampleTable[]): FutexCalls {
  const enters = sampleRows(samples, 'syscalls:sys_enter_futex', ['op', 'uaddr', 'uaddr2', 'val']);
  const exits = sampleRows(samples, 'syscalls:sys_exit_futex', ['ret']);
  const [op, address, address2, value] = enters.integers;
  const byThread = groupRows(enters.tid);
  const ends = endsOf(enters, exits, byThread);
  const { length, tid, pid, timeNs: enterNs } = enters;
  const kind = Uint8Array.from(op, kindOfOp);
  return { length, tid, pid, enterNs, ...ends, kind, op, address, address2, value, byThread };
}

/** A thread's exit ends its last call, unless it ended already: calls of one thread do not overlap. */
function endsOf(enters: SampleRows, exits: SampleRows, byThread: Groups): Ends {
  const exitNs = new Float64Array(enters.length).fill(Number.NaN);
  const result = new Float64Array(enters.length).fill(Number.NaN);
  const exitsByThread = groupRows(exits.tid);
  const strayExitsNs = new Map<Tid, Float64Array>();
  let isIncomplete = false;
  for (const tid of byThread.keys) {
    const strays: Nanoseconds[] = [];
    const calls = rowsOf(byThread, tid);
    const ends = rowsOf(exitsByThread, tid);
    const hasGaps = matchEnds(calls, ends, enters.timeNs, exits.timeNs, (call, exit) => {
      if (call === NONE) strays.push(exits.timeNs[exit]);
      else {
        exitNs[call] = exits.timeNs[exit];
        result[call] = exits.integers[0][exit];
      }
    });
    if (strays.length > 0) strayExitsNs.set(tid, Float64Array.from(strays));
    isIncomplete ||= hasGaps || strays.length > 0;
  }
  return { exitNs, result, isIncomplete, strayExitsNs };
}

/** Calls back for each exit, with NONE if its enter is missing. Returns whether exits are missing, too. */
function matchEnds(
  calls: Uint32Array,
  ends: Uint32Array,
  enterNs: Float64Array,
  exitNs: Float64Array,
  found: (call: number, exit: number) => void,
): boolean {
  let hasGaps = false;
  let ended = 0;
  let next = 0;
  for (const exit of ends) {
    while (next < calls.length && enterNs[calls[next]] <= exitNs[exit]) next++;
    if (next === 0) continue; // of a call from before the recording
    found(next === ended ? NONE : calls[next - 1], exit);
    hasGaps ||= next > ended + 1;
    ended = next;
  }
  return hasGaps || (ends.length > 0 && ended < calls.length - 1); // the last call may not have ended
}

/** Returns the last call that a thread began at or before a time; NONE. */
export function lastCall(calls: FutexCalls, tid: Tid, timeNs: Nanoseconds): number {
  const rows = rowsOf(calls.byThread, tid);
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (calls.enterNs[rows[middle]] <= timeNs) low = middle + 1;
    else high = middle;
  }
  return low === 0 ? NONE : rows[low - 1];
}

/** Returns the thread's call before a call; NONE. */
export function callBefore({ byThread, tid }: FutexCalls, call: number): number {
  const rows = rowsOf(byThread, tid[call]);
  const before = countBelow(rows, call);
  return before === 0 ? NONE : rows[before - 1];
}
