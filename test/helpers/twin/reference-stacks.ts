/**
 * The stacks of a thread, as the first reading of the reference replay finds them.
 *
 * A level is what one call instruction, signal or kernel entry put on a stack. One stack runs, the others are parked.
 */
import type { Doubt } from '../../../src/model/calls/doubts.js';
import type { InferenceName } from '../../../src/model/profile/profile.js';
import { MAX_CALL_BYTES } from '../../../src/replay/functions/traits.js';
import type { ReferenceCall } from './reference-calls.js';
import type { Fn, ReferenceEvent, ReferenceSite } from './reference-events.js';

export interface Frame {
  fn: Fn;
  /** The names of the frames below it. */
  below: string;
  /** After a hidden jump: when the first event came from it. */
  firstSeenNs: number | null;
  /** Trace data was lost at that time, and no address confirmed it since; else Infinity. */
  knownUntilNs: number;
  /** Why its start was not seen. */
  why: InferenceName | null;
  /** It was called, as opposed to jumped to or found running. */
  isCalled: boolean;
  /** Why it may not be there, or not on these frames. */
  readonly doubts: Set<Doubt>;
  /** Time in a stub, until it is known where that leads. */
  heldNs: number;
  /** Other symbols whose code was seen to be part of it. */
  readonly alsoKnownAs: Fn[];
  readonly call: ReferenceCall;
}

export interface Level {
  readonly begunBy: 'call' | 'kernel entry' | 'signal' | 'before the trace';
  /** A signal that interrupted untraced code: no traced frame is below it. */
  readonly isFromOutside: boolean;
  /** Of the event that began it; NaN: that was not seen. */
  readonly row: number;
  /** Address of the call instruction; for a signal or kernel entry, where the interrupted code continues. */
  readonly address: number;
  /** The called function and its caller; null: that was not seen. */
  readonly callee: Fn | null;
  readonly caller: Fn | null;
  /** Address of the instruction that called it; NaN: that was not seen. */
  readonly calledFrom: number;
  /** The calls that were made from it. */
  readonly made: Level[];
  /** null: that is not seen. */
  end: LevelEnd | null;
  /** An exception has left it for good: no return ends it. */
  isLeft: boolean;
  /** If it was open when its stack, or what is left of it after a loss, was first seen: the return that ends it. */
  returns: LevelEnd | null;
  /** Where it returns to; NaN: no such return was ever known. */
  returnsTo: number;
  /** The called function, and those it jumped to. */
  readonly frames: Frame[];
}

/** How a level ends. */
export interface LevelEnd {
  readonly row: number;
  /**
   * The level that returns: `itself` also if the thread goes on with its stack elsewhere; `unseen`: one that was open
   * before its stack was first seen.
   */
  readonly by: Level | 'itself' | 'unseen';
  /** What is on top of that, lowest first. */
  readonly skipped: readonly Level[];
  /** An event shows it. */
  readonly isSeen: boolean;
}

export interface Stack {
  /** Rows of the returns from levels that were open when it was first seen, in order. */
  readonly unmatched: number[];
  /** It was seen to begin: nothing is below. */
  readonly isWhole: boolean;
  /** It may be the upper part of a stack that is known otherwise. */
  readonly isGuess: boolean;
  /** The call that the stack before it waits at, if others are above: a longjmp. */
  readonly waitsAt: Level | null;
}

/** A stack that waits at its last call. */
export interface Parked {
  readonly stack: Stack;
  readonly calls: readonly Level[];
}

/** How a thread goes on with a stack. */
export interface Resumed {
  /** The call that it waited at. */
  readonly left: Level;
  /** The call that is over now, as those above it are. */
  readonly call: Level;
  /** That call is not over: a function runs on top of it. */
  readonly isJump: boolean;
  readonly isGuess: boolean;
  /** In that case: the lowest call whose return does not tell this stack from others. */
  readonly unsure: Level | null;
  /** The call that the stack before it waits at, if others are above: a longjmp. */
  readonly waitsAt: Level | null;
}

