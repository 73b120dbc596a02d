/**
 * Pushes the stack that a segment begins with: the running function, and the callers that its unmatched returns reveal.
 */
import { Doubt } from '../../model/calls/doubts.js';
import { Inference } from '../../model/profile/profile.js';
import { type FunctionId, type Nanoseconds, NONE, type SymbolId } from '../../model/units.js';
import { orNameless } from '../functions/function-table.js';
import { Trait } from '../functions/traits.js';
import { countSteps } from '../pairing/landings.js';
import { MAX_SKIPPED_ROWS } from '../pairing/pairing.js';
import type { Stack } from '../pairing/stacks.js';
import { endOfLevel, forgetReturnRows, jump, setReturnRow, topLevels } from '../stack/levels.js';
import { closeAbove, frameAt, openSymbols, pushOpen, topFrame } from '../stack/open-frames.js';
import type { ReplayState } from '../state.js';
import { type Alignment, align, callIpOf, type Level, MAX_COMPARED, type Restart, unmatchedReturnAt } from './align.js';
import { MAX_PATH_DEPTH, type PathMatch } from './known-paths.js';

/** Returns why the start of a level was not seen, or NONE. Levels are counted from the top. */
type InferenceOfLevel = (level: number) => number;
const atStart: InferenceOfLevel = () => Inference.OpenAtStart;
const onTopNow: InferenceOfLevel = (level) => (level === 0 ? NONE : Inference.OpenAtStart);
export const cutByGap: InferenceOfLevel = () => Inference.CutByGap;

/** Pushes the stack that a thread or a program begins with. `hasCallers`: others than its returns reveal may be below. */
export function pushFirstStack(state: ReplayState, restart: Restart, hasCallers: boolean): void {
  const { knownPaths } = state.options;
  if (knownPaths && hasCallers) {
    for (const caller of knownPaths.callersBelow(chainOf(state, restart)))
      pushOpen(state, state.facts.functions.ofSymbol[caller], Inference.OpenAtStart);
    state.certainty.limitKnownTime(state.nowNs, state.depth);
    state.certainty.markUnconfirmed(state.depth, Doubt.UnseenCallers);
  }
  pushNewLevels(state, restart, restart.unmatchedReturns.length + 1, atStart);
}

/**
 * Pushes another stack of the same thread, first seen in `row`. `isEntry`: its top function
 * begins now.
 */
export function pushOtherStack(
  state: ReplayState,
  { unmatchedRows }: Stack,
  row: number,
  first: FunctionId,
  isEntry: boolean,
): void {
  const { pairing, events, facts } = state;
  const unmatchedReturns = unmatchedRows.map((returnRow) => unmatchedReturnAt(returnRow, pairing, events, facts));
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
      if (landings[index]?.isBelowUnknown) state.certainty.mark(topFrame(state), Doubt.Landing);
    }
    if (unmatchedReturns[level - 1]?.isDoubtful) state.certainty.mark(topFrame(state), Doubt.OddReturn);
  }
}

