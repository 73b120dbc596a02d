/**
 * Every call of a thread and every stretch of its time, one by one: what answers are checked against.
 */
import type { InferenceName } from '../../../src/model/profile/quality.js';

export interface PlainCall {
  /** What it turned out to be in the end. */
  fn: string;
  /** `[syscall]` and its kin. */
  readonly isStop: boolean;
  startNs: number;
  endNs: number;
  /** Why it was not seen whole; null: it was. */
  why: InferenceName | 'stop' | null;
  /** An exception or a longjmp ended it, and it was seen whole. */
  isUnwound: boolean;
  /** If it was not seen whole: for how long it was surely there. */
  knownNs: number;
  /** The calls that it stood on, lowest first, and itself. */
  stack: readonly PlainCall[];
  /** The names of those that it stood on, as they were then. */
  below: readonly string[];
}

/** While nothing happens, time goes to the call on top. */
export interface PlainStretch {
  readonly stack: readonly PlainCall[];
  /** The names of all but the topmost, as they were then. */
  readonly below: readonly string[];
  readonly fromNs: number;
  readonly toNs: number;
  /** Hidden: in doubt only because of a jump that was not shown. */
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

/** Where the time of a stretch is; nowhere if nothing was open. */
export function pathOfStretch({ stack, below }: PlainStretch): string[] {
  const top = stack.at(-1);
  return top ? [...below, top.fn] : [];
}

/** Writes them down as they come. */
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

/** From now on it stands on these. */
export function place(call: PlainCall, under: readonly PlainCall[]): void {
  call.stack = [...under, call];
  call.below = under.map(({ fn }) => fn);
}
