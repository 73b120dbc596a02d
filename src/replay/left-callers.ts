/**
 * Callers that no return reveals, for an exception or a longjmp left them. Whoever it landed in, and nobody saw being called,
 * was below all that had run: it is known by what it called later and never came back from, or by the return that ends it.
 */
import type { ThreadEvents } from '../model/thread-events.js';
import { type FunctionId, NONE } from '../model/units.js';
import type { SiteFacts } from './site-facts.js';
import { Trait } from './traits.js';

/** What ran on a level from when it was first seen until it was left. */
export interface LeftLevel {
  /** The function it began with. */
  readonly first: FunctionId;
  /** Rows of the calls that never returned, in their order. */
  readonly callRows: ArrayLike<number>;
  /** The function that left it, or that ran when the trace ended; or NONE. */
  readonly last: FunctionId;
}

/** Nothing is looked for behind so many calls. */
export const MOST_LEFT_CALLS = 256;

/** The functions of the callers that control landed in, the uppermost first. */
export function leftCallers(level: LeftLevel, { site }: ThreadEvents, facts: SiteFacts): FunctionId[] {
  const { fromFunction, toFunction } = facts;
  if (level.callRows.length > MOST_LEFT_CALLS) return [];
  const stack = new LeftStack(level.first, facts);
  for (let index = 0; index < level.callRows.length; index++) {
    const id = site[level.callRows[index] as number];
    stack.runsIn(fromFunction[id]);
    stack.call(toFunction[id]);
  }
  stack.runsIn(level.last);
  return stack.isClear ? stack.landings : [];
}

/** The functions above the lowest that is known, as far as calls tell. */
class LeftStack {
  readonly landings: FunctionId[] = [];
  /** False: it landed in code without a name, which may be part of any function. */
  isClear = true;
  private functions: FunctionId[];
  private readonly facts: SiteFacts;

  constructor(first: FunctionId, facts: SiteFacts) {
    this.functions = [first];
    this.facts = facts;
  }

  call(fn: FunctionId): void {
    this.functions.push(fn === NONE ? this.facts.functions.nameless : fn);
  }

  /** What happens next happens in a function. */
  runsIn(fn: FunctionId): void {
    const { functions } = this;
    const top = functions.length - 1;
    if (fn === NONE || this.isSame(functions[top] as FunctionId, fn)) return;
    const unwinder = this.hasTrait(fn, Trait.Unwinder) ? NONE : this.unwinder();
    if (unwinder === NONE)
      functions[top] = fn; // it jumped; a stub of an unwinder to the unwinder itself
    else this.landIn(fn, unwinder);
  }

  private landIn(fn: FunctionId, unwinder: number): void {
    const isResumed = this.hasTrait(this.functions[unwinder] as FunctionId, Trait.Resumer);
    const below = this.functions.slice(0, isResumed ? Math.max(0, unwinder - 1) : unwinder);
    const place = below.findLastIndex((open) => this.isSame(open, fn));
    if (place !== NONE) this.functions.length = place + 1;
    else {
      this.landings.push(fn);
      if (this.hasTrait(fn, Trait.Unknown)) this.isClear = false;
      this.functions = [fn];
    }
  }

  /** The place of the uppermost unwinder, if nothing but nameless code runs on it; or NONE. */
  private unwinder(): number {
    const place = this.functions.findLastIndex((fn) => !this.hasTrait(fn, Trait.Unknown));
    const fn = this.functions[place] ?? NONE;
    const isUnwinder = fn !== NONE && this.hasTrait(fn, Trait.Unwinder) && !this.hasTrait(fn, Trait.Switcher);
    return isUnwinder ? place : NONE;
  }

  private isSame(a: FunctionId, b: FunctionId): boolean {
    const { symbol } = this.facts.functions;
    return a === b || (symbol[a] === symbol[b] && !this.hasTrait(a, Trait.Unknown));
  }

  private hasTrait(fn: FunctionId, trait: number): boolean {
    return (this.facts.functions.traits[fn] & trait) !== 0;
  }
}
