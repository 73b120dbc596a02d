/**
 * Where events are kept: one run behind the other in large chunks, shared so that other threads can read them.
 */
import { assert } from '../model/errors.js';

/** Numbers a chunk has room for: 4 MiB. */
const CHUNK_LENGTH = 1024 * 1024;

/** Where a run stands, counted in numbers over all chunks. */
export type Place = number;

/** What another thread needs to read runs; plain data. */
export interface SharedEvents {
  readonly chunks: readonly Int32Array[];
}

export class EventMemory {
  private readonly chunks: Int32Array[] = [];
  private used = CHUNK_LENGTH;

  /** Keeps a copy of a run, which is shorter than a chunk. */
  add(run: Int32Array): Place {
    assert(run.length <= CHUNK_LENGTH, 'a run that is longer than a chunk');
    if (this.used + run.length > CHUNK_LENGTH) {
      this.chunks.push(new Int32Array(new SharedArrayBuffer(4 * CHUNK_LENGTH)));
      this.used = 0;
    }
    const chunk = this.chunks.length - 1;
    (this.chunks[chunk] as Int32Array).set(run, this.used);
    this.used += run.length;
    return chunk * CHUNK_LENGTH + this.used - run.length;
  }

  shared(): SharedEvents {
    return { chunks: this.chunks };
  }
}

/** A run; shares memory with where it is kept. */
export function runAt({ chunks }: SharedEvents, place: Place, length: number): Int32Array {
  const chunk = Math.floor(place / CHUNK_LENGTH);
  const start = place - chunk * CHUNK_LENGTH;
  return (chunks[chunk] as Int32Array).subarray(start, start + length);
}
