/**
 * Groups waits by thread and call path, and by blocker within each, and lists those with most time.
 */
import { isOffCpu } from '../../analysis/tree/outside.js';
import { ROOT } from '../../model/calls/call-tree.js';
import type { Shape } from '../../model/calls/overlay.js';
import { NONE } from '../../model/units.js';
import type { CallsOfWaits } from '../../questions/waits/ask-waits.js';
import { wokenNs } from '../../waits/locks/held-time.js';
import { OffState } from '../../waits/schedule/off-state.js';
import type { Waits } from '../../waits/waits.js';
import type { WaitBlockers } from './wait-blockers.js';

/** More call paths, and more blockers of each, are summed up. */
const MAX_PLACES = 200;
export const MAX_BLOCKERS = 8;

export interface WaitGroup {
  waits: number;
  ns: number;
  wakeUpNs: number;
  /** Its longest wait, the first if several are equally long. */
  longest: number;
}

export interface PlaceGroup extends WaitGroup {
  /** What the thread was in, without the time off the CPU itself. */
  readonly node: number;
  /** Listed, the most time first. */
  readonly blockers: readonly BlockerGroup[];
  /** Of those that are not listed; null: none. */
  readonly others: WaitGroup | null;
}

export interface BlockerGroup extends WaitGroup {
  /** Of those listed, over all places. */
  readonly row: number;
}

export interface PlaceGroups {
  readonly places: readonly PlaceGroup[];
  readonly unlisted: WaitGroup;
  /** By wait: the row of its blocker; NONE: not listed. */
  readonly blockerOf: Int32Array;
}

/** `rows`: the waits in question. */
export function groupWaits(
  waits: Waits,
  { paths, waiterNode }: CallsOfWaits,
  blockers: WaitBlockers,
  rows: Uint32Array,
): PlaceGroups {
  const outerNodes = withoutOffCpu(paths);
  const placeOf = (wait: number) => {
    const node = outerNodes[waiterNode[wait]];
    return (waits.tid[wait] * paths.length + node) * 2 + Number(waits.state[wait] === OffState.Preempted);
  };
  const blockerOf = new Int32Array(waits.length).fill(NONE);
  const all = groupBy(waits, rows, placeOf);
  const [listed, unlisted] = split(all, MAX_PLACES);
  const listedRows = new Map(listed.map(([key]) => [key, [] as number[]]));
  for (const wait of rows) listedRows.get(placeOf(wait))?.push(wait);
  let count = 0;
  const places = listed.map(([place, group]): PlaceGroup => {
    const own = listedRows.get(place) as number[];
    const keyOf = (wait: number) => keyOfBlocker(blockers, wait);
    const [kept, others] = split(groupBy(waits, own, keyOf), MAX_BLOCKERS);
    const row = new Map(kept.map(([key]) => [key, count++]));
    for (const wait of own) blockerOf[wait] = row.get(keyOf(wait)) ?? NONE;
    const listedBlockers = kept.map(([key, group]) => ({ ...group, row: row.get(key) as number }));
    const node = outerNodes[waiterNode[group.longest]];
    return { ...group, node, blockers: listedBlockers, others: others.waits > 0 ? others : null };
  });
  return { places, unlisted, blockerOf };
}

/** Returns for each node the path without time off the CPU on its end. */
function withoutOffCpu({ length, parent, symbol }: Shape): Int32Array {
  const nodes = new Int32Array(length);
  for (let node = ROOT + 1; node < length; node++) nodes[node] = isOffCpu(symbol[node]) ? nodes[parent[node]] : node;
  return nodes;
}

/** Different for each blocker: few places have many, so texts are cheap. */
function keyOfBlocker(blockers: WaitBlockers, wait: number): string {
  const { reason } = blockers.facts;
  return [blockers.kindOf(wait), blockers.tidOf(wait), blockers.symbolOf(wait), reason[wait]].join();
}

function groupBy<Key>(waits: Waits, rows: Iterable<number>, keyOf: (wait: number) => Key): Map<Key, WaitGroup> {
  const groups = new Map<Key, WaitGroup>();
  for (const wait of rows) {
    const key = keyOf(wait);
    let group = groups.get(key);
    if (group === undefined) groups.set(key, (group = { waits: 0, ns: 0, wakeUpNs: 0, longest: wait }));
    group.waits++;
    group.ns += waitNs(waits, wait);
    group.wakeUpNs += waits.inNs[wait] - wokenNs(waits, wait);
    if (waitNs(waits, wait) > waitNs(waits, group.longest)) group.longest = wait;
  }
  return groups;
}

/** Returns the groups with most time, and the sum of the others. */
function split<Key>(groups: Map<Key, WaitGroup>, max: number): [[Key, WaitGroup][], WaitGroup] {
  const sorted = [...groups].sort(([, a], [, b]) => b.ns - a.ns || a.longest - b.longest);
  const sum = { waits: 0, ns: 0, wakeUpNs: 0, longest: NONE };
  for (const [, { waits, ns, wakeUpNs }] of sorted.slice(max)) {
    sum.waits += waits;
    sum.ns += ns;
    sum.wakeUpNs += wakeUpNs;
  }
  return [sorted.slice(0, max), sum];
}

export function waitNs({ outNs, inNs }: Waits, wait: number): number {
  return inNs[wait] - outNs[wait];
}
