/**
 * Finds callers that no return reveals because an exception or a longjmp landed in them. A function that it landed in
 * and that was not seen being called was below everything that had run: it is known by the calls it made later that
 * never returned, or by the return that ends it.
 */
import { type FunctionId, NONE } from '../../model/units.js';
import { orNameless } from '../functions/function-table.js';
import { Trait } from '../functions/traits.js';
import { MAX_SKIPPED_ROWS } from '../pairing/pairing.js';
import { countSteps } from '../stack/unwinder-steps.js';
import type { ReplayState } from '../state.js';

/** What happened on a level from when it was first seen until it ended. */
export interface LevelHistory {
  /** The function it began with. */
  readonly first: FunctionId;
  /** Rows of the calls that never returned, in order. */
  readonly callRows: ArrayLike<number>;
  /** The function that ended it, or that ran when the trace ended; or NONE. */
  readonly last: FunctionId;
  /** The row of the event at its end. */
  readonly lastRow: number;
}

/** A function that control landed in. */
export interface LandedCaller {
  readonly fn: FunctionId;
  /** The unwinder stepped over more frames than are known above it: what was between is unknown. */
  readonly isBelowUnknown: boolean;
}

/** Returns the callers that control landed in, uppermost first. */
export function landedCallers(state: ReplayState, level: LevelHistory): LandedCaller[] {
  const { site } = state.events;
  const { fromFunction, toFunction } = state.facts;
  if (level.callRows.length > MAX_SKIPPED_ROWS) return [];
  const stack = new SimulatedStack(level.first, state);
  for (let index = 0; index < level.callRows.length; index++) {
    const row = level.callRows[index] as number;
    stack.runsIn(fromFunction[site[row]], row);
    stack.call(toFunction[site[row]], row);
  }
  stack.runsIn(level.last, level.lastRow);
  return stack.isClear ? stack.landings : [];
}

/** The functions above the lowest known one, as far as calls reveal them. */
class SimulatedStack {
  readonly landings: LandedCaller[] = [];
  /** False if control landed in nameless code, which may be part of any function. */
  isClear = true;
  private functions: FunctionId[];
  /** By index: the row of the call; NONE for the lowest. */
  private rows: number[] = [NONE];
  private readonly state: ReplayState;

  constructor(first: FunctionId, state: ReplayState) {
    this.functions = [first];
    this.state = state;
  }

  call(fn: FunctionId, row: number): void {
    this.functions.push(orNameless(this.state.facts.functions, fn));
    this.rows.push(row);
  }

  /** Notes that the event in `row` happens in a function. */
  runsIn(fn: FunctionId, row: number): void {
    const { functions } = this;
    const top = functions.length - 1;
    if (fn === NONE || this.isSame(functions[top] as FunctionId, fn)) return;
    const unwinder = this.hasTrait(fn, Trait.Unwinder) ? NONE : this.unwinder();
    if (unwinder === NONE)
      functions[top] = fn; // it jumped, or a stub of an unwinder led to the unwinder
    else this.landIn(fn, unwinder, row);
  }

  private landIn(fn: FunctionId, unwinder: number, row: number): void {
    const isResumed = this.hasTrait(this.functions[unwinder] as FunctionId, Trait.Resumer);
    const below = this.functions.slice(0, isResumed ? Math.max(0, unwinder - 1) : unwinder);
    const index = below.findLastIndex((open) => this.isSame(open, fn));
    if (index !== NONE) {
      this.functions.length = index + 1;
      this.rows.length = index + 1;
    } else {
      const callRow = this.rows[unwinder] as number;
      const isBelowUnknown = callRow !== NONE && countSteps(this.state, callRow, row) > unwinder;
      this.landings.push({ fn, isBelowUnknown });
      if (this.hasTrait(fn, Trait.Unknown)) this.isClear = false;
      this.functions = [fn];
      this.rows = [NONE];
    }
  }

  /** Returns the index of the uppermost unwinder, if only nameless code runs above it; else NONE. */
  private unwinder(): number {
    const index = this.functions.findLastIndex((fn) => !this.hasTrait(fn, Trait.Unknown));
    const fn = this.functions[index] ?? NONE;
    const isUnwinder = fn !== NONE && this.hasTrait(fn, Trait.Unwinder) && !this.hasTrait(fn, Trait.StackSwitcher);
    return isUnwinder ? index : NONE;
  }

  private isSame(a: FunctionId, b: FunctionId): boolean {
    const { symbol } = this.state.facts.functions;
    return a === b || (symbol[a] === symbol[b] && !this.hasTrait(a, Trait.Unknown));
  }

  private hasTrait(fn: FunctionId, trait: number): boolean {
    return (this.state.facts.functions.traits[fn] & trait) !== 0;
  }
}
