/**
 * Sums up waits by group: by reason, by waker, by place, by thread.
 */
import { NONE } from '../../model/units.js';
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
  const groups = new Map<number, number>(); // by key
  const groupOf = new Uint32Array(rows.length);
  const counts: number[] = [];
  for (let at = 0; at < rows.length; at++) {
    const key = keyOf(rows[at]);
    let group = groups.get(key);
    if (group === undefined) {
      group = counts.push(0) - 1;
      groups.set(key, group);
    }
    groupOf[at] = group;
    counts[group]++;
  }
  const found = rowsByGroup(rows, groupOf, counts).map((own) => groupOfRows(waits, own));
  return found.sort((a, b) => b.offNs - a.offNs || a.example - b.example);
}

/** Sums up waits together. */
export function groupOfRows(waits: ShownWaits, rows: Uint32Array): WaitGroup {
  const { isOpen, isCut, inNs, outNs } = waits;
  const sums = new WaitSummer();
  const durations = new Float64Array(rows.length);
  let ended = 0;
  let cut = 0;
  let longestOpenNs = 0;
  for (const wait of rows) {
    const ns = inNs[wait] - outNs[wait];
    sums.add(waits, wait);
    cut += isCut[wait];
    if (isOpen[wait] || isCut[wait]) longestOpenNs = Math.max(longestOpenNs, ns);
    else durations[ended++] = ns;
  }
  const example = rows.length > 0 ? rows[0] : NONE;
  return { ...sums.build(), example, cut, durations: distributionOf(durations.subarray(0, ended)), longestOpenNs };
}

function rowsByGroup(rows: Uint32Array, groupOf: Uint32Array, counts: readonly number[]): Uint32Array[] {
  const all = counts.map((count) => new Uint32Array(count));
  const filled = counts.map(() => 0);
  rows.forEach((row, at) => {
    const group = groupOf[at];
    all[group][filled[group]++] = row;
  });
  return all;
}
