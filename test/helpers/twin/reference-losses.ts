/**
 * Which of the levels that were open before a loss are still open after it, for the reference replay: every way in which
 * the new stack may stand on the old one is tried.
 *
 * Known paths, which come from other threads, are not: without them, replay does the same.
 */
import { Step, SYSCALL_BYTES } from '../../../src/replay/functions/site-facts.js';
import { MAX_CALL_BYTES } from '../../../src/replay/functions/traits.js';
import { type Fn, goesOn, isProgramStart, type ReferenceEvent } from './reference-events.js';
import { type FirstReading, isWithin, type Level, type Segment } from './reference-stacks.js';

/** A level, as far as it can be recognized. */
export interface OldLevel {
  /** Where it returns to; NaN: only its call is known, or neither. */
  readonly returnsTo: number;
  /** Address of its call; NaN: that was not seen. */
  readonly calledFrom: number;
  /** The function that was called, and those that it jumped to. */
  readonly functions: readonly (Fn | null)[];
}

/** A return whose call was not seen. */
export interface UnmatchedReturn {
  readonly event: ReferenceEvent;
  /** What it skips, lowest first. */
  readonly skipped: readonly Level[];
  /** The function that was called last does not return behind that call: it confirms nothing. */
  readonly isOdd: boolean;
}

/** What is seen after a loss. */
export interface Restart {
  /** In order: the first one ends the level on top. */
  readonly unmatched: readonly UnmatchedReturn[];
  /** The function that runs. */
  readonly running: Fn;
  /** The trace goes on where it had stopped. */
  readonly isWhereStopped: boolean;
  /** The segment at whose end the lowest level is still open; null: it is not, or that is not known. */
  readonly toEnd: Segment | null;
}

/** So many new levels are on top of an old one; everything below that is unchanged. */
export interface Alignment {
  readonly newLevels: number;
  readonly oldLevel: number;
  /** Number of addresses that confirm it. */
  readonly confirmed: number;
}

interface Candidate extends Alignment {
  readonly isWhereStopped: boolean;
  readonly isSameFunction: boolean;
  /** Number of callers that would have to be below the lowest level. */
  readonly belowRoot: number;
}

/** More levels and returns are not compared. */
export const MAX_COMPARED = 128;

/** The alignment that most addresses confirm; null: nothing supports any. `isRooted`: the lowest level has no caller. */
export function align(levels: readonly OldLevel[], restart: Restart, isRooted: boolean): Alignment | null {
  const { unmatched, running, isWhereStopped } = restart;
  const returns = unmatched.slice(0, MAX_COMPARED);
  const lowest = Math.max(0, levels.length - MAX_COMPARED);
  const candidates: Candidate[] = [];
  for (let oldLevel = lowest; oldLevel < levels.length; oldLevel++)
    for (let newLevels = 0; newLevels <= returns.length; newLevels++) {
      // The first return after those of the new levels ends the old level, the next one the level below it, and so on.
      const ended = levels.slice(lowest, oldLevel + 1).reverse();
      const verdicts = returns
        .slice(newLevels)
        .flatMap((end, n) => (n < ended.length ? [fits(ended[n] as OldLevel, end)] : []));
      if (verdicts.includes(false)) continue;
      const fn = newLevels === 0 ? running : (returns[newLevels - 1] as UnmatchedReturn).event.toFn;
      candidates.push({
        newLevels,
        oldLevel,
        confirmed: verdicts.filter((verdict) => verdict === true).length,
        isWhereStopped: isWhereStopped && newLevels === 0 && oldLevel === levels.length - 1,
        isSameFunction: (levels[oldLevel] as OldLevel).functions.includes(fn),
        belowRoot: isRooted ? Math.max(0, unmatched.length - newLevels - oldLevel) : 0,
      });
    }
  const [best] = candidates.sort(
    (a, b) =>
      b.confirmed - a.confirmed ||
      Number(b.isWhereStopped) - Number(a.isWhereStopped) ||
      Number(b.isSameFunction) - Number(a.isSameFunction) ||
      a.belowRoot - b.belowRoot ||
      a.newLevels - b.newLevels ||
      b.oldLevel - a.oldLevel,
  );
  return best && (best.confirmed > 0 || best.isWhereStopped || best.isSameFunction) ? best : null;
}

