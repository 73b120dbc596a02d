/**
 * After a loss: which of the frames that were open before it are still there?
 *
 * What runs after the loss is seen to leave levels, one return after the other. Where the addresses of those returns
 * match the calls of the old frames, level by level downwards, the old frames are still open. Names count only where
 * no address speaks.
 */
import type { Address, FunctionId } from '../../model/units.js';
import { MAX_CALL_BYTES } from '../functions/traits.js';

/** A level as the other side of a loss may recognise it. */
export interface Level {
  /** Where it returns to, exactly; NaN if only its call is known, or nothing. */
  readonly returnsTo: Address;
  /** Its call instruction; NaN if that was not seen. */
  readonly callIp: Address;
  /** The function that was called, and those it jumped to. */
  readonly functions: readonly FunctionId[];
}

/** A return that leaves a level after the loss. */
export interface UnmatchedReturn {
  readonly row: number;
  readonly to: Address;
  readonly fn: FunctionId;
}

/** What the segment behind the loss begins with. */
export interface Restart {
  readonly unmatchedReturns: readonly UnmatchedReturn[]; // the top level is left first
  readonly first: FunctionId; // what runs
  /** Rows of the calls that are open at its end, if the lowest level is never left; and the function that runs then. */
  readonly openRows: readonly number[];
  readonly last: FunctionId;
  /** Behind its last row. */
  readonly endRow: number;
  /** It goes on at the very place where the thread was seen last. */
  readonly isWhereStopped: boolean;
  /** No caller can be below the lowest level. */
  readonly isRooted: boolean;
}

/** `newLevels` levels stand on the old level `oldLevel`, and everything below it is as it was. */
export interface Alignment {
  readonly newLevels: number;
  readonly oldLevel: number;
  /** How many addresses confirm it; 0: only a name or the place speaks for it. */
  readonly confirmed: number;
}

/** Deeper levels, and later returns, are not compared: it bounds the cost of a loss in a deep recursion. */
export const MAX_COMPARED = 128;

/** The alignment that most addresses confirm; null if nothing speaks for any. `levels`: lowest first. */
export function align(levels: readonly Level[], restart: Restart): Alignment | null {
  const lowest = Math.max(0, levels.length - MAX_COMPARED);
  const returns = Math.min(restart.unmatchedReturns.length, MAX_COMPARED);
  let best: Candidate | null = null;
  for (let sum = levels.length - 1 + returns; sum >= lowest; sum--) {
    let confirmed = 0;
    // Level i would be left by return `sum − i`: all of them from the lowest that is left must agree.
    for (let level = Math.max(lowest, sum - returns + 1); level < levels.length && level <= sum; level++) {
      const verdict = matches(levels[level] as Level, restart.unmatchedReturns[sum - level]);
      if (verdict === false) break;
      if (verdict) confirmed++;
      if (best !== null && confirmed < best.confirmed) continue; // most are: do not weigh them
      const candidate = candidateAt(levels, level, sum - level, confirmed, restart);
      if (best === null || isBetter(candidate, best)) best = candidate;
    }
    if (sum >= returns && sum - returns >= lowest && sum - returns < levels.length) {
      const candidate = candidateAt(levels, sum - returns, returns, 0, restart); // nothing of the old is seen to be left
      if (best === null || isBetter(candidate, best)) best = candidate;
    }
  }
  return best !== null && (best.confirmed > 0 || best.isWhereStopped || best.isSameFunction) ? best : null;
}

interface Candidate extends Alignment {
  readonly isWhereStopped: boolean;
  readonly isSameFunction: boolean;
  /** Callers that would have to be below the lowest level. */
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

function isBetter(a: Candidate, b: Candidate): boolean {
  if (a.confirmed !== b.confirmed) return a.confirmed > b.confirmed;
  if (a.isWhereStopped !== b.isWhereStopped) return a.isWhereStopped;
  if (a.isSameFunction !== b.isSameFunction) return a.isSameFunction;
  if (a.levelsBelowRoot !== b.levelsBelowRoot) return a.levelsBelowRoot < b.levelsBelowRoot;
  if (a.newLevels !== b.newLevels) return a.newLevels < b.newLevels;
  return a.oldLevel > b.oldLevel;
}

/** Does the return leave this level? null: nothing is known that could contradict. */
function matches({ returnsTo, callIp }: Level, end: UnmatchedReturn | undefined): boolean | null {
  if (end === undefined) return null;
  if (!Number.isNaN(returnsTo)) return returnsTo === end.to;
  if (Number.isNaN(callIp)) return null;
  const distance = end.to - callIp;
  return distance > 0 && distance <= MAX_CALL_BYTES;
}
