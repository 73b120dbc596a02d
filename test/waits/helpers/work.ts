/**
 * Work that threads do one after the other, each until they take the next.
 */

import { eachAlone, endsByNextPop, type Work } from '../../../src/waits/join-requests.js';
import type { Moments } from '../../../src/waits/moments.js';

export function aloneUntilNext(pops: Moments, lastNs: number): Work {
  return { endNs: endsByNextPop(pops, lastNs), batch: eachAlone(pops.length) };
}