/** True if a return ends the level, false if it contradicts; null: nothing is known. */
function fits({ returnsTo, calledFrom }: OldLevel, { event: { to }, isOdd }: UnmatchedReturn): boolean | null {
  if (isOdd) return null;
  if (!Number.isNaN(returnsTo)) return returnsTo === to;
  return Number.isNaN(calledFrom) ? null : to !== calledFrom && isWithin(calledFrom, to, MAX_CALL_BYTES);
}

/** Where a level was called; a kernel entry may return to the very instruction. NaN: a signal. */
export function calledFrom(events: readonly ReferenceEvent[], { row }: Level): number {
  const event = events[row];
  if (event === undefined || event.step === Step.Start) return Number.NaN;
  return event.step === Step.KernelEntry ? event.from - 1 : event.from;
}

/** Returns the return in a row. */
export function unmatchedIn(
  row: number,
  events: readonly ReferenceEvent[],
  { meanings }: FirstReading,
): UnmatchedReturn {
  const event = events[row] as ReferenceEvent;
  const meaning = meanings[row];
  const skipped = meaning?.is === 'unmatched' ? meaning.skipped : [];
  const isOdd = meaning?.isDoubtful === true && skipped.length > 0 && skipped.at(-1)?.callee === event.fromFn;
  return { event, skipped, isOdd };
}

/** What a segment begins with. */
export function restartOf(
  before: Segment,
  after: Segment,
  events: readonly ReferenceEvent[],
  reading: FirstReading,
): Restart {
  const { first, last, firstRow, endRow } = after;
  const event = events[firstRow] as ReferenceEvent;
  const isStart = event.step === Step.Start;
  const isSeenToEnd = last === first && (first.unmatched.at(-1) ?? firstRow) < endRow;
  return {
    unmatched: first.unmatched.map((row) => unmatchedIn(row, events, reading)),
    running: isStart ? event.toFn : (event.fromFn ?? event.nameless),
    isWhereStopped: isWithin(before.stoppedAt, isStart ? event.to : event.from, SYSCALL_BYTES),
    toEnd: isSeenToEnd ? after : null,
  };
}

/** The function that runs at the end of a segment. */
export function runningAtEnd(events: readonly ReferenceEvent[], { firstRow, endRow }: Segment): Fn | null {
  const event = events.slice(firstRow, endRow).findLast(({ step }) => step < Step.Gap) as ReferenceEvent;
  return goesOn(event) ? event.fromFn : event.toFn;
}

/** True if an exec is between two segments, recorded or not: then they share no frame. */
export function isNewProgram(before: Segment, after: Segment, events: readonly ReferenceEvent[]): boolean {
  const between = events.slice(before.endRow, after.firstRow);
  return isProgramStart(events[after.firstRow] as ReferenceEvent) || between.some(({ step }) => step === Step.Exec);
}

/** More returns are not handed on to a segment. */
const MAX_RETURNS = 256;

/**
 * Looks ahead across losses: a call that a later segment is seen to end did not end in between, and the returns of that
 * segment are those of the one before. From the last loss backwards, so that each segment gets the returns of all that
 * follow.
 */
export function matchAcrossLosses(events: readonly ReferenceEvent[], reading: FirstReading): void {
  const { segments } = reading;
  for (let index = segments.length - 2; index >= 0; index--) {
    const [before, after] = segments.slice(index) as [Segment, Segment];
    if (isNewProgram(before, after, events)) continue;
    const lowest = { returnsTo: Number.NaN, calledFrom: Number.NaN, functions: [lowestFunction(before, events)] };
    const called = before.open.map((level) => ({
      returnsTo: Number.NaN,
      calledFrom: calledFrom(events, level),
      functions: [level.callee],
    }));
    const found = align([lowest, ...called], restartOf(before, after, events, reading), false);
    if (found === null) continue;
    for (const level of found.confirmed > 0 ? before.open.slice(0, found.oldLevel) : [])
      level.end ??= { row: level.row, by: 'itself', skipped: [], isSeen: false };
    const { unmatched } = before.last;
    const later = after.first.unmatched.slice(found.newLevels + found.oldLevel);
    unmatched.push(...later.slice(0, Math.max(0, MAX_RETURNS - unmatched.length)));
  }
}

function lowestFunction({ firstRow, first, last }: Segment, events: readonly ReferenceEvent[]): Fn | null {
  const row = last.unmatched.at(-1);
  if (row !== undefined) return events[row]?.toFn ?? null;
  const event = events[firstRow] as ReferenceEvent;
  if (last !== first) return null;
  return event.step === Step.Start ? event.toFn : event.fromFn;
}
