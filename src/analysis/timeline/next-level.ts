/**
 * Finds a coarser level of sums without making them: levels that are surely too fine are passed over.
 */
import type { ListedCalls, ListedTimes, ThreadSums } from '../../model/profile/timeline.js';
import { type Nanoseconds, NONE } from '../../model/units.js';
import { keptNodes, NO_SUMS, type Resolution, resolutionOf, sliceAround, type TimedPaths } from './resolution.js';
import { bytesOf } from './sums-builder.js';

export interface SummedThread {
  readonly sums: ThreadSums | null;
  readonly paths: TimedPaths;
}

/**
 * Returns the finest level after `level`, which all threads have, at which their sums may take at most so many bytes.
 * `durationNs`: of the timeline.
 */
export function nextLevel(
  threads: readonly SummedThread[],
  level: number,
  durationNs: Nanoseconds,
  maxBytes: number,
): number {
  const { sliceNs } = resolutionOf(level, durationNs);
  for (let next = level + 1; next < NO_SUMS; next++) {
    const resolution = resolutionOf(next, durationNs);
    let bytes = 0;
    for (const thread of threads) {
      bytes += leastBytes(thread, sliceNs, resolution);
      if (bytes > maxBytes) break;
    }
    if (bytes <= maxBytes) return next;
  }
  return NO_SUMS;
}

/** Returns how many bytes sums take at least at a coarser level: what is listed now may add rows. */
function leastBytes({ sums, paths }: SummedThread, sliceNs: Nanoseconds, to: Resolution): number {
  if (sums === null) return 0;
  const { rows, calls, times } = sums;
  const kept = keptNodes(paths, to.minPathNs);
  const callCount = crossingCalls(calls, kept, to);
  return bytesOf(rowCount(rows, sliceNs, to.sliceNs, kept), callCount, crossingTimes(times, to));
}

function crossingCalls({ startNs, endNs, node }: ListedCalls, kept: Int32Array, to: Resolution): number {
  let count = 0;
  for (let row = 0; row < node.length; row++)
    if (kept[node[row]] === node[row] && sliceAround(to, startNs[row], endNs[row]) === NONE) count++;
  return count;
}

function crossingTimes({ startNs, endNs }: ListedTimes, to: Resolution): number {
  let count = 0;
  for (let row = 0; row < startNs.length; row++) if (sliceAround(to, startNs[row], endNs[row]) === NONE) count++;
  return count;
}

/** Returns how many rows there are in longer slices. `kept`: by node, the one that stands for it. */
function rowCount(
  { slice, node, selfNs }: ThreadSums['rows'],
  fromNs: Nanoseconds,
  toNs: Nanoseconds,
  kept: Int32Array,
): number {
  const last = new Int32Array(kept.length).fill(NONE);
  let count = 0;
  for (let row = 0; row < node.length; row++) {
    const own = kept[node[row]];
    const longer = Math.floor((slice[row] * fromNs) / toNs);
    if (longer <= last[own] || (own !== node[row] && selfNs[row] === 0)) continue;
    last[own] = longer;
    count++;
  }
  return count;
}
