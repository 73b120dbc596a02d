/**
 * Recognizes work that a thread did for several requests at once: each of them has a part with it.
 */
import type { RequestPart } from '../../questions/requests/found-requests.js';

/** Returns a text that is the same for the same work; null: it is for one request. Work of a thread that ends at one time is one. */
export function sharedWorkOf({ sharedBy, host, thread, ownEndNs }: RequestPart): string | null {
  return sharedBy < 2 ? null : `${host} ${thread.tid} ${ownEndNs}`;
}
