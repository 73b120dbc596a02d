/**
 * What a program that knows for whom it waited leaves as possible answers, however its threads were scheduled.
 */
import { OffState } from '../../../src/waits/schedule.js';
import type { Waits } from '../../../src/waits/waits.js';
import type { Truth } from './recorded.js';

/** Returns the waits of a thread within one of its true waits. */
export function blockedRows({ length, tid, state, outNs }: Waits, wait: Truth): number[] {
  const rows: number[] = [];
  for (let row = 0; row < length; row++) {
    const isWithin = outNs[row] >= wait.from && outNs[row] < wait.to;
    if (isWithin && tid[row] === wait.tid && state[row] === OffState.Blocked) rows.push(row);
  }
  return rows;
}

/** Offsets of the two words that threads wait for, in glibc's condition variable. */
const CONDITION_WORDS = [40, 44];

/** Returns who may have ended a wait that a thread ended. */
export function wakersOf(wait: Truth, truth: readonly Truth[], waits: Waits, row: number): number[] {
  const { reason, address } = wait;
  if (reason === 'mutex' || reason === 'rwlock') return releasersOf(wait, truth, waits.wakeNs[row], 0);
  if (reason !== 'queue' && reason !== 'cond') return [wait.for];
  const word = waits.calls.address[waits.waitCall[row]];
  const isCondition = CONDITION_WORDS.includes(word - Number(address));
  if (!isCondition) return truth.map(({ tid }) => tid); // the mutex of the queue, whose holders are not noted
  const signals = truth.filter((signal) => signal.kind === 'signal' && signal.address === address);
  const last = signals.filter(({ at }) => at <= waits.wakeNs[row]).sort((a, b) => b.at - a.at);
  return last.slice(0, 1).map(({ tid }) => tid);
}

/**
 * Returns who may have given a lock back to a waiter: threads whose hold ended during the wait, and the last one before,
 * which may have been interrupted before it woke the waiter.
 */
export function releasersOf(
  { tid, from, address }: Pick<Truth, 'tid' | 'from' | 'address'>,
  truth: readonly Truth[],
  wakeNs: number,
  errorNs: number,
): number[] {
  const holds = holdsOf(truth, address).filter((hold) => hold.tid !== tid && hold.to <= wakeNs + errorNs);
  const during = holds.filter(({ to }) => to >= from - errorNs);
  return [...during, ...holds.slice(0, -during.length || undefined).slice(-1)].map((hold) => hold.tid);
}

/**
 * Returns who may have held a lock at a time: a thread gets a lock before it notes that, and gives it back after it
 * noted that.
 */
export function holdersAt(truth: readonly Truth[], address: string, atNs: number, errorNs: number): number[] {
  const holds = holdsOf(truth, address);
  const tids = holds.map(({ tid }, at) => {
    const fromNs = (holds[at - 1]?.to ?? Number.NEGATIVE_INFINITY) - errorNs;
    const toNs = (holds[at + 1]?.from ?? Number.POSITIVE_INFINITY) + errorNs;
    return fromNs <= atNs && atNs <= toNs ? [tid] : [];
  });
  return tids.flat();
}

function holdsOf(truth: readonly Truth[], address: string): Truth[] {
  return truth.filter((hold) => hold.kind === 'hold' && hold.address === address).sort((a, b) => a.to - b.to);
}
