/**
 * Joins the samples of futex calls: a row for each call, from its beginning to its end.
 */

import { countBelow } from '../model/columns.js';
import { appendTo } from '../model/groups.js';
import type { SampleTable } from '../model/sample-table.js';
import { type Nanoseconds, NONE, type Tid } from '../model/units.js';
import { type Groups, groupRows, KeyNumbers, lastRowAt, rowsOf } from './input/group-rows.js';
import { type SampleRows, sampleRows } from './input/sample-rows.js';

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
  readonly value: Float64Array; // what the caller expects in the word, or how many to wake
  readonly result: Float64Array; // NaN: not seen
  readonly byThread: Groups;
  /** Enters or exits are missing, whether a loss was noted or not. */
  readonly isIncomplete: boolean;
  /** By thread: when calls ended whose beginning is missing; ascending. */
  readonly strayExitsNs: ReadonlyMap<Tid, Float64Array>;
}

type Ends = Pick<FutexCalls, 'exitNs' | 'result' | 'isIncomplete' | 'strayExitsNs'>;

export function futexCallsOf(samples: readonly SampleTable[]): FutexCalls {
  const enters = sampleRows(samples, 'syscalls:sys_enter_futex', ['op', 'uaddr', 'uaddr2', 'val']);
  const exits = sampleRows(samples, 'syscalls:sys_exit_futex', ['ret']);
  const [op, address, address2, value] = enters.integers;
  const { length, tid, pid, timeNs: enterNs } = enters;
  const ends = new CallEnds(enters, exits).build();
  const byThread = groupRows(enters.tid);
  return { length, tid, pid, enterNs, ...ends, kind: kindsOfOps(op), op, address, address2, value, byThread };
}

/** A thread's exit ends its last call, unless it ended already: calls of one thread do not overlap. */
class CallEnds {
  private readonly exitNs: Float64Array;
  private readonly result: Float64Array;
  private readonly strayExitsNs = new Map<Tid, Nanoseconds[]>();
  private isIncomplete = false;
  private readonly threads: KeyNumbers;
  /** By number of the thread: its last call, how many it began, which of them ended last, and whether any did. */
  private readonly last: Int32Array;
  private readonly begun: Int32Array;
  private readonly ended: Int32Array;
  private readonly hasExits: Uint8Array;

  constructor(
    private readonly enters: SampleRows,
    private readonly exits: SampleRows,
  ) {
    this.exitNs = new Float64Array(enters.length).fill(Number.NaN);
    this.result = new Float64Array(enters.length).fill(Number.NaN);
    this.threads = new KeyNumbers(enters.tid);
    for (let call = 0; call < enters.length; call++) this.threads.add(enters.tid[call]);
    const { length } = this.threads.keys;
    this.last = new Int32Array(length);
    this.begun = new Int32Array(length);
    this.ended = new Int32Array(length);
    this.hasExits = new Uint8Array(length);
  }

  build(): Ends {
    const { enters, exits } = this;
    let call = 0;
    for (let exit = 0; exit < exits.length; exit++) {
      while (call < enters.length && enters.timeNs[call] <= exits.timeNs[exit]) this.begin(call++);
      this.end(exit);
    }
    while (call < enters.length) this.begin(call++);
    const lacksExits = this.hasExits.some((has, thread) => has && this.ended[thread] < this.begun[thread] - 1);
    const strayExitsNs = new Map(Array.from(this.strayExitsNs, ([tid, own]) => [tid, Float64Array.from(own)]));
    const isIncomplete = this.isIncomplete || lacksExits; // the last call of a thread may not have ended
    return { exitNs: this.exitNs, result: this.result, isIncomplete, strayExitsNs };
  }

  private begin(call: number): void {
    const thread = this.threads.find(this.enters.tid[call]);
    this.last[thread] = call;
    this.begun[thread]++;
  }

