/**
 * A thread to be sent to a worker that does not share the store's memory.
 */
import { CHUNK_LENGTH, runAt, type SharedEvents } from './event-memory.js';
import type { LaneRuns } from './lanes/lane.js';
import type { ThreadSource } from './store-contents.js';

export interface SentThread {
  readonly source: ThreadSource;
  /** Its runs that were in memory: chunks of its own, which nobody else needs. */
  readonly chunks: readonly Int32Array<ArrayBuffer>[];
}

/** Copies the runs of a thread. Those in the temporary file stay there. */
export function sentThread(source: ThreadSource, events: SharedEvents): SentThread {
  const copy = new RunCopy(lengthOf(source));
  const lanes = source.lanes.map((inputs) => inputs.map((runs) => copiedRuns(runs, events, copy)));
  return { source: { ...source, lanes }, chunks: copy.chunks };
}

/** Of all runs in memory. */
function lengthOf({ lanes }: ThreadSource): number {
  let sum = 0;
  for (const inputs of lanes)
    for (const { addresses, lengths } of inputs)
      for (let run = 0; run < addresses.length; run++) if (addresses[run] >= 0) sum += lengths[run];
  return sum;
}

function copiedRuns({ addresses, ...runs }: LaneRuns, events: SharedEvents, copy: RunCopy): LaneRuns {
  const own = addresses.map((address, run) =>
    address < 0 ? address : copy.add(runAt(events, address, runs.lengths[run])),
  );
  return { ...runs, addresses: own };
}

class RunCopy {
  readonly chunks: Int32Array<ArrayBuffer>[] = [];
  /** Numbers to come. */
  private left: number;
  private used = CHUNK_LENGTH;

  constructor(length: number) {
    this.left = length;
  }

  /** Returns the address of the copy. */
  add(run: Int32Array): number {
    if (this.used + run.length > CHUNK_LENGTH) {
      this.chunks.push(new Int32Array(Math.min(CHUNK_LENGTH, this.left)));
      this.used = 0;
    }
    const chunk = this.chunks.length - 1;
    this.chunks[chunk]?.set(run, this.used);
    this.used += run.length;
    this.left -= run.length;
    return chunk * CHUNK_LENGTH + this.used - run.length;
  }
}
