/**
 * Decides after a loss which of the frames that were open before it are still open.
 *
 * After the loss, one return after the other ends a level. Where the addresses of those returns match the calls of the
 * old levels, level by level downwards, the old levels are still open. Names count only where no address decides.
 */

import type { ThreadEvents } from '../../model/trace/thread-events.js';
import { type Address, type FunctionId, NONE, type SiteId } from '../../model/units.js';
import { isStartOfProgram, type SiteFacts, Step, SYSCALL_BYTES } from '../functions/site-facts.js';
import { MAX_CALL_BYTES } from '../functions/traits.js';
import type { Pairing, Segment } from '../pairing/pairing.js';

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
  /** The function that was called last does not return behind that call: it may be on another stack, and confirms nothing. */
  readonly isDoubtful: boolean;
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
  if (end === undefined || end.isDoubtful) return null;
  if (!Number.isNaN(returnsTo)) return returnsTo === end.to;
  if (Number.isNaN(callIp)) return null;
  const distance = end.to - callIp;
  return distance > 0 && distance <= MAX_CALL_BYTES;
}

/** Maximum number of unmatched returns passed to earlier segments. */
const MAX_UNMATCHED_RETURNS = 256;

// Looks ahead across losses: a level that a later segment is seen to end did not end in between. Works backwards over
// the segments, so that each one receives the returns of all that follow it.

/** Extends the unmatched rows of stacks, and links calls that end after a loss to themselves. */
export function matchAcrossLosses(pairing: Pairing, events: ThreadEvents, facts: SiteFacts): void {
  const { segments, rows } = pairing;
  for (let index = segments.length - 2; index >= 0; index--) {
    const before = segments[index] as Segment;
    const after = segments[index + 1] as Segment;
    if (isNewProgram(before, after, events, facts)) continue;
    const found = align(levelsAtEnd(before, events, facts), restartOf(before, after, pairing, events, facts, false));
    if (found === null) continue;
    if (found.confirmed > 0)
      for (const call of before.openRows.slice(0, found.oldLevel))
        if (rows.linkAt(call) === NONE) rows.setLink(call, call);
    const { unmatchedRows } = before.last;
    const later = after.first.unmatchedRows.slice(found.newLevels + found.oldLevel);
    unmatchedRows.push(...later.slice(0, Math.max(0, MAX_UNMATCHED_RETURNS - unmatchedRows.length)));
  }
}

/** True if an exec is between two segments, recorded or not: then they share no frame. */
export function isNewProgram(before: Segment, after: Segment, events: ThreadEvents, facts: SiteFacts): boolean {
  if (isStartOfProgram(facts, events.siteAt(after.firstRow))) return true;
  for (let row = before.endRow; row < after.firstRow; row++)
    if (facts.step[events.siteAt(row)] === Step.Exec) return true;
  return false;
}

/** Returns what a segment begins with, for comparison with the one before it. */
export function restartOf(
  before: Segment,
  after: Segment,
  pairing: Pairing,
  events: ThreadEvents,
  facts: SiteFacts,
  isRooted: boolean,
): Restart {
  const site = events.siteAt(after.firstRow);
  const isStart = facts.step[site] === Step.Start;
  const address = isStart ? facts.to[site] : facts.from[site];
  return {
    unmatchedReturns: after.first.unmatchedRows.map((row) => unmatchedReturnAt(row, pairing, events, facts)),
    first: isStart ? facts.toFunction[site] : facts.fromFunction[site],
    ...endOf(after, events, facts),
    isWhereStopped: before.stoppedAt <= address && address <= before.stoppedAt + SYSCALL_BYTES,
    isRooted,
  };
}

/** Returns how a segment ends, if its lowest level is still open then. */
function endOf(
  segment: Segment,
  events: ThreadEvents,
  facts: SiteFacts,
): Pick<Restart, 'openRows' | 'last' | 'endRow'> {
  const { first, endRow, firstRow, openRows } = segment;
  const isSeen = segment.last === first && (first.unmatchedRows.at(-1) ?? firstRow) < endRow;
  if (!isSeen) return { openRows: [], last: NONE, endRow };
  let row = endRow - 1;
  while (row > firstRow && facts.step[events.siteAt(row)] >= Step.Gap) row--;
  return { openRows, last: runningAfter(events.siteAt(row), facts), endRow };
}

/** Returns the function that runs after an event other than a call. */
function runningAfter(site: SiteId, { step, fromFunction, toFunction }: SiteFacts): FunctionId {
  const staysInSource = step[site] === Step.Stay || step[site] === Step.End || step[site] === Step.EndSyscall;
  return staysInSource ? fromFunction[site] : toFunction[site];
}

/** Returns the unmatched return in a row. */
export function unmatchedReturnAt(
  row: number,
  { doubtfulRows, skipped }: Pairing,
  events: ThreadEvents,
  { to, toFunction, fromFunction }: SiteFacts,
): UnmatchedReturn {
  const site = events.siteAt(row);
  const called = doubtfulRows.has(row) ? skipped.newestOf(row) : NONE;
  const isDoubtful = called !== NONE && toFunction[events.siteAt(called)] === fromFunction[site];
  return { row, to: to[site], fn: toFunction[site], isDoubtful };
}

/** Returns the levels open at the end of a segment, as its own calls show them; what is below is one unknown level. */
function levelsAtEnd(segment: Segment, events: ThreadEvents, facts: SiteFacts): Level[] {
  const lowest = { returnsTo: Number.NaN, callIp: Number.NaN, functions: [lowestFunction(segment, events, facts)] };
  return [lowest, ...segment.openRows.map((row) => levelOfCall(row, events, facts))];
}

function lowestFunction({ firstRow, first: stack, last }: Segment, events: ThreadEvents, facts: SiteFacts): FunctionId {
  const lastReturn = last.unmatchedRows.at(-1);
  if (lastReturn !== undefined) return facts.toFunction[events.siteAt(lastReturn)];
  if (last !== stack) return NONE;
  const first = events.siteAt(firstRow);
  return facts.step[first] === Step.Start ? facts.toFunction[first] : facts.fromFunction[first];
}

function levelOfCall(row: number, events: ThreadEvents, facts: SiteFacts): Level {
  const callIp = callIpOf(row, events, facts);
  return { returnsTo: Number.NaN, callIp, functions: [facts.toFunction[events.siteAt(row)]] };
}

/** Returns where a level was called; a kernel entry may return to the very instruction. NaN for a signal. */
export function callIpOf(row: number, events: ThreadEvents, { step, from }: SiteFacts): number {
  const site = events.siteAt(row);
  const kind = step[site];
  if (kind === Step.Start) return Number.NaN;
  return kind === Step.KernelEntry ? from[site] - 1 : from[site];
}
