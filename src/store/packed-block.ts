/**
 * How a block of events is laid out: a head, a part for each processor, and the events of one part behind the other.
 *
 * An event is two numbers of seven bits a byte. The first is how far its site lies behind the place where the site before it leads
 * to; the second is the step from the time before plus one, or 0 and the time itself.
 */
import type { BranchSites } from '../model/branch-sites.js';
import { RECORD_SITES } from '../model/branch-sites.js';

/** Of the head: the thread, how many parts and events there are, zero, the earliest and the latest time. */
export const Head = { Tid: 0, Parts: 4, Events: 8, StartNs: 16, EndNs: 24 } as const;
export const BLOCK_HEAD_BYTES = 32;
/** Of a part: its processor, how many events it has, and the time that its first step is counted from. */
export const Part = { Cpu: 0, Events: 4, StartNs: 8 } as const;
export const PART_BYTES = 16;

/** Of a number: seven bits, and whether more follow. */
export const MORE = 128;
export const FAR_TIME = 0;
export const LARGEST_STEP_NS = 2 ** 30;

/** Where the first event of a part is expected, as an event behind nothing. */
export const NO_SITE = 0;

/** A few sites before the place where control comes to still have the shortest code: loops go back a little. */
const SITES_BACK = 16;

/**
 * By site, both counted from the first that is a branch: the site that has the code 0 behind it. `from` ascends in a file that was
 * not made up; whatever it does, the result is the same wherever it is worked out.
 */
export function expectedSites({ length, from, to }: Pick<BranchSites, 'length' | 'from' | 'to'>): Int32Array {
  const count = Math.max(length - RECORD_SITES, 0);
  const expected = new Int32Array(new SharedArrayBuffer(count * Int32Array.BYTES_PER_ELEMENT));
  const origins = from.subarray(RECORD_SITES);
  for (let site = 0; site < count; site++) {
    const landing = countBelow(origins, to[site + RECORD_SITES]) - SITES_BACK;
    expected[site] = ((landing % count) + count) % count;
  }
  return expected;
}

function countBelow(ascending: Float64Array, bound: number): number {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ascending[middle] < bound) low = middle + 1;
    else high = middle;
  }
  return low;
}