/** Returns the callers below a level that exceptions landed in, uppermost first: they end together with it. */
function landingsOn(state: ReplayState, restart: Restart, level: number): LandedCaller[] {
  const { pairing, facts, events } = state;
  const end = restart.unmatchedReturns[level];
  const callRows = (end ? pairing.skippedByReturn.get(end.row) : restart.openRows) ?? [];
  const last = end ? facts.fromFunction[events.siteAt(end.row)] : restart.last;
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
  const { fromFunction, toFunction } = state.facts;
  if (level.callRows.length > MAX_SKIPPED_ROWS) return [];
  const stack = new SimulatedStack(level.first, state);
  for (let index = 0; index < level.callRows.length; index++) {
    const row = level.callRows[index] as number;
    stack.runsIn(fromFunction[state.events.siteAt(row)], row);
    stack.call(toFunction[state.events.siteAt(row)], row);
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

  constructor(
    first: FunctionId,
    private readonly state: ReplayState,
  ) {
    this.functions = [first];
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
      const steps = callRow === NONE ? NONE : countSteps(this.state, callRow, row);
      if (steps !== NONE && steps < unwinder) return this.jumpFrom(unwinder - 1 - steps, fn);
      this.landings.push({ fn, isBelowUnknown: steps > unwinder });
      if (this.hasTrait(fn, Trait.Unknown)) this.isClear = false;
      this.functions = [fn];
      this.rows = [NONE];
    }
  }

  /** The function at an index, where control landed, has jumped on. */
  private jumpFrom(index: number, fn: FunctionId): void {
    this.functions.length = this.rows.length = index + 1;
    this.functions[index] = fn;
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

// Rebuilds the stack after a loss: what is left of the old stack and, above it, what the new segment's unmatched
// returns reveal.

/**
 * Restarts the stack. The old frames were lost at `lostNs`. Those that nothing confirmed after the last loss are
 * dropped if again nothing does.
 */
export function restartStack(state: ReplayState, restart: Restart, lostNs: Nanoseconds): void {
  state.certainty.markInferred(state.depth);
  forgetReturnRows(state);
  let old = alignOld(state, restart);
  if (old.found === null && dropUnconfirmed(state, lostNs)) old = alignOld(state, restart);
  const { levelIndexes, found } = old;
  if (found !== null && found.confirmed > 0) {
    continueOn(state, found, levelIndexes, restart, lostNs);
    markRecursion(state, found, levelIndexes, restart);
  } else inferStack(state, found, levelIndexes, restart, lostNs);
}

/**
 * Marks the level that the last known return leads to, if its function is open several times: no address tells in which
 * of these calls the thread is.
 */
function markRecursion(
  state: ReplayState,
  { oldLevel, newLevels }: Alignment,
  levelIndexes: readonly number[],
  { unmatchedReturns }: Restart,
): void {
  const last = oldLevel - (unmatchedReturns.length - newLevels);
  const fn = unmatchedReturns.at(-1)?.fn;
  if (last < 0) return;
  const indexOf = (level: number) => levelIndexes[level] as number;
  const endOf = (level: number) => (level < oldLevel ? indexOf(level + 1) : endOfLevel(state, indexOf(oldLevel)));
  const isOpen = (level: number) => frameAt(state, endOf(level) - 1).fn === fn;
  let open = 0;
  for (let level = 0; level <= oldLevel; level++) if (isOpen(level)) open++;
  if (open > 1) state.certainty.mark(frameAt(state, indexOf(last)), Doubt.AfterLoss);
}

/** Aligns the uppermost levels of the old stack with the restart. */
function alignOld(state: ReplayState, restart: Restart): { levelIndexes: readonly number[]; found: Alignment | null } {
  const levelIndexes = topLevels(state, MAX_COMPARED);
  const levels = levelIndexes.map((index, at) => levelAt(state, index, levelIndexes[at + 1] ?? state.depth));
  return { levelIndexes, found: align(levels, restart) };
}

/**
 * Describes a level up to `end`, where the next one begins. Of a long chain of jumps only the last functions are
 * compared.
 */
function levelAt(state: ReplayState, index: number, end: number): Level {
  const { returnsTo, callRow } = frameAt(state, index);
  const callIp = callRow === NONE ? Number.NaN : callIpOf(callRow, state.events, state.facts);
  const functions: FunctionId[] = [];
  for (let at = Math.max(index, end - MAX_COMPARED); at < end; at++) functions.push(frameAt(state, at).fn);
  return { returnsTo, callIp, functions };
}

/** Closes the frames that nothing confirmed. False if there are none. */
function dropUnconfirmed(state: ReplayState, lostNs: Nanoseconds): boolean {
  if (state.unconfirmedFrom === NONE) return false;
  closeForGap(state, state.unconfirmedFrom - 1, lostNs);
  return true;
}

/** Closes every frame above an index, because of a gap. */
function closeForGap(state: ReplayState, index: number, lostNs: Nanoseconds): void {
  closeAbove(state, index, Inference.CutByGap, lostNs);
  if (state.depth <= state.unconfirmedFrom) state.unconfirmedFrom = NONE;
}

/** Infers the stack where no address decides it. Paths from here on are not added to the known paths. */
function inferStack(
  state: ReplayState,
  found: Alignment | null,
  levelIndexes: readonly number[],
  restart: Restart,
  lostNs: Nanoseconds,
): void {
  state.confirmedNodes ??= state.tree.length;
  state.inferredEvents++;
  state.certainty.limitKnownTime(lostNs, state.depth);
  const match = matchKnownPath(state, restart, found);
  if (match) pushOnPath(state, match, restart, lostNs);
  else if (found) continueOn(state, found, levelIndexes, restart, lostNs);
  else {
    state.unconfirmedFrom = state.depth;
    pushNewLevels(state, restart, restart.unmatchedReturns.length + 1, cutByGap);
  }
  state.certainty.markUnconfirmed(state.depth, Doubt.AfterLoss);
}

/** Keeps the old levels up to the aligned one, and pushes the new ones onto it. */
function continueOn(
  state: ReplayState,
  found: Alignment,
  levelIndexes: readonly number[],
  restart: Restart,
  lostNs: Nanoseconds,
): void {
  closeToLevel(state, levelIndexes[found.oldLevel] as number, functionAt(state, restart, found.newLevels), lostNs);
  if (restart.unmatchedReturns[found.newLevels - 1]?.isDoubtful) state.certainty.mark(topFrame(state), Doubt.OddReturn);
  setOldReturnRows(state, restart, found, levelIndexes);
  pushNewLevels(state, restart, found.newLevels, cutByGap);
}

/** Returns the known path that fits the chain of functions, unless a name on the old stack is stronger evidence. */
function matchKnownPath(state: ReplayState, restart: Restart, found: Alignment | null): PathMatch | null {
  const { knownPaths } = state.options;
  const match = knownPaths?.match(chainOf(state, restart), openSymbols(state, MAX_PATH_DEPTH)) ?? null;
  const isWeak = match !== null && match.calleesSeen === 0 && match.sharedDepth < match.path.length && found !== null;
  return isWeak ? null : match;
}

function pushOnPath(state: ReplayState, { path, sharedDepth }: PathMatch, restart: Restart, lostNs: Nanoseconds): void {
  closeForGap(state, sharedDepth - 1, lostNs);
  for (const symbol of path.slice(sharedDepth))
    pushOpen(state, state.facts.functions.ofSymbol[symbol], Inference.CutByGap);
  state.certainty.limitKnownTime(lostNs, state.depth);
  pushNewLevels(state, restart, restart.unmatchedReturns.length, cutByGap);
}

/** Closes every frame above a level. If the function that continues is not part of it, the level jumped there. */
function closeToLevel(state: ReplayState, level: number, fn: FunctionId, lostNs: Nanoseconds): void {
  const end = endOfLevel(state, level);
  const lowest = Math.max(level, end - MAX_COMPARED);
  let index = end - 1;
  while (index >= lowest && frameAt(state, index).fn !== fn) index--;
  closeForGap(state, index >= lowest ? index : end - 1, lostNs);
  if (index < lowest) jump(state, fn, Inference.CutByGap);
}

/**
 * Sets which returns end the old levels, from the one that continues downwards, also below those that were compared.
 */
function setOldReturnRows(
  state: ReplayState,
  { unmatchedReturns }: Restart,
  { newLevels, oldLevel }: Alignment,
  levelIndexes: readonly number[],
): void {
  let index = levelIndexes[oldLevel] as number;
  for (const end of unmatchedReturns.slice(newLevels)) {
    if (index === NONE) break;
    setReturnRow(state, index, end.row, end.to);
    index = index === 0 ? NONE : frameAt(state, index - 1).level;
  }
}