/** A switch between two events. */
export type HiddenSwitch =
  | { readonly is: 'new stack'; readonly stack: Stack }
  | { readonly is: 'resumed'; readonly resumed: Resumed }
  /** Back to a level of the same stack, as it seemed: what is above, up to the call `left`, is a stack of its own. */
  | { readonly is: 'back'; readonly to: Level; readonly left: Level };

/** What an event does to the calls. */
export type Meaning = (
  | { readonly is: 'nothing' | 'resume' | 'jump' | 'jump by return' }
  | { readonly is: 'push'; readonly level: Level }
  | { readonly is: 'pop'; readonly level: Level; readonly split?: Level }
  | { readonly is: 'end of handler'; readonly level: Level }
  /** From a call that was not seen, to a level that stays. */
  | { readonly is: 'return to'; readonly level: Level }
  /** From a level that was open before its stack was first seen. */
  | { readonly is: 'unmatched'; readonly skipped: readonly Level[] }
  | { readonly is: 'resumed'; readonly resumed: Resumed }
  | { readonly is: 'new stack'; readonly stack: Stack; readonly isFromOutside?: boolean }
) & {
  /** No rule explains it: what runs next may be on another stack. */
  readonly isDoubtful?: boolean;
};

export const NOTHING: Meaning = { is: 'nothing' };

/** The events between two losses. */
export interface Segment {
  readonly firstRow: number;
  /** The row after the last one. */
  endRow: number;
  readonly first: Stack;
  /** The stack that runs at the end, and its open calls. */
  last: Stack;
  open: readonly Level[];
  /** Where the trace is stopped at the end; NaN: it runs. */
  stoppedAt: number;
}

/** What is written down. */
export interface WrittenReading {
  /** By row. */
  readonly meanings: Meaning[];
  /** By the row of the first event after the switch. */
  readonly hidden: Map<number, HiddenSwitch>;
  /** The calls at which stacks are left that go on later. */
  readonly left: Set<Level>;
}

export interface FirstReading extends WrittenReading {
  readonly segments: readonly Segment[];
}

/** The stacks while the events of a segment are read: what the rules of switches see. */
export interface OpenStacks {
  readonly events: readonly ReferenceEvent[];
  readonly sites: readonly ReferenceSite[];
  readonly reading: WrittenReading;
  readonly firstRow: number;
  readonly hasLosses: boolean;
  /** Of the stack that runs; lowest first. */
  calls: Level[];
  running: Stack;
  /** In the order in which they were parked. */
  parked: readonly Parked[];
  /** The last call that was made to switch stacks, until it is known what ran next. */
  switching: Level | null;
  /** The lowest call to a longjmp, until it is known where that landed. */
  jumping: Level | null;
  callerFor(to: number, isNear: boolean): number;
  end(event: ReferenceEvent, index: number): Meaning;
  leftRowOf(event: ReferenceEvent, level: Level): number | null;
  switchBefore(row: number, hidden: HiddenSwitch): void;
}

export const isSignal = ({ begunBy }: Level) => begunBy === 'signal';
export function newStack(rest: Partial<Stack> = {}): Stack {
  return { unmatched: [], isWhole: false, isGuess: false, waitsAt: null, ...rest };
}

export const isWithin = (address: number, to: number, reach: number) => address <= to && to <= address + reach;

/** A return to here ends a signal: the code there is not what was interrupted. */
export const SIGNAL_END = Number.NaN;

/** True if a return to an address ends the level. A kernel entry may return to the very instruction. */
export function endsAt({ begunBy, address }: Pick<Level, 'begunBy' | 'address'>, to: number): boolean {
  if (begunBy === 'signal') return Number.isNaN(to);
  return isWithin(address, to, MAX_CALL_BYTES) && (begunBy === 'kernel entry' || to !== address);
}

/** Deeper calls are not searched for those that are near. */
export const MAX_NEAR = 64;
