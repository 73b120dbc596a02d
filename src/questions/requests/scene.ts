/**
 * All that was found of the requests of one or several hosts, before they are described.
 */
import type { FunctionSet } from '../../analysis/questions.js';
import type { Flow } from '../../waits/flow.js';
import type { Hosts } from '../../waits/host-flows.js';
import type { Parts } from '../../waits/join-requests.js';
import { type Waits, waitsOf } from '../../waits/waits.js';
import {
  type CallsOfTrace,
  type CallsOfWaits,
  pathsOfWaits,
  type TraceWaits,
  waitInputOf,
} from '../waits/ask-waits.js';
import type { ThreadDirectory } from '../waits/thread-directory.js';
import { WaitFacts } from '../waits/wait-facts.js';
import type { NamedFlow } from './named-flow.js';
import type { HostRoots, RootCalls } from './roots.js';

/** The trace of a host, and what the question selects in it. */
export interface HostTrace {
  readonly name: string | null;
  readonly traced: HostWaits;
  readonly calls: CallsOfTrace;
  readonly functions: FunctionSet;
  readonly flows: readonly NamedFlow[];
}

/** Times and threads are those of the host. */
export interface HostScene extends HostTrace {
  readonly roots: RootCalls;
}

/** Times are on the common clock, and threads have common ids; on a single host, they are its own. */
export interface Scene {
  readonly hosts: readonly HostScene[];
  readonly common: Hosts;
  readonly roots: HostRoots;
  readonly flow: Flow;
  readonly parts: Parts;
}

/** Waits, why they were, and where. */
export interface PlacedWaits {
  readonly waits: Waits;
  readonly calls: CallsOfWaits;
  readonly facts: WaitFacts;
}

/** The waits of a host, with the stacks of waiters and wakers: of requests that keys join, they matter only for details. */
export class HostWaits {
  private known: Waits | null = null;
  private placed: Promise<PlacedWaits> | null = null;

  constructor(
    readonly trace: TraceWaits['trace'],
    readonly threads: ThreadDirectory,
    readonly calls: CallsOfTrace,
  ) {}

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
