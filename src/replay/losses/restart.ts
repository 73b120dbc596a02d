/**
 * The stack behind a loss: what the old stack still holds, and on it what the new segment's leaving returns reveal.
 */
import { Inference } from '../../model/profile/quality.js';
import { type FunctionId, type Nanoseconds, NONE } from '../../model/units.js';
import { jump } from '../stack/jump.js';
import { endOfLevel, forgetLeaves, setLeave, uppermostLevels } from '../stack/levels.js';
import { closeAbove, frameAt, openSymbols, pushOpen } from '../stack/open-frames.js';
import type { ReplayState } from '../state.js';
import { type Alignment, align, FARTHEST, type Level, type Restart } from './align.js';
import { chainOf, cutByGap, functionAt, layNew } from './first-stack.js';
import { MAX_PATH_DEPTH, type PathMatch } from './known-paths.js';
import { callIpOf } from './look-across.js';

/** The old frames were lost at `lostNs`. What nothing spoke for behind the last loss goes, if again nothing does. */
export function restartStack(state: ReplayState, restart: Restart, lostNs: Nanoseconds): void {
  state.doubts.doubtAll(state.depth);
  forgetLeaves(state);
  let old = alignOld(state, restart);
  if (old.found === null && dropBaseless(state, lostNs)) old = alignOld(state, restart);
  const { places, found } = old;
  if (found !== null && found.confirmed > 0) continueOn(state, found, places, restart, lostNs);
  else guess(state, found, places, restart, lostNs);
}

/** The old stack's upper levels, and where the restart fits on them. */
function alignOld(state: ReplayState, restart: Restart): { places: readonly number[]; found: Alignment | null } {
  const places = uppermostLevels(state, FARTHEST);
  const levels = places.map((place, at) => levelAt(state, place, places[at + 1] ?? state.depth));
  return { places, found: align(levels, restart) };
}

/** `end`: where the next level begins. Of what jumped on and on only the last functions are compared, as with levels. */
function levelAt(state: ReplayState, place: number, end: number): Level {
  const { returnsTo, callRow } = frameAt(state, place);
  const callIp = callRow === NONE ? Number.NaN : callIpOf(callRow, state.events, state.facts);
  const functions: FunctionId[] = [];
  for (let at = Math.max(place, end - FARTHEST); at < end; at++) functions.push(frameAt(state, at).fn);
  return { returnsTo, callIp, functions };
}

/** False if there is nothing to drop. */
function dropBaseless(state: ReplayState, lostNs: Nanoseconds): boolean {
  if (state.baseless === NONE) return false;
  cut(state, state.baseless - 1, lostNs);
  return true;
}

/** Closes all above a place, because of a gap. */
function cut(state: ReplayState, place: number, lostNs: Nanoseconds): void {
  closeAbove(state, place, Inference.CutByGap, lostNs);
  if (state.depth <= state.baseless) state.baseless = NONE;
}

/** No address tells the place. From here on paths are guesses, and teach nothing. */
function guess(
  state: ReplayState,
  found: Alignment | null,
  places: readonly number[],
  restart: Restart,
  lostNs: Nanoseconds,
): void {
  state.certainNodes ??= state.tree.length;
  state.inferredEvents++;
  state.doubts.unsureFrom(lostNs, state.depth);
  const place = placeByContext(state, restart, found);
  if (place) layOnPath(state, place, restart, lostNs);
  else if (found) continueOn(state, found, places, restart, lostNs);
  else {
    state.baseless = state.depth;
    layNew(state, restart, restart.leaving.length + 1, cutByGap);
  }
  state.doubts.guessAll(state.depth);
}

/** The old levels up to one of them stay, new ones stand on it. */
function continueOn(
  state: ReplayState,
  found: Alignment,
  places: readonly number[],
  restart: Restart,
  lostNs: Nanoseconds,
): void {
  cutTo(state, places[found.oldLevel] as number, functionAt(state, restart, found.newLevels), lostNs);
  confirmOld(state, restart, found, places);
  layNew(state, restart, found.newLevels, cutByGap);
}

/** The place where such a chain of functions was seen, unless a name of the old stack says more. */
function placeByContext(state: ReplayState, restart: Restart, found: Alignment | null): PathMatch | null {
  const { knownPaths } = state.options;
  const place = knownPaths?.match(chainOf(state, restart), openSymbols(state, MAX_PATH_DEPTH)) ?? null;
  const isFarFetched =
    place !== null && place.calleesSeen === 0 && place.sharedDepth < place.path.length && found !== null;
  return isFarFetched ? null : place;
}

function layOnPath(state: ReplayState, { path, sharedDepth }: PathMatch, restart: Restart, lostNs: Nanoseconds): void {
  cut(state, sharedDepth - 1, lostNs);
  for (const symbol of path.slice(sharedDepth))
    pushOpen(state, state.facts.functions.ofSymbol[symbol], Inference.CutByGap);
  state.doubts.unsureFrom(lostNs, state.depth);
  layNew(state, restart, restart.leaving.length, cutByGap);
}

/** Closes all above a level; if the function that goes on is not part of it, the level has jumped there. */
function cutTo(state: ReplayState, level: number, fn: FunctionId, lostNs: Nanoseconds): void {
  const end = endOfLevel(state, level);
  const lowest = Math.max(level, end - FARTHEST);
  let place = end - 1;
  while (place >= lowest && frameAt(state, place).fn !== fn) place--;
  cut(state, place >= lowest ? place : end - 1, lostNs);
  if (place < lowest) jump(state, fn, Inference.CutByGap);
}

/** Which returns leave the old levels, downwards from the one that goes on, also below those that were compared. */
function confirmOld(
  state: ReplayState,
  { leaving }: Restart,
  { newLevels, oldLevel }: Alignment,
  places: readonly number[],
): void {
  let place = places[oldLevel] as number;
  for (const exit of leaving.slice(newLevels)) {
    if (place === NONE) break;
    setLeave(state, place, exit.row, exit.to);
    place = place === 0 ? NONE : frameAt(state, place - 1).level;
  }
}
