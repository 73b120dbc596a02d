/**
 * Pushes the stack that a segment begins with: the running function, and the callers that its unmatched returns reveal.
 */
import { Inference } from '../../model/profile/profile.js';
import { type FunctionId, NONE, type SymbolId } from '../../model/units.js';
import { orNameless } from '../functions/function-table.js';
import { Trait } from '../functions/traits.js';
import type { OtherStack } from '../pairing/calls.js';
import { MAX_SKIPPED_ROWS } from '../pairing/pairing.js';
import { setReturnRow } from '../stack/levels.js';
import { pushOpen, topFrame } from '../stack/open-frames.js';
import { countSteps } from '../stack/unwinder-steps.js';
import type { ReplayState } from '../state.js';
import type { Restart } from './align.js';
import { unmatchedReturnAt } from './look-across.js';

/** Returns why the start of a level was not seen, or NONE. Levels are counted from the top. */
type InferenceOfLevel = (level: number) => number;
const atStart: InferenceOfLevel = () => Inference.OpenAtStart;
const onTopNow: InferenceOfLevel = (level) => (level === 0 ? NONE : Inference.OpenAtStart);
export const cutByGap: InferenceOfLevel = () => Inference.CutByGap;

/** Pushes the stack of a thread's first segment. */
export function pushFirstStack(state: ReplayState, restart: Restart): void {
  const { knownPaths } = state.options;
  if (knownPaths) {
    for (const caller of knownPaths.callersBelow(chainOf(state, restart)))
      pushOpen(state, state.facts.functions.ofSymbol[caller], Inference.OpenAtStart);
    state.certainty.limitKnownTime(state.nowNs, state.depth);
    state.certainty.markUnconfirmed(state.depth);
  }
  pushNewLevels(state, restart, restart.unmatchedReturns.length + 1, atStart);
}

/**
 * Pushes another stack of the same thread, first seen in `row`, onto the open frames. `isEntry`: its top function
 * begins now.
 */
export function pushOtherStack(
  state: ReplayState,
  { unmatchedRows }: OtherStack,
  row: number,
  first: FunctionId,
  isEntry: boolean,
): void {
  const unmatchedReturns = unmatchedRows.map((returnRow) => unmatchedReturnAt(returnRow, state.events, state.facts));
  const restart = {
    unmatchedReturns,
    first,
    openRows: [],
    last: NONE,
    endRow: row,
    isWhereStopped: false,
    isRooted: true,
  };
  pushNewLevels(state, restart, unmatchedReturns.length + 1, isEntry ? onTopNow : atStart, row);
}

/** Pushes new levels, lowest first: at most `count`, one of them for the running function. */
export function pushNewLevels(
  state: ReplayState,
  restart: Restart,
  count: number,
  inferenceOf: InferenceOfLevel,
  row: number = NONE,
): void {
  const { unmatchedReturns } = restart;
  for (let level = Math.min(count - 1, unmatchedReturns.length); level >= 0; level--) {
    const end = unmatchedReturns[level];
    const landings = landingsOn(state, restart, level);
    const functions = [functionAt(state, restart, level), ...landings.map(({ fn }) => fn)];
    for (let index = landings.length; index >= 0; index--) {
      pushOpen(state, functions[index] as FunctionId, inferenceOf(level), row);
      if (end) setReturnRow(state, state.depth - 1, end.row, end.to);
      if (landings[index]?.isBelowUnknown) state.certainty.markAfterHiddenJump(topFrame(state));
    }
  }
}

/** Returns the callers below a level that exceptions landed in, uppermost first: they end together with it. */
function landingsOn(state: ReplayState, restart: Restart, level: number): LandedCaller[] {
  const { pairing, facts, events } = state;
  const end = restart.unmatchedReturns[level];
  const callRows = (end ? pairing.skippedByReturn.get(end.row) : restart.openRows) ?? [];
  const last = end ? facts.fromFunction[events.site[end.row]] : restart.last;
  const lastRow = end?.row ?? restart.endRow;
  return landedCallers(state, { first: functionAt(state, restart, level), callRows, last, lastRow });
}

/** Returns the function of the n-th level from the top: the running one, or the target of a return. */
export function functionAt({ facts }: ReplayState, { unmatchedReturns, first }: Restart, level: number): FunctionId {
  const fn = level === 0 ? first : (unmatchedReturns[level - 1]?.fn ?? NONE);
  return orNameless(facts.functions, fn);
}

/** Returns the running function and the callers it returns to, lowest first. */
export function chainOf(state: ReplayState, restart: Restart): SymbolId[] {
  const { symbol } = state.facts.functions;
  const chain: SymbolId[] = [];
  for (let level = restart.unmatchedReturns.length; level >= 0; level--)
    chain.push(symbol[functionAt(state, restart, level)]);
  return chain;
}

/**
 * Finds callers that no return reveals because an exception or a longjmp landed in them. A function that it landed in
 * and that was not seen being called was below everything that had run: it is known by the calls it made later that
 * never returned, or by the return that ends it.
 *
 * What happened on a level from when it was first seen until it ended.
 */
interface LevelHistory {
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
interface LandedCaller {
  readonly fn: FunctionId;
  /** The unwinder stepped over more frames than are known above it: what was between is unknown. */
  readonly isBelowUnknown: boolean;
}

/** Returns the callers that control landed in, uppermost first. */
function landedCallers(state: ReplayState, level: LevelHistory): LandedCaller[] {
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
