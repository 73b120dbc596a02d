/**
 * Remembers work that a thread did for several requests at once: each has a span of it, and these are linked.
 */
import type { RequestDetails, RequestPart } from '../../pipeline/requests/found-requests.js';

export interface SpanPlace {
  readonly traceId: string;
  readonly spanId: string;
}

export class SharedWork {
  private readonly first = new Map<string, SpanPlace>();

  /**
   * Returns the span of the first request for which the work was done. Work of one thread that ends at the same time is
   * the same. Of requests of different hosts, times are on different clocks: their spans are not linked.
   */
  firstOf({ host }: RequestDetails, { host: at, thread, endNs }: RequestPart, own: SpanPlace): SpanPlace {
    const key = `${host} ${at} ${thread.tid} ${endNs}`;
    const known = this.first.get(key);
    if (known === undefined) this.first.set(key, own);
    return known ?? own;
  }
}
