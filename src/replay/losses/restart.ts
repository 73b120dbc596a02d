/**
 * Rebuilds the stack after a loss: what is left of the old stack and, above it, what the new segment's unmatched
 * returns reveal.
 */
import { Inference } from '../../model/profile/profile.js';
import { type FunctionId, type Nanoseconds, NONE } from '../../model/units.js';
import { jump } from '../stack/jump.js';
import { endOfLevel, forgetReturnRows, setReturnRow, topLevels } from '../stack/levels.js';
import { closeAbove, frameAt, openSymbols, pushOpen } from '../stack/open-frames.js';
import type { ReplayState } from '../state.js';
import { type Alignment, align, type Level, MAX_COMPARED, type Restart } from './align.js';
import { chainOf, cutByGap, functionAt, pushNewLevels } from './first-stack.js';
import { MAX_PATH_DEPTH, type PathMatch } from './known-paths.js';
import { callIpOf } from './look-across.js';

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
  if (found !== null && found.confirmed > 0) continueOn(state, found, levelIndexes, restart, lostNs);
  else inferStack(state, found, levelIndexes, restart, lostNs);
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
  state.certainty.markUnconfirmed(state.depth);
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
