/**
 * The state of pairing a segment: the open calls, the parked stacks, and whether the trace runs.
 */
import type { ThreadEvents } from '../../model/trace/trace-chunk.js';
import { type Address, type FunctionId, NONE } from '../../model/units.js';
import { type SiteFacts, SYSCALL_BYTES } from '../functions/site-facts.js';
import type { ReplayKernel } from '../host/replay-kernel.js';
import { AlikeStacks } from './alike-stacks.js';
import type { OpenCall } from './calls.js';
import { OpenCalls } from './open-calls.js';
import type { Pairing, PairingMemory } from './pairing.js';
import { ParkedStacks } from './parked-stacks.js';

/** A call that has returned, and its index on the stack. */
export interface Returned {
  readonly call: OpenCall;
  readonly index: number;
}

export const RUNNING = Number.NaN;

export interface SegmentState {
  readonly events: ThreadEvents;
  readonly facts: SiteFacts;
  readonly pairing: Pairing;
  /** Linkage slots known to lead to another stack though no name says so. */
  readonly switcherSlots: Set<Address>;

  /** Pairs calls and returns; null if that is left to TypeScript. */
  readonly kernel: ReplayKernel | null;

  /** The calls of the running stack, and of those below it. */
  readonly open: OpenCalls;
  readonly parked: ParkedStacks;
  /** Rows of the returns from levels that were open when the segment began. */
  readonly unmatchedRows: number[];
  /** The calls that returned last: an aborted transaction may reopen them. */
  readonly returned: Returned[];

  hasBegun: boolean;
  /** Address at which the trace stopped; NaN while it runs. */
  stoppedAt: Address;
  /** Number of bytes after `stoppedAt` at which the trace may continue. */
  resumeReach: number;
  /** The trace stopped at a call into untraced code. */
  stoppedInCall: boolean;
  /** The trace stopped because the lowest traced function returned. */
  isOutside: boolean;
  /** Trace data was lost while the trace was stopped: it can continue only where it stopped. */
  hasLossWhileStopped: boolean;
  /** After the return of a signal handler: where the interrupted code continues. */
  interruptedAt: Address;
}

export function newSegmentState(
  events: ThreadEvents,
  facts: SiteFacts,
  pairing: Pairing,
  switcherSlots: Set<Address>,
  memory: PairingMemory,
): SegmentState {
  return {
    events,
    facts,
    pairing,
    switcherSlots,
    kernel: memory.kernel,
    open: new OpenCalls(memory.calls),
    parked: new ParkedStacks(new AlikeStacks(events, facts)),
    unmatchedRows: [],
    returned: [],
    hasBegun: false,
    stoppedAt: RUNNING,
    resumeReach: SYSCALL_BYTES,
    stoppedInCall: false,
    isOutside: false,
    hasLossWhileStopped: false,
    interruptedAt: Number.NaN,
  };
}

/** Returns the function that the call in a row called. */
export function calledIn({ facts, events }: SegmentState, callRow: number): FunctionId {
  return facts.toFunction[events.site[callRow]];
}

export function hasTrait({ facts }: SegmentState, fn: FunctionId, trait: number): boolean {
  return fn !== NONE && (facts.functions.traits[fn] & trait) !== 0;
}
