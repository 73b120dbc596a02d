/**
 * Keeps chunks of calls as long as they fit; those that were not used for the longest time go first.
 */
import type { Spans } from '../../../model/timeline/timeline.js';
import type { Tid } from '../../../model/units.js';

/** Two times and two numbers. */
const CALL_BYTES = 24;

export class ChunkCache {
  /** The most recently used last. */
  private readonly chunks = new Map<string, Spans>();
  private readonly maxBytes: number;
  private bytes = 0;

  constructor(maxBytes: number) {
    this.maxBytes = maxBytes;
  }

  get(key: string): Spans | undefined {
    const calls = this.chunks.get(key);
    if (calls === undefined) return undefined;
    this.chunks.delete(key);
    this.chunks.set(key, calls);
    return calls;
  }

  has(key: string): boolean {
    return this.chunks.has(key);
  }

  add(key: string, calls: Spans): void {
    if (this.chunks.has(key)) return;
    this.chunks.set(key, calls);
    this.bytes += bytesOf(calls);
    for (const [oldest, own] of this.chunks) {
      if (this.bytes <= this.maxBytes) return;
      this.chunks.delete(oldest);
      this.bytes -= bytesOf(own);
    }
  }
}

function bytesOf({ node }: Spans): number {
  return CALL_BYTES * node.length;
}

export function chunkKey(tid: Tid, level: number, chunk: number): string {
  return `${tid}/${level}/${chunk}`;
}
