/**
 * Every call of a thread and every interval of its time: what answers are checked against.
 */
import type { InferenceName } from '../../../src/model/profile/quality.js';

export interface PlainCall {
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
  stack: readonly PlainCall[];
  /** The names of the calls below it, as they were then. */
  below: readonly string[];
}

/** An interval between two events: its time belongs to the call on top. */
export interface PlainStretch {
  readonly stack: readonly PlainCall[];
  /** The names of all calls except the topmost, as they were then. */
  readonly below: readonly string[];
  readonly fromNs: number;
  readonly toNs: number;
  /** `hidden`: inferred only because of a hidden jump. */
  readonly certainty: 'sure' | 'hidden' | 'guess';
}

export interface PlainThread {
  readonly tid: number;
  /** In the order in which they began. */
  readonly calls: readonly PlainCall[];
  readonly stretches: readonly PlainStretch[];
}

export function pathOf({ fn, below }: PlainCall): string[] {
  return [...below, fn];
}

/** Returns the call that the time of an interval belongs to, if anything was open. */
export function pathOfStretch({ stack, below }: PlainStretch): string[] {
  const top = stack.at(-1);
  return top ? [...below, top.fn] : [];
}

/** Records calls and intervals in the order in which they come. */
export class CallList {
  readonly calls: PlainCall[] = [];
  readonly stretches: PlainStretch[] = [];

  open(fn: string, startNs: number, under: readonly PlainCall[], isStop = false): PlainCall {
    const open = { endNs: Number.NaN, why: null, isUnwound: false, knownNs: Number.NaN };
    const call: PlainCall = { fn, isStop, startNs, ...open, stack: [], below: [] };
    place(call, under);
    this.calls.push(call);
    return call;
  }

  close(call: PlainCall, endNs: number, why: PlainCall['why'] | 'unwound', knownNs = endNs - call.startNs): void {
    call.endNs = endNs;
    call.why = why === 'unwound' ? null : why;
    call.isUnwound = why === 'unwound';
    call.knownNs = knownNs;
  }

  spend(stack: readonly PlainCall[], fromNs: number, toNs: number, certainty: PlainStretch['certainty'] = 'sure') {
    const below = stack.at(-1)?.below ?? [];
    if (toNs > fromNs) this.stretches.push({ stack, below, fromNs, toNs, certainty });
  }
}

/** Moves a call on top of these. */
export function place(call: PlainCall, under: readonly PlainCall[]): void {
  call.stack = [...under, call];
  call.below = under.map(({ fn }) => fn);
}
