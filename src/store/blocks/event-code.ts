/**
 * How events are written: an event is two numbers, of seven bits a byte (`codec/byte-writer.ts`).
 *
 * The first is how far its site lies behind the one that is expected; the second is the step from the time before plus one, or 0
 * before the eight bytes of the time itself.
 */
import { type BranchSites, RECORD_SITES } from '../../model/trace/branch-sites.js';

export const FAR_TIME = 0;
export const MAX_STEP_NS = 2 ** 30;

/** What is expected where a part begins. */
export const FIRST_EXPECTED = 0;

/** A few sites before the place where control comes to still have the shortest code: loops go back a little. */
const SITES_BACK = 16;

/**
 * By site, both counted from the first that is a branch: which one has the code 0 behind it. Control runs on from where a branch
 * leads to, and sites stand by where they come from: so what follows is near.
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
