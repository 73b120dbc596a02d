/**
 * Finds who handed on the work that a thread took: by a key that both sides show, by order, or by who woke the taker.
 */
import { countAtOrBelow } from '../model/columns.js';
import { NONE, type Tid } from '../model/units.js';
import { WakerKind } from './find-wakers.js';
import { groupOf } from './input/group-rows.js';
import { type LockWords, lockWordsOf } from './locks/lock-words.js';
import { hasKey, type Moments } from './moments.js';
import { OffState } from './schedule.js';
import type { Waits } from './waits.js';

/**
 * - `Key`: certain, unless a key is used again before it was taken.
 * - `Order`: right for a queue that is first in, first out, and of which all is recorded.
 * - `Waking`: the taker slept, and was woken by the thread right after it handed work on. If the thread handed on more
 *   than one, the taker may have got another.
 */
export const HandOffBy = { None: 0, Key: 1, Order: 2, Waking: 3 } as const;
export type HandOffBy = (typeof HandOffBy)[keyof typeof HandOffBy];

/** By moment at which work was taken. */
export interface HandOffs {
  readonly push: Int32Array; // row of the moments at which work was handed on; NONE: not found
  readonly by: Uint8Array; // HandOffBy
}

/** `waits`: called only if there are no keys; null: wakings must not decide. */
export function handOffsOf(pushes: Moments, pops: Moments, waits: (() => Waits) | null): HandOffs {
  const push = new Int32Array(pops.length).fill(NONE);
  const by = new Uint8Array(pops.length);
  const isKeyed = mayHaveKeys(pushes) && mayHaveKeys(pops);
  const ways: readonly [HandOffBy, Int32Array][] = isKeyed
    ? [[HandOffBy.Key, pushesByKey(pushes, pops)]]
    : [
        [HandOffBy.Order, pushesByOrder(pushes, pops)],
        [HandOffBy.Waking, waits ? pushesByWaking(pushes, pops, waits()) : push.slice()],
      ];
  for (const [way, found] of ways) {
    found.forEach((row, pop) => {
      if (push[pop] !== NONE || row === NONE) return;
      push[pop] = row;
      by[pop] = way;
    });
  }
  return { push, by };
}

/** Texts are keys, even if none of them has the id that was looked for. */
function mayHaveKeys(moments: Moments): boolean {
  for (let row = 0; row < moments.length; row++)
    if (hasKey(moments, row) || typeof moments.key[row] === 'string') return true;
  return false;
}

/** The last push before with the same key; if that is a number, of the same process. Each is taken once. */
export function pushesByKey(pushes: Moments, pops: Moments): Int32Array {
  const waiting = new Map<number, Map<number | string, number>>();
  const waitingFor = ({ key, pid }: Moments, row: number) => {
    const process = typeof key[row] === 'string' ? NONE : pid[row];
    let own = waiting.get(process);
    if (own === undefined) waiting.set(process, (own = new Map()));
    return own;
  };
  const handOn = (row: number) => {
    if (hasKey(pushes, row)) waitingFor(pushes, row).set(pushes.key[row], row);
  };
  return match(pushes, pops, handOn, (pop) => {
    const own = waitingFor(pops, pop);
    const row = own.get(pops.key[pop]) ?? NONE;
    own.delete(pops.key[pop]);
    return row;
  });
}

/** First in, first out. */
export function pushesByOrder(pushes: Moments, pops: Moments): Int32Array {
  let handedOn = 0;
  let taken = 0;
  return match(
    pushes,
    pops,
    (row) => {
      handedOn = row + 1;
    },
    () => (taken < handedOn ? taken++ : NONE),
  );
}

/** Goes through both by time. */
function match(
  pushes: Moments,
  pops: Moments,
  handOn: (push: number) => void,
  take: (pop: number) => number,
): Int32Array {
  const found = new Int32Array(pops.length);
  let push = 0;
  for (let pop = 0; pop < pops.length; pop++) {
    while (push < pushes.length && pushes.timeNs[push] <= pops.timeNs[pop]) handOn(push++);
    found[pop] = take(pop);
  }
  return found;
}

/** The last push of the thread that woke the taker, before it did so. Each is taken once, and the taker slept since. */
export function pushesByWaking(pushes: Moments, pops: Moments, waits: Waits): Int32Array {
  const locks = lockWordsOf(waits.calls);
  const isTaken = new Uint8Array(pushes.length);
  return new Int32Array(pops.length).map((_, pop) => {
    const wait = lastWait(waits, locks, pops.tid[pop], pops.timeNs[pop]);
    if (wait === NONE || waits.wakerKind[wait] !== WakerKind.Thread) return NONE;
    const push = lastOf(pushes, waits.waker[wait], waits.wakeNs[wait]);
    if (push === NONE || isTaken[push] || pushes.timeNs[push] < waits.outNs[wait]) return NONE;
    isTaken[push] = 1;
    return push;
  });
}

/** Returns the last wait of a thread that ended at or before a time, without those for a CPU or a lock; NONE. */
function lastWait(waits: Waits, { lockOf }: LockWords, tid: Tid, timeNs: number): number {
  const thread = groupOf(waits.tids, tid);
  if (thread === NONE) return NONE;
  const isForWork = (wait: number) => {
    const call = waits.waitCall[wait];
    return waits.state[wait] !== OffState.Preempted && (call === NONE || lockOf[call] === NONE);
  };
  const first = waits.starts[thread];
  let wait = countAtOrBelow(waits.inNs, timeNs, first, waits.starts[thread + 1]) - 1;
  while (wait >= first && !isForWork(wait)) wait--;
  return wait >= first ? wait : NONE;
}

function lastOf({ timeNs, tid }: Moments, wanted: Tid, untilNs: number): number {
  for (let row = countAtOrBelow(timeNs, untilNs) - 1; row >= 0 && untilNs - timeNs[row] <= MAX_NS_TO_WAKING; row--)
    if (tid[row] === wanted) return row;
  return NONE;
}

/** A thread that hands work on wakes the taker within this time. */
const MAX_NS_TO_WAKING = 1_000_000;
