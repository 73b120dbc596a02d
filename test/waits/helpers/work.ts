/**
 * Work that threads do one after the other, each until they take the next.
 */
import type { Moments } from '../../../src/waits/handoffs/moments.js';
import { eachAlone, endsByNextPop, type Work } from '../../../src/waits/requests/join-requests.js';

export function aloneUntilNext(pops: Moments, lastNs: number): Work {
  return { endNs: endsByNextPop(pops, lastNs), batch: eachAlone(pops.length) };
}
