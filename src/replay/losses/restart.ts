/**
 * The stack behind a loss: what the old stack still holds, and on it what the new segment's leaving returns reveal.
 */
import { Inference } from '../../model/profile/quality.js';
import { type FunctionId, type Nanoseconds, NONE } from '../../model/units.js';
import { jump } from '../stack/jump.js';
import { endOfLevel, forgetReturnRows, setReturnRow, topLevels } from '../stack/levels.js';
import { closeAbove, frameAt, openSymbols, pushOpen } from '../stack/open-frames.js';
import type { ReplayState } from '../state.js';
import { type Alignment, align, type Level, MAX_COMPARED, type Restart } from './align.js';
import { chainOf, cutByGap, functionAt, pushNewLevels } from './first-stack.js';
import { MAX_PATH_DEPTH, type PathMatch } from './known-paths.js';
import { callIpOf } from './look-across.js';

/** The old frames were lost at `lostNs`. What nothing spoke for behind the last loss goes, if again nothing does. */
export function restartStack(state: ReplayState, restart: Restart, lostNs: Nanoseconds): void {
  state.certainty.markInferred(state.depth);
  forgetReturnRows(state);
  let old = alignOld(state, restart);
  if (old.found === null && dropUnconfirmed(state, lostNs)) old = alignOld(state, restart);
  const { levelIndexes, found } = old;
  if (found !== null && found.confirmed > 0) continueOn(state, found, levelIndexes, restart, lostNs);
  else inferStack(state, found, levelIndexes, restart, lostNs);
}

/** The old stack's upper levels, and where the restart fits on them. */
function alignOld(state: ReplayState, restart: Restart): { levelIndexes: readonly number[]; found: Alignment | null } {
  const levelIndexes = topLevels(state, MAX_COMPARED);
  const levels = levelIndexes.map((index, at) => levelAt(state, index, levelIndexes[at + 1] ?? state.depth));
  return { levelIndexes, found: align(levels, restart) };
}

/** `end`: where the next level begins. Of what jumped on and on only the last functions are compared, as with levels. */
function levelAt(state: ReplayState, index: number, end: number): Level {
  const { returnsTo, callRow } = frameAt(state, index);
  const callIp = callRow === NONE ? Number.NaN : callIpOf(callRow, state.events, state.facts);
  const functions: FunctionId[] = [];
  for (let at = Math.max(index, end - MAX_COMPARED); at < end; at++) functions.push(frameAt(state, at).fn);
  return { returnsTo, callIp, functions };
}

/** False if there is nothing to drop. */
function dropUnconfirmed(state: ReplayState, lostNs: Nanoseconds): boolean {
  if (state.unconfirmedFrom === NONE) return false;
  closeForGap(state, state.unconfirmedFrom - 1, lostNs);
  return true;
}

/** Closes all above a index, because of a gap. */
function closeForGap(state: ReplayState, index: number, lostNs: Nanoseconds): void {
  closeAbove(state, index, Inference.CutByGap, lostNs);
  if (state.depth <= state.unconfirmedFrom) state.unconfirmedFrom = NONE;
}

/** No address tells the index. From here on paths are guesses, and teach nothing. */
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

/** The old levels up to one of them stay, new ones stand on it. */
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

/** The index where such a chain of functions was seen, unless a name of the old stack says more. */
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

/** Closes all above a level; if the function that goes on is not part of it, the level has jumped there. */
function closeToLevel(state: ReplayState, level: number, fn: FunctionId, lostNs: Nanoseconds): void {
  const end = endOfLevel(state, level);
  const lowest = Math.max(level, end - MAX_COMPARED);
  let index = end - 1;
  while (index >= lowest && frameAt(state, index).fn !== fn) index--;
  closeForGap(state, index >= lowest ? index : end - 1, lostNs);
  if (index < lowest) jump(state, fn, Inference.CutByGap);
}

/** Which returns leave the old levels, downwards from the one that goes on, also below those that were compared. */
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
