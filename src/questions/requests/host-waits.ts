/**
 * The waits of a host, with the stacks of waiters and wakers: of requests that keys join, they matter only for details.
 */
import { type Waits, waitsOf } from '../../waits/waits.js';
import { type CallsOfTrace, type CallsOfWaits, pathsOfWaits, type TraceWaits } from '../waits/ask-waits.js';
import type { ThreadDirectory } from '../waits/thread-directory.js';
import { WaitFacts } from '../waits/wait-facts.js';
import { waitInputOf } from '../waits/wait-input.js';

/** Waits, why they were, and where. */
export interface PlacedWaits {
  readonly waits: Waits;
  readonly calls: CallsOfWaits;
  readonly facts: WaitFacts;
}

export class HostWaits {
  readonly trace: TraceWaits['trace'];
  readonly threads: ThreadDirectory;
  readonly calls: CallsOfTrace;
  private known: Waits | null = null;
  private placed: Promise<PlacedWaits> | null = null;

  constructor(trace: TraceWaits['trace'], threads: ThreadDirectory, calls: CallsOfTrace) {
    this.trace = trace;
    this.threads = threads;
    this.calls = calls;
  }

  /** Of waits whose stacks were asked for in the first replay. */
  static of({ trace, threads, waits }: TraceWaits, calls: CallsOfWaits): HostWaits {
    const own = new HostWaits(trace, threads, calls);
    own.known = waits;
    own.placed = Promise.resolve({ waits, calls, facts: new WaitFacts({ waits, calls }) });
    return own;
  }

  readonly waits = (): Waits => {
    this.known ??= waitsOf(waitInputOf(this.trace));
    return this.known;
  };

  withPlaces(): Promise<PlacedWaits> {
    this.placed ??= this.place();
    return this.placed;
  }

  private async place(): Promise<PlacedWaits> {
    const waits = this.waits();
    const calls = await pathsOfWaits(this.calls, waits);
    return { waits, calls, facts: new WaitFacts({ waits, calls }) };
  }
}
