/**
 * Lays down the stack that a segment begins with: what runs, and the callers that its leaving returns reveal.
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

/** Why a level's start was not seen, or NONE; levels are counted from the top. */
type InferenceOfLevel = (level: number) => number;
const atStart: InferenceOfLevel = () => Inference.OpenAtStart;
const onTopNow: InferenceOfLevel = (level) => (level === 0 ? NONE : Inference.OpenAtStart);
export const cutByGap: InferenceOfLevel = () => Inference.CutByGap;

/** The stack of a thread's first segment. */
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

/** Another stack of the same thread, first seen in `row`: it stands on what is open. `isEntry`: its top begins now. */
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

/** Lays down the new levels, lowest first: `count` of them at most, and one more for what runs. */
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
      if (landings[index]?.isBelowUnseen) state.certainty.markAfterHiddenJump(topFrame(state));
    }
  }
}

/** Callers below the n-th level that exceptions landed in, the uppermost first: they are left together. */
function landingsOn(state: ReplayState, restart: Restart, level: number): LandedCaller[] {
  const { pairing, facts, events } = state;
  const end = restart.unmatchedReturns[level];
  const callRows = (end ? pairing.skippedByReturn.get(end.row) : restart.openRows) ?? [];
  const last = end ? facts.fromFunction[events.site[end.row]] : restart.last;
  const lastRow = end?.row ?? restart.endRow;
  return landedCallers(state, { first: functionAt(state, restart, level), callRows, last, lastRow });
}

/** The function of the n-th level from the top: what runs, or where a return goes to. */
export function functionAt({ facts }: ReplayState, { unmatchedReturns, first }: Restart, level: number): FunctionId {
  const fn = level === 0 ? first : (unmatchedReturns[level - 1]?.fn ?? NONE);
  return orNameless(facts.functions, fn);
}

/** What runs and the callers it returns to, lowest first. */
export function chainOf(state: ReplayState, restart: Restart): SymbolId[] {
  const { symbol } = state.facts.functions;
  const chain: SymbolId[] = [];
  for (let level = restart.unmatchedReturns.length; level >= 0; level--)
    chain.push(symbol[functionAt(state, restart, level)]);
  return chain;
}