  private end(exit: number): void {
    const { begun, ended, exits } = this;
    const thread = this.threads.find(exits.tid[exit]);
    if (thread === NONE) return;
    this.hasExits[thread] = 1;
    if (begun[thread] === 0) return; // of a call from before the recording
    if (begun[thread] === ended[thread]) this.addStray(exits.tid[exit], exits.timeNs[exit]);
    else {
      this.exitNs[this.last[thread]] = exits.timeNs[exit];
      this.result[this.last[thread]] = exits.integers[0][exit];
    }
    if (begun[thread] !== ended[thread] + 1) this.isIncomplete = true;
    ended[thread] = begun[thread];
  }

  private addStray(tid: Tid, timeNs: Nanoseconds): void {
    appendTo(this.strayExitsNs, tid, timeNs);
  }
}

/** Returns, for moments of threads, by time, the last call that the thread began at or before its moment; NONE. */
export function lastCalls(calls: FutexCalls, { length, tid, timeNs }: Pick<SampleRows, 'length' | 'tid' | 'timeNs'>) {
  const threads = new KeyNumbers(calls.tid);
  const last: number[] = []; // by number of the thread
  const found = new Int32Array(length);
  for (let row = 0, call = 0; row < length; row++) {
    for (; call < calls.length && calls.enterNs[call] <= timeNs[row]; call++) last[threads.add(calls.tid[call])] = call;
    const thread = threads.find(tid[row]);
    found[row] = thread === NONE ? NONE : last[thread];
  }
  return found;
}

/** Returns the last call that a thread began at or before a time; NONE. */
export function lastCall(calls: FutexCalls, tid: Tid, timeNs: Nanoseconds): number {
  return lastRowAt(rowsOf(calls.byThread, tid), calls.enterNs, timeNs);
}

/** Returns the thread's call before a call; NONE. */
export function callBefore({ byThread, tid }: FutexCalls, call: number): number {
  const rows = rowsOf(byThread, tid[call]);
  const before = countBelow(rows, call);
  return before === 0 ? NONE : rows[before - 1];
}

// What the arguments of a futex call mean (man 2 futex, include/uapi/linux/futex.h).

const COMMAND = 0x7f; // without FUTEX_PRIVATE_FLAG and FUTEX_CLOCK_REALTIME
const PRIVATE = 0x80;

const WAIT = new Set([0, 9]); // FUTEX_WAIT, FUTEX_WAIT_BITSET
const WAKE = new Set([1, 10]); // FUTEX_WAKE, FUTEX_WAKE_BITSET
const WAKES_OTHERWISE = new Set([3, 4, 5, 12]); // FUTEX_REQUEUE, CMP_REQUEUE, WAKE_OP, CMP_REQUEUE_PI
const LOCK_PI = new Set([6, 13]); // FUTEX_LOCK_PI, FUTEX_LOCK_PI2
const UNLOCK_PI = 7;
const WAIT_REQUEUE_PI = 11;

export const FutexKind = { Other: 0, Wait: 1, Wake: 2, LockPi: 3, UnlockPi: 4, Requeue: 5 } as const;
export type FutexKind = (typeof FutexKind)[keyof typeof FutexKind];

/** Returns the kind of each operation. */
function kindsOfOps(ops: Float64Array): Uint8Array {
  const byCommand = Uint8Array.from({ length: COMMAND + 1 }, (_, command) => kindOf(command));
  const kinds = new Uint8Array(ops.length);
  for (let row = 0; row < ops.length; row++) kinds[row] = byCommand[ops[row] & COMMAND];
  return kinds;
}

function kindOf(command: number): FutexKind {
  if (WAIT.has(command) || command === WAIT_REQUEUE_PI) return FutexKind.Wait;
  if (WAKE.has(command)) return FutexKind.Wake;
  if (LOCK_PI.has(command)) return FutexKind.LockPi;
  if (command === UNLOCK_PI) return FutexKind.UnlockPi;
  return WAKES_OTHERWISE.has(command) ? FutexKind.Requeue : FutexKind.Other;
}

/** Whether threads of other processes may use the word. */
export function isShared(op: number): boolean {
  return (op & PRIVATE) === 0;
}

/** A result of a futex call: -errno. */
export const TIMED_OUT = -110;
