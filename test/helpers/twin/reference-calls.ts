/**
 * Every call of a thread and every interval of its time: what answers are checked against.
 */
import type { InferenceName } from '../../../src/model/profile/profile.js';

export interface ReferenceCall {
  /** The name it turned out to have in the end. */
  fn: string;
  /** A stop, such as `[syscall]`. */
  readonly isStop: boolean;
  startNs: number;
  endNs: number;
  /** Why it is inferred; null: it is complete. */
  why: InferenceName | 'stop' | null;
  /** It is complete, and an exception or a longjmp ended it. */
  isUnwound: boolean;
  /** If it is inferred: for how long it certainly lasted. */
  knownNs: number;
  /** The calls below it, lowest first, and itself. */
  stack: readonly ReferenceCall[];
  /** The names of the calls below it, as they were then. */
  below: readonly string[];
}

/** An interval between two events: its time belongs to the call on top. */
export interface ReferenceInterval {
  readonly stack: readonly ReferenceCall[];
  /** The names of all calls except the topmost, as they were then. */
  readonly below: readonly string[];
  readonly fromNs: number;
  readonly toNs: number;
  /** `hidden`: inferred only because of a hidden jump. */
  readonly certainty: 'certain' | 'hidden' | 'unconfirmed';
}

export interface ReferenceThread {
  readonly tid: number;
  /** In the order in which they began. */
  readonly calls: readonly ReferenceCall[];
  readonly intervals: readonly ReferenceInterval[];
}

export function pathOf({ fn, below }: ReferenceCall): string[] {
  return [...below, fn];
}

/** Returns the call that the time of an interval belongs to, if anything was open. */
export function pathOfInterval({ stack, below }: ReferenceInterval): string[] {
  const top = stack.at(-1);
  return top ? [...below, top.fn] : [];
}

/** Records calls and intervals in the order in which they come. */
export class CallList {
  readonly calls: ReferenceCall[] = [];
  readonly intervals: ReferenceInterval[] = [];

  open(fn: string, startNs: number, under: readonly ReferenceCall[], isStop = false): ReferenceCall {
    const open = { endNs: Number.NaN, why: null, isUnwound: false, knownNs: Number.NaN };
    const call: ReferenceCall = { fn, isStop, startNs, ...open, stack: [], below: [] };
    moveOnto(call, under);
    this.calls.push(call);
    return call;
  }

  close(
    call: ReferenceCall,
    endNs: number,
    why: ReferenceCall['why'] | 'unwound',
    knownNs = endNs - call.startNs,
  ): void {
    call.endNs = endNs;
    call.why = why === 'unwound' ? null : why;
    call.isUnwound = why === 'unwound';
    call.knownNs = knownNs;
  }

  spend(
    stack: readonly ReferenceCall[],
    fromNs: number,
    toNs: number,
    certainty: ReferenceInterval['certainty'] = 'certain',
  ) {
    const below = stack.at(-1)?.below ?? [];
    if (toNs > fromNs) this.intervals.push({ stack, below, fromNs, toNs, certainty });
  }
}

/** Moves a call on top of these. */
export function moveOnto(call: ReferenceCall, under: readonly ReferenceCall[]): void {
  call.stack = [...under, call];
  call.below = under.map(({ fn }) => fn);
}
