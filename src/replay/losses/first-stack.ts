/**
 * Lays down the stack that a segment begins with: what runs, and the callers that its leaving returns reveal.
 */
import { Inference } from '../../model/profile/quality.js';
import { type FunctionId, NONE, type SymbolId } from '../../model/units.js';
import { orNameless } from '../functions/function-table.js';
import type { OtherStack } from '../pairing/calls.js';
import { setLeave } from '../stack/levels.js';
import { pushOpen, topFrame } from '../stack/open-frames.js';
import type { ReplayState } from '../state.js';
import type { Restart } from './align.js';
import { type LeftCaller, leftCallers } from './left-callers.js';
import { leavingOf } from './look-across.js';

/** Why a level's start was not seen, or NONE; levels are counted from the top. */
type Why = (level: number) => number;
const atStart: Why = () => Inference.OpenAtStart;
const onTopNow: Why = (level) => (level === 0 ? NONE : Inference.OpenAtStart);
export const cutByGap: Why = () => Inference.CutByGap;

/** The stack of a thread's first segment. */
export function layFirst(state: ReplayState, restart: Restart): void {
  const { knownPaths } = state.options;
  if (knownPaths) {
    for (const caller of knownPaths.callersBelow(chainOf(state, restart)))
      pushOpen(state, state.facts.functions.ofSymbol[caller], Inference.OpenAtStart);
    state.doubts.unsureFrom(state.nowNs, state.depth);
    state.doubts.guessAll(state.depth);
  }
  layNew(state, restart, restart.leaving.length + 1, atStart);
}

/** Another stack of the same thread, first seen in `row`: it stands on what is open. `isEntry`: its top begins now. */
export function layOther(
  state: ReplayState,
  { leavingRows }: OtherStack,
  row: number,
  first: FunctionId,
  isEntry: boolean,
): void {
  const leaving = leavingRows.map((leavingRow) => leavingOf(leavingRow, state.events, state.facts));
  const restart = { leaving, first, openRows: [], last: NONE, endRow: row, isSamePlace: false, isRooted: true };
  layNew(state, restart, leaving.length + 1, isEntry ? onTopNow : atStart, row);
}

/** Lays down the new levels, lowest first: `count` of them at most, and one more for what runs. */
export function layNew(state: ReplayState, restart: Restart, count: number, why: Why, row: number = NONE): void {
  const { leaving } = restart;
  for (let level = Math.min(count - 1, leaving.length); level >= 0; level--) {
    const exit = leaving[level];
    const landings = landingsOn(state, restart, level);
    const functions = [functionAt(state, restart, level), ...landings.map(({ fn }) => fn)];
    for (let place = landings.length; place >= 0; place--) {
      pushOpen(state, functions[place] as FunctionId, why(level), row);
      if (exit) setLeave(state, state.depth - 1, exit.row, exit.to);
      if (landings[place]?.isBelowUnseen) state.doubts.doubt(topFrame(state));
    }
  }
}

/** Callers below the n-th level that exceptions landed in, the uppermost first: they are left together. */
function landingsOn(state: ReplayState, restart: Restart, level: number): LeftCaller[] {
  const { pairing, facts, events } = state;
  const exit = restart.leaving[level];
  const callRows = (exit ? pairing.leftCalls.get(exit.row) : restart.openRows) ?? [];
  const last = exit ? facts.fromFunction[events.site[exit.row]] : restart.last;
  const lastRow = exit?.row ?? restart.endRow;
  return leftCallers(state, { first: functionAt(state, restart, level), callRows, last, lastRow });
}

/** The function of the n-th level from the top: what runs, or where a return goes to. */
export function functionAt({ facts }: ReplayState, { leaving, first }: Restart, level: number): FunctionId {
  const fn = level === 0 ? first : (leaving[level - 1]?.fn ?? NONE);
  return orNameless(facts.functions, fn);
}

/** What runs and the callers it returns to, lowest first. */
export function chainOf(state: ReplayState, restart: Restart): SymbolId[] {
  const { symbol } = state.facts.functions;
  const chain: SymbolId[] = [];
  for (let level = restart.leaving.length; level >= 0; level--) chain.push(symbol[functionAt(state, restart, level)]);
  return chain;
}
