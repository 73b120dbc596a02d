/**
 * Adds up what time off the CPU consisted of: of single waits, of intervals of threads, of groups of waits.
 */
import { type Nanoseconds, NONE, type Tid } from '../../model/units.js';
import { WakerKind } from '../find-wakers.js';
import { KeyNumbers } from '../input/group-rows.js';
import { OffState, rowEndingFrom, threadOf } from '../schedule.js';
import type { Waits } from '../waits.js';
import { type Distribution, distributionOf } from './distribution.js';
import type { ShownWaits } from './window.js';

/** `offNs` = `blockedNs` + `wakeUpNs` + `preemptedNs` + `unknownNs`. */
export interface WaitSums {
  readonly waits: number;
  readonly offNs: Nanoseconds;
  /** Until the waking; if that was not seen, until the thread ran again. */
  readonly blockedNs: Nanoseconds;
  /** From the waking to running. */
  readonly wakeUpNs: Nanoseconds;
  readonly preemptedNs: Nanoseconds;
  /** Blocked, preempted or even running: switches are missing. */
  readonly unknownNs: Nanoseconds;
  /** Unknown, or ended by a waking that was not seen. */
  readonly unexplainedNs: Nanoseconds;
  /** Waits that had not ended when the recording, or the thread, did. */
  readonly open: number;
}

export class WaitSummer {
  waits = 0;
  offNs = 0;
  blockedNs = 0;
  wakeUpNs = 0;
  preemptedNs = 0;
  unknownNs = 0;
  unexplainedNs = 0;
  open = 0;

  /** Adds the part of a wait that is within a span of time. */
  add(waits: Waits, wait: number, fromNs = Number.NEGATIVE_INFINITY, toNs = Number.POSITIVE_INFINITY): void {
    const outNs = Math.max(waits.outNs[wait], fromNs);
    const ns = Math.min(waits.inNs[wait], toNs) - outNs;
    if (!(ns >= 0)) return;
    this.waits++;
    this.offNs += ns;
    const isOpen = waits.isOpen[wait] === 1;
    if (isOpen) this.open++;
    const state = waits.state[wait];
    if (state === OffState.Preempted) this.preemptedNs += ns;
    else if (state === OffState.Unknown) {
      this.unknownNs += ns;
      this.unexplainedNs += ns;
    } else this.addBlocked(ns, Math.max(0, waits.wakeNs[wait] - outNs));
    if (state === OffState.Blocked && waits.wakerKind[wait] === WakerKind.NotSeen && !isOpen) this.unexplainedNs += ns;
  }

  build(): WaitSums {
    return { ...this };
  }

  /** `wokenAfterNs`: NaN if no waking was seen. */
  private addBlocked(ns: Nanoseconds, wokenAfterNs: Nanoseconds): void {
    const blockedNs = Number.isNaN(wokenAfterNs) ? ns : Math.min(ns, wokenAfterNs);
    this.blockedNs += blockedNs;
    this.wakeUpNs += ns - blockedNs;
  }
}

/** Returns the time from the waking to running; NaN: the wait had no waking, none was seen, or the window cuts it. */
export function wakeUpNsOf({ wakeNs, outNs, inNs, isOpen, isCut }: ShownWaits, wait: number): Nanoseconds {
  return isOpen[wait] || isCut[wait] ? Number.NaN : inNs[wait] - Math.max(wakeNs[wait], outNs[wait]);
}

/** Returns how long a wait took; NaN: it did not end, or the window cuts it. */
export function endedNsOf({ outNs, inNs, isOpen, isCut }: ShownWaits, wait: number): Nanoseconds {
  return isOpen[wait] || isCut[wait] ? Number.NaN : inNs[wait] - outNs[wait];
}

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

export interface WaitGroup extends WaitSums {
  /** A wait of the group. */
  readonly example: number;
  /** Waits that the window cuts. */
  readonly cut: number;
  /** Of the waits that ended, and that the window does not cut. */
  readonly durations: Distribution;
  /** The longest known part of a wait that did not end, or that the window cuts; 0: none. */
  readonly longestOpenNs: number;
}

/**
 * Returns the groups, most time first; ties by their first wait. Waits with equal keys are a group.
 *
 * @param rows the waits in question
 */
export function waitGroups(waits: ShownWaits, rows: Uint32Array, keyOf: (wait: number) => number): WaitGroup[] {
  return mostTimeFirst(rowsByKey(rows, keyOf).map((own) => groupOfRows(waits, own)));
}

export function mostTimeFirst<Group extends WaitGroup>(groups: Group[]): Group[] {
  return groups.sort((a, b) => b.offNs - a.offNs || a.example - b.example);
}

/** Returns the rows of each key, in their order. Small keys are fast. */
export function rowsByKey(rows: Uint32Array, keyOf: (row: number) => number): Uint32Array[] {
  const keys = new Float64Array(rows.length);
  for (let at = 0; at < rows.length; at++) keys[at] = keyOf(rows[at]);
  const numbers = new KeyNumbers(keys);
  const counts: number[] = [];
  for (let at = 0; at < rows.length; at++) {
    const number = numbers.add(keys[at]);
    counts[number] = (counts[number] ?? 0) + 1;
  }
  const all = counts.map((count) => new Uint32Array(count));
  const filled = new Uint32Array(counts.length);
  for (let at = 0; at < rows.length; at++) {
    const number = numbers.find(keys[at]);
    all[number][filled[number]++] = rows[at];
  }
  return all;
}

/** Sums up waits together. */
export function groupOfRows(waits: ShownWaits, rows: Uint32Array): WaitGroup {
  const { isOpen, isCut, inNs, outNs } = waits;
  const sums = new WaitSummer();
  const durations = new Float64Array(rows.length);
  let ended = 0;
  let cut = 0;
  let longestOpenNs = 0;
  for (let row = 0; row < rows.length; row++) {
    const wait = rows[row];
    const ns = inNs[wait] - outNs[wait];
    sums.add(waits, wait);
    cut += isCut[wait];
    if (isOpen[wait] || isCut[wait]) longestOpenNs = Math.max(longestOpenNs, ns);
    else durations[ended++] = ns;
  }
  const example = rows.length > 0 ? rows[0] : NONE;
  return { ...sums.build(), example, cut, durations: distributionOf(durations.subarray(0, ended)), longestOpenNs };
}
