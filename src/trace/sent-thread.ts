/**
 * A thread to be sent to a worker that does not share the store's memory.
 */
import { CHUNK_LENGTH, isInMemory, runAt, type SharedEvents } from './event-memory.js';
import type { LaneRuns } from './lanes/lane.js';
import type { ThreadSource } from './store-contents.js';

export interface SentThread {
  readonly source: ThreadSource;
  /** Its runs that were in memory: chunks of its own, which nobody else needs. */
  readonly chunks: readonly Int32Array<ArrayBuffer>[];
}

/** Copies the runs of a thread. Those in the temporary file stay there. `free`: chunks that came back, which are filled first. */
export function sentThread(source: ThreadSource, events: SharedEvents, free: Int32Array<ArrayBuffer>[]): SentThread {
  const copy = new RunCopy(free);
  const lanes = source.lanes.map((inputs) => inputs.map((runs) => copiedRuns(runs, events, copy)));
  return { source: { ...source, lanes }, chunks: copy.chunks };
}

function copiedRuns({ addresses, ...runs }: LaneRuns, events: SharedEvents, copy: RunCopy): LaneRuns {
  const own = addresses.map((address, run) =>
    isInMemory(address) ? copy.add(runAt(events, address, runs.lengths[run])) : address,
  );
  return { ...runs, addresses: own };
}

class RunCopy {
  readonly chunks: Int32Array<ArrayBuffer>[] = [];
  private used = CHUNK_LENGTH;

  constructor(private readonly free: Int32Array<ArrayBuffer>[]) {}

  /** Returns the address of the copy. */
  add(run: Int32Array): number {
    if (this.used + run.length > CHUNK_LENGTH) {
      this.chunks.push(this.free.pop() ?? new Int32Array(CHUNK_LENGTH));
      this.used = 0;
    }
    const chunk = this.chunks.length - 1;
    this.chunks[chunk]?.set(run, this.used);
    this.used += run.length;
    return chunk * CHUNK_LENGTH + this.used - run.length;
  }
}
