/**
 * Where the pairing of a segment stands: the calls that are open, the stacks that wait, and whether the trace runs.
 */
import type { ThreadEvents } from '../../model/trace/thread-events.js';
import { type Address, type FunctionId, NONE } from '../../model/units.js';
import { type SiteFacts, SYSCALL_BYTES } from '../functions/site-facts.js';
import { AlikeStacks } from './alike-stacks.js';
import type { OpenCall } from './calls.js';
import { OpenCalls } from './open-calls.js';
import type { Pairing } from './pairing.js';
import { ParkedStacks } from './parked-stacks.js';

/** A call that has returned, and where it was. */
export interface Returned {
  readonly call: OpenCall;
  readonly index: number;
}

export const RUNNING = Number.NaN;

export interface SegmentState {
  readonly events: ThreadEvents;
  readonly facts: SiteFacts;
  readonly pairing: Pairing;
  /** Linkage slots that are known to lead to another stack, though they have no name that says so. */
  readonly switcherSlots: Set<Address>;

  /** The stack that runs, and those below it. */
  readonly open: OpenCalls;
  readonly parked: ParkedStacks;
  /** Rows of the returns that leave what was running when the segment began. */
  readonly unmatchedRows: number[];
  /** Calls that returned last: a transaction may undo that. */
  readonly returned: Returned[];

  hasBegun: boolean;
  /** Where the trace stopped; NaN while it runs. */
  stoppedAt: Address;
  /** How far behind it the trace may go on. */
  resumeReach: number;
  /** The trace stopped at a call into code that is not traced. */
  stoppedInCall: boolean;
  /** It stopped because the lowest function that was traced returned. */
  isOutside: boolean;
  /** Something was lost while the trace was stopped: it goes on only where it stopped. */
  hasLossWhileStopped: boolean;
  /** A signal handler has returned: what its signal interrupted goes on here. */
  interruptedAt: Address;
}

export function newSegmentState(
  events: ThreadEvents,
  facts: SiteFacts,
  pairing: Pairing,
  switcherSlots: Set<Address>,
): SegmentState {
  return {
    events,
    facts,
    pairing,
    switcherSlots,
    open: new OpenCalls(),
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

/** The function that the call in a row called. */
export function calledIn({ facts, events }: SegmentState, callRow: number): FunctionId {
  return facts.toFunction[events.site[callRow]];
}

export function hasTrait({ facts }: SegmentState, fn: FunctionId, trait: number): boolean {
  return fn !== NONE && (facts.functions.traits[fn] & trait) !== 0;
}
