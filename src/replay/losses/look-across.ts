/**
 * Looks ahead across losses: a level that a later segment is seen to end did not end in between. Works backwards over
 * the segments, so that each one receives the returns of all that follow it.
 */
import type { ThreadEvents } from '../../model/trace/trace-chunk.js';
import { type FunctionId, NONE, type SiteId } from '../../model/units.js';
import { type SiteFacts, Step, SYSCALL_BYTES } from '../functions/site-facts.js';
import { Trait } from '../functions/traits.js';
import type { Pairing, Segment } from '../pairing/pairing.js';
import { align, type Level, type Restart, type UnmatchedReturn } from './align.js';

/** Maximum number of unmatched returns passed to earlier segments. */
const MAX_UNMATCHED_RETURNS = 256;

/** Extends `unmatchedRows` of the segments, and links calls that end after a loss to themselves. */
export function matchAcrossLosses({ segments, link }: Pairing, events: ThreadEvents, facts: SiteFacts): void {
  for (let index = segments.length - 2; index >= 0; index--) {
    const before = segments[index] as Segment;
    const after = segments[index + 1] as Segment;
    if (isNewProgram(before, after, events, facts)) continue;
    const found = align(levelsAtEnd(before, events, facts), restartOf(before, after, events, facts, false));
    if (found === null) continue;
    if (found.confirmed > 0)
      for (const call of before.openRows.slice(0, found.oldLevel)) if (link[call] === NONE) link[call] = call;
    const later = after.unmatchedRows.slice(found.newLevels + found.oldLevel);
    segments[index] = {
      ...before,
      unmatchedRows: before.unmatchedRows
        .concat(later)
        .slice(0, Math.max(MAX_UNMATCHED_RETURNS, before.unmatchedRows.length)),
    };
  }
}

/** True if an exec is between two segments, recorded or not: then they share no frame. */
export function isNewProgram(before: Segment, after: Segment, { site }: ThreadEvents, facts: SiteFacts): boolean {
  const { step, toEntry, toFunction, functions } = facts;
  const first = site[after.firstRow];
  const isStartOfProgram = step[first] === Step.Start && toEntry[first] === 1;
  if (isStartOfProgram && functions.traits[toFunction[first]] & Trait.ProgramStart) return true;
  return site.subarray(before.endRow, after.firstRow).some((id) => step[id] === Step.Exec);
}

/** Returns what a segment begins with, for comparison with the one before it. */
export function restartOf(
  before: Segment,
  after: Segment,
  events: ThreadEvents,
  facts: SiteFacts,
  isRooted: boolean,
): Restart {
  const site = events.site[after.firstRow];
  const isStart = facts.step[site] === Step.Start;
  const address = isStart ? facts.to[site] : facts.from[site];
  return {
    unmatchedReturns: after.unmatchedRows.map((row) => unmatchedReturnAt(row, events, facts)),
    first: isStart ? facts.toFunction[site] : facts.fromFunction[site],
    ...endOf(after, events, facts),
    isWhereStopped: before.stoppedAt <= address && address <= before.stoppedAt + SYSCALL_BYTES,
    isRooted,
  };
}

/** Returns how a segment ends, if its lowest level is still open then. */
function endOf(
  segment: Segment,
  { site }: ThreadEvents,
  facts: SiteFacts,
): Pick<Restart, 'openRows' | 'last' | 'endRow'> {
  const { unmatchedRows, endRow, firstRow, openRows } = segment;
  if ((unmatchedRows.at(-1) ?? firstRow) >= endRow) return { openRows: [], last: NONE, endRow };
  let row = endRow - 1;
  while (row > firstRow && facts.step[site[row]] >= Step.Gap) row--;
  return { openRows, last: runningAfter(site[row], facts), endRow };
}

/** Returns the function that runs after an event other than a call. */
function runningAfter(site: SiteId, { step, fromFunction, toFunction }: SiteFacts): FunctionId {
  const staysInSource = step[site] === Step.Stay || step[site] === Step.End || step[site] === Step.EndSyscall;
  return staysInSource ? fromFunction[site] : toFunction[site];
}

/** Returns the unmatched return in a row. */
export function unmatchedReturnAt(row: number, { site }: ThreadEvents, { to, toFunction }: SiteFacts): UnmatchedReturn {
  return { row, to: to[site[row]], fn: toFunction[site[row]] };
}

/** Returns the levels open at the end of a segment, as its own calls show them; what is below is one unknown level. */
function levelsAtEnd(segment: Segment, events: ThreadEvents, facts: SiteFacts): Level[] {
  const lowest = { returnsTo: Number.NaN, callIp: Number.NaN, functions: [lowestFunction(segment, events, facts)] };
  return [lowest, ...segment.openRows.map((row) => levelOfCall(row, events, facts))];
}

function lowestFunction({ firstRow, unmatchedRows }: Segment, { site }: ThreadEvents, facts: SiteFacts): FunctionId {
  const last = unmatchedRows.at(-1);
  if (last !== undefined) return facts.toFunction[site[last]];
  const first = site[firstRow];
  return facts.step[first] === Step.Start ? facts.toFunction[first] : facts.fromFunction[first];
}

function levelOfCall(row: number, events: ThreadEvents, facts: SiteFacts): Level {
  const callIp = callIpOf(row, events, facts);
  return { returnsTo: Number.NaN, callIp, functions: [facts.toFunction[events.site[row]]] };
}

/** Returns where a level was called; a kernel entry may return to the very instruction. NaN for a signal. */
export function callIpOf(row: number, { site }: ThreadEvents, { step, from }: SiteFacts): number {
  const kind = step[site[row]];
  if (kind === Step.Start) return Number.NaN;
  return kind === Step.KernelEntry ? from[site[row]] - 1 : from[site[row]];
}
