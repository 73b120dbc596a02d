/**
 * Finds the words in memory that are locks, by how futex calls use them.
 *
 * A lock of glibc (lowlevellock.h), and likewise of Rust's standard library and of Go's runtime, is 0 if free, 1 if
 * locked, 2 if a thread may wait for it. A waiter sets it to 2, sleeps while it is 2, and sets it to 2 again when it
 * wakes; who finds 0 there has the lock. Who gives back a lock that is 2 wakes one waiter. Other words in futex calls
 * (of conditions, read-write locks, semaphores, barriers) hold other values, or all their waiters are woken at once.
 */
import { type Address, NONE } from '../../model/units.js';
import { type FutexCalls, FutexKind, isShared } from '../futex-calls.js';
import { type Groups, groupRows } from '../input/group-rows.js';

const LOCKED_AND_WAITED_FOR = 2;

export interface LockWords {
  readonly length: number;
  readonly pid: Int32Array;
  readonly address: Float64Array;
  /** 1: the kernel passes the lock on (man 2 futex, "Priority-inheritance futexes"). */
  readonly isPassedOn: Uint8Array;
  /** By futex call: row of the lock; NONE: its word is no lock. */
  readonly lockOf: Int32Array;
  /** Futex calls by lock, in the order of time. */
  readonly byLock: Groups;
}

interface Word {
  readonly pid: number;
  readonly address: Address;
  isLock: boolean;
  isPassedOn: boolean;
  hasWaits: boolean;
  row: number;
}

export function lockWordsOf(calls: FutexCalls): LockWords {
  const words = new Words();
  const wordOf = new Int32Array(calls.length).fill(NONE); // by call
  for (let call = 0; call < calls.length; call++) {
    if (!concerns(calls, call)) continue;
    wordOf[call] = words.at(calls.pid[call], calls.address[call]);
    judge(words.all[wordOf[call]], calls, call);
  }
  const locks = words.all.filter(({ isLock, hasWaits }) => isLock && hasWaits);
  locks.forEach((word, row) => {
    word.row = row;
  });
  const lockOf = wordOf.map((word) => (word === NONE ? NONE : words.all[word].row));
  return {
    length: locks.length,
    pid: Int32Array.from(locks, ({ pid }) => pid),
    address: Float64Array.from(locks, ({ address }) => address),
    isPassedOn: Uint8Array.from(locks, ({ isPassedOn }) => Number(isPassedOn)),
    lockOf,
    byLock: groupRows(lockOf),
  };
}

function concerns({ kind }: FutexCalls, call: number): boolean {
  return kind[call] !== FutexKind.Other && kind[call] !== FutexKind.Requeue;
}

/** A single call that locks never make shows that the word is not a lock. */
function judge(word: Word, { kind, op, value }: FutexCalls, call: number): void {
  const isPassedOn = kind[call] === FutexKind.LockPi || kind[call] === FutexKind.UnlockPi;
  const isWait = kind[call] === FutexKind.Wait;
  if (isPassedOn) word.isPassedOn = true;
  else if (value[call] !== (isWait ? LOCKED_AND_WAITED_FOR : 1)) word.isLock = false;
  if (isShared(op[call])) word.isLock = false; // threads of other processes may have it
  if (isWait || kind[call] === FutexKind.LockPi) word.hasWaits = true;
}

class Words {
  readonly all: Word[] = [];
  private readonly byProcess = new Map<number, Map<Address, number>>();

  /** Returns the number of a word: its row in `all`. */
  at(pid: number, address: Address): number {
    let words = this.byProcess.get(pid);
    if (words === undefined) this.byProcess.set(pid, (words = new Map()));
    let word = words.get(address);
    if (word === undefined) {
      word = this.all.push({ pid, address, isLock: true, isPassedOn: false, hasWaits: false, row: NONE }) - 1;
      words.set(address, word);
    }
    return word;
  }
}
