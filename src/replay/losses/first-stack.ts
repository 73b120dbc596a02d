/**
 * Pushes the stack that a segment begins with: the running function, and the callers that its unmatched returns reveal.
 */
import { Inference } from '../../model/profile/quality.js';
import { type FunctionId, NONE, type SymbolId } from '../../model/units.js';
import { orNameless } from '../functions/function-table.js';
import type { OtherStack } from '../pairing/calls.js';
import { setReturnRow } from '../stack/levels.js';
import { pushOpen, topFrame } from '../stack/open-frames.js';
import type { ReplayState } from '../state.js';
import type { Restart } from './align.js';
import { type LandedCaller, landedCallers } from './landed-callers.js';
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
