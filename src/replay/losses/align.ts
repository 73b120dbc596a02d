/**
 * Decides after a loss which of the frames that were open before it are still open.
 *
 * After the loss, one return after the other ends a level. Where the addresses of those returns match the calls of the
 * old levels, level by level downwards, the old levels are still open. Names count only where no address decides.
 */
import type { Address, FunctionId } from '../../model/units.js';
import { MAX_CALL_BYTES } from '../functions/traits.js';

/** A level, as far as it can be recognized across a loss. */
export interface Level {
  /** Exact address it returns to; NaN if only its call is known, or neither. */
  readonly returnsTo: Address;
  /** Address of its call instruction; NaN if that was not seen. */
  readonly callIp: Address;
  /** The function that was called, and those it jumped to. */
  readonly functions: readonly FunctionId[];
}

/** A return after the loss that ends a level which was open when its segment began. */
export interface UnmatchedReturn {
  readonly row: number;
  readonly to: Address;
  readonly fn: FunctionId;
}

/** What the segment after the loss begins with. */
export interface Restart {
  readonly unmatchedReturns: readonly UnmatchedReturn[]; // in order: the first one ends the top level
  readonly first: FunctionId; // the function that runs
  /**
   * If the lowest level never ends: the rows of the calls open at the segment's end, and (`last`) the function that
   * runs then.
   */
  readonly openRows: readonly number[];
  readonly last: FunctionId;
  /** The row after its last one. */
  readonly endRow: number;
  /** It continues exactly where the trace had stopped. */
  readonly isWhereStopped: boolean;
  /** The lowest level cannot have a caller. */
  readonly isRooted: boolean;
}

/** An alignment: `newLevels` new levels are on top of the old level `oldLevel`, and everything below is unchanged. */
export interface Alignment {
  readonly newLevels: number;
  readonly oldLevel: number;
  /** Number of addresses that confirm it; 0: only a name or the address of the stop supports it. */
  readonly confirmed: number;
}

/** Deeper levels and later returns are not compared: bounds the cost of a loss in a deep recursion. */
export const MAX_COMPARED = 128;

/** Returns the alignment that most addresses confirm; null if nothing supports any. `levels`: lowest first. */
export function align(levels: readonly Level[], restart: Restart): Alignment | null {
  const lowest = Math.max(0, levels.length - MAX_COMPARED);
  const returns = Math.min(restart.unmatchedReturns.length, MAX_COMPARED);
  let best: Candidate | null = null;
  for (let sum = levels.length - 1 + returns; sum >= lowest; sum--) {
    let confirmed = 0;
    // Return `sum − i` would end level i: from the lowest level that is ended upwards, all of them must agree.
    for (let level = Math.max(lowest, sum - returns + 1); level < levels.length && level <= sum; level++) {
      const verdict = matches(levels[level] as Level, restart.unmatchedReturns[sum - level]);
      if (verdict === false) break;
      if (verdict) confirmed++;
      if (best !== null && confirmed < best.confirmed) continue; // true of most: skip the full comparison
      const candidate = candidateAt(levels, level, sum - level, confirmed, restart);
      if (best === null || isBetter(candidate, best)) best = candidate;
    }
    if (sum >= returns && sum - returns >= lowest && sum - returns < levels.length) {
      const candidate = candidateAt(levels, sum - returns, returns, 0, restart); // no old level is seen to end
      if (best === null || isBetter(candidate, best)) best = candidate;
    }
  }
  return best !== null && (best.confirmed > 0 || best.isWhereStopped || best.isSameFunction) ? best : null;
}

interface Candidate extends Alignment {
  readonly isWhereStopped: boolean;
  readonly isSameFunction: boolean;
  /** Number of callers that would have to be below the lowest level. */
  readonly levelsBelowRoot: number;
}

function candidateAt(
  levels: readonly Level[],
  oldLevel: number,
  newLevels: number,
  confirmed: number,
  { unmatchedReturns, first, isWhereStopped, isRooted }: Restart,
): Candidate {
  const fn = newLevels === 0 ? first : (unmatchedReturns[newLevels - 1] as UnmatchedReturn).fn;
  return {
    newLevels,
    oldLevel,
    confirmed,
    isWhereStopped: isWhereStopped && newLevels === 0 && oldLevel === levels.length - 1,
    isSameFunction: (levels[oldLevel] as Level).functions.includes(fn),
    levelsBelowRoot: isRooted ? Math.max(0, unmatchedReturns.length - newLevels - oldLevel) : 0,
  };
}

/**
 * Prefers, in this order: more confirming addresses, a continuation where the trace had stopped, the same function,
 * fewer callers below the root, fewer new levels, and a higher old level.
 */
function isBetter(a: Candidate, b: Candidate): boolean {
  if (a.confirmed !== b.confirmed) return a.confirmed > b.confirmed;
  if (a.isWhereStopped !== b.isWhereStopped) return a.isWhereStopped;
  if (a.isSameFunction !== b.isSameFunction) return a.isSameFunction;
  if (a.levelsBelowRoot !== b.levelsBelowRoot) return a.levelsBelowRoot < b.levelsBelowRoot;
  if (a.newLevels !== b.newLevels) return a.newLevels < b.newLevels;
  return a.oldLevel > b.oldLevel;
}

/** True if the return ends this level; null if nothing known contradicts or confirms it. */
function matches({ returnsTo, callIp }: Level, end: UnmatchedReturn | undefined): boolean | null {
  if (end === undefined) return null;
  if (!Number.isNaN(returnsTo)) return returnsTo === end.to;
  if (Number.isNaN(callIp)) return null;
  const distance = end.to - callIp;
  return distance > 0 && distance <= MAX_CALL_BYTES;
}
