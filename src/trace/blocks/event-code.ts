/**
 * The encoding of events in blocks: an event is two LEB128 numbers (`codec/byte-writer.ts`).
 *
 * The first is the distance of its site from the expected one. The second is the step from the previous time plus one,
 * or 0, followed by the eight bytes of the time itself.
 */
import { countBelow } from '../../model/columns.js';
import { type BranchSites, RECORD_SITES } from '../../model/trace/branch-sites.js';

export const FAR_TIME = 0;
export const MAX_STEP_NS = 2 ** 30;

/** The expected site at the start of a part. */
export const FIRST_EXPECTED = 0;

/** Sites just before the branch target get the shortest codes, too, because loops go back a little. */
const SITES_BACK = 16;

/**
 * Returns for each site the one with code 0 after it; both count from the first branch site. Execution continues at a
 * branch's target, and sites are sorted by origin, so the next site is near.
 */
export function expectedSites({ length, from, to }: Pick<BranchSites, 'length' | 'from' | 'to'>): Int32Array {
  const count = Math.max(length - RECORD_SITES, 0);
  const expected = new Int32Array(new SharedArrayBuffer(count * Int32Array.BYTES_PER_ELEMENT));
  const origins = from.subarray(RECORD_SITES);
  for (let site = 0; site < count; site++) {
    const next = countBelow(origins, to[site + RECORD_SITES]) - SITES_BACK;
    expected[site] = ((next % count) + count) % count;
  }
  return expected;
}
