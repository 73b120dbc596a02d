/**
 * Adds up a thread's time off the CPU within an interval.
 */
import { type Nanoseconds, NONE, type Tid } from '../../model/units.js';
import { rowEndingFrom, threadOf } from '../schedule/schedule.js';
import type { Waits } from '../waits.js';
import { WaitSummer } from './wait-sums.js';

/** Calls back for each wait of a thread that overlaps an interval, by time. */
export function eachWaitWithin(
  waits: Waits,
  tid: Tid,
  fromNs: Nanoseconds,
  toNs: Nanoseconds,
  visit: (wait: number) => void,
): void {
  const thread = threadOf(waits, tid);
  if (thread === NONE) return;
  for (
    let wait = rowEndingFrom(waits, thread, fromNs);
    wait < waits.starts[thread + 1] && waits.outNs[wait] < toNs;
    wait++
  )
    if (waits.inNs[wait] > fromNs) visit(wait);
}

/** `into`: gets the parts of the waits within the interval. */
export function addWaitsWithin(
  waits: Waits,
  tid: Tid,
  fromNs: Nanoseconds,
  toNs: Nanoseconds,
  into: WaitSummer = new WaitSummer(),
): WaitSummer {
  eachWaitWithin(waits, tid, fromNs, toNs, (wait) => into.add(waits, wait, fromNs, toNs));
  return into;
}
