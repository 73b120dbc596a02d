/**
 * Gives requests and their spans ids: the same for the same request of the same recording, whatever else is asked.
 */
import { createHash } from 'node:crypto';
import type { TraceContext } from '../../questions/requests/trace-contexts.js';

/** Ids of the spans of one request. */
export class SpanIds {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  private readonly high: string;
  private low: number;

  /** `identity`: what no other request has. `context`: of the trace that the request belongs to; null: it is one itself. */
  constructor(identity: string, context: TraceContext | null) {
    const hash = createHash('sha256').update(identity).digest('hex');
    this.traceId = context?.traceId ?? hash.slice(0, 32);
    this.high = hash.slice(32, 40);
    this.low = Number.parseInt(hash.slice(40, 48), 16);
  }

  /** Returns 16 hexadecimal digits, which are not all zero. */
  next(): string {
    this.low = this.low === 0xffff_ffff ? 1 : this.low + 1;
    return `${this.high}${this.low.toString(16).padStart(8, '0')}`;
  }
}

/** Makes texts unique: the second "a" becomes "a 2". */
export class UniqueTexts {
  private readonly counts = new Map<string, number>();

  of(text: string): string {
    const count = (this.counts.get(text) ?? 0) + 1;
    this.counts.set(text, count);
    return count === 1 ? text : `${text} ${count}`;
  }
}
