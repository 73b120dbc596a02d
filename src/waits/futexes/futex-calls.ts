/**
 * Joins the samples of futex calls: a row for each call, from its beginning to its end.
 */
import type { SampleTable } from '../../model/samples/sample-table.js';
import { type Nanoseconds, NONE, type Tid } from '../../model/units.js';
import { type Groups, groupRows, rowsOf } from '../input/group-rows.js';
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
}

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
function endsOf(enters: SampleRows, exits: SampleRows, byThread: Groups): Pick<FutexCalls, 'exitNs' | 'result'> {
  const exitNs = new Float64Array(enters.length).fill(Number.NaN);
  const result = new Float64Array(enters.length).fill(Number.NaN);
  const exitsByThread = groupRows(exits.tid);
  for (const tid of byThread.keys) {
    const calls = rowsOf(byThread, tid);
    let next = 0;
    for (const exit of rowsOf(exitsByThread, tid)) {
      while (next < calls.length && enters.timeNs[calls[next]] <= exits.timeNs[exit]) next++;
      const call = calls[next - 1];
      if (next === 0 || !Number.isNaN(exitNs[call])) continue;
      exitNs[call] = exits.timeNs[exit];
      result[call] = exits.integers[0][exit];
    }
  }
  return { exitNs, result };
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
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (rows[middle] < call) low = middle + 1;
    else high = middle;
  }
  return low === 0 ? NONE : rows[low - 1];
}
