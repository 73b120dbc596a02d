/**
 * Sums up waits by group: by reason, by waker, by place, by thread.
 */
import { NONE } from '../../model/units.js';
import { KeyNumbers } from '../input/key-numbers.js';
import { type Distribution, distributionOf } from './distribution.js';
import { WaitSummer, type WaitSums } from './wait-sums.js';
import type { ShownWaits } from './window.js';

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
