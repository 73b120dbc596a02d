/**
 * Finds where an exception or a longjmp went, for the reference replay, by reading ahead.
 */
import { Trait } from '../../../src/replay/functions/traits.js';
import type { Fn } from './reference-events.js';
import type { Frame, Level } from './reference-stacks.js';

/** How the level on top ends. */
export interface End {
  readonly row: number;
  /** The levels from here upwards end with it. */
  readonly index: number;
  /** What is skipped with them and was called later, lowest first. */
  readonly leftLater: readonly Level[];
}

export interface Landing {
  readonly frame: Frame | null;
  /** No other frame was possible. */
  readonly isCertain: boolean;
}

/** An unwinder does not call itself deeper than this before it lands; nor are more frames compared. */
const MAX_UNWINDER_DEPTH = 8;
const MAX_COMPARED = 16;

interface LevelFrame {
  readonly level: Level;
  readonly frame: Frame;
}

const framesOf = (levels: readonly Level[]): LevelFrame[] =>
  levels.flatMap((level) => level.frames.map((frame) => ({ level, frame })));
export const isOf = (frame: Frame, fn: Fn) => frame.fn === fn || frame.alsoKnownAs.includes(fn);

/** An unwinder runs, possibly in functions of its own that have no name. */
export function isUnwinding(list: readonly Level[]): boolean {
  return unwinder(list, Trait.Unwinder) !== null;
}

/** True if an exception or a longjmp left the level on top, and it did not jump. */
export function isLeft(list: readonly Level[], end: End | null): boolean {
  if (end === null) return isUnwinding(list);
  if (end.index === list.length - 1) return false;
  // What is finally left together with it was left by an unwinder called later: this level did not unwind.
  return !end.leftLater.at(-1)?.callee?.is(Trait.Unwinder) || isUnwinding(list);
}

/**
 * The frame that control went to: if nothing else is left in the same way later, one of the level that returns then.
 */
export function landingOf(list: readonly Level[], fn: Fn, end: End | null, row: number): Landing {
  const isKnown = end !== null && end.leftLater.length === 0;
  const lowest = end?.index ?? 0;
  const stepped = steppedTo(list, fn, row);
  if (stepped && (isKnown ? stepped.index === lowest : stepped.index >= lowest))
    return { frame: stepped.frame, isCertain: true };
  const candidates = framesOf(list.slice(lowest, isKnown ? lowest + 1 : highestLanding(list)))
    .map(({ frame }) => frame)
    .filter((frame) => frame.fn === fn)
    .reverse();
  const [frame = null, ...others] = candidates;
  const isCertain = isKnown || others.length === 0 || areAlike(list, candidates) || isForced(fn, others, end);
  return { frame, isCertain: frame !== null && isCertain };
}

/**
 * How many frames below its caller an unwinder lands, by its calls before a row: it called one function for itself, and
 * for each frame on its way.
 */
export function stepsOf({ made }: Level, beforeRow: number): number | null {
  const calls = (levels: readonly Level[]) =>
    levels.filter(({ begunBy, row, end }) => begunBy === 'call' && row < beforeRow && end !== null);
  const [first, ...others] = calls(made)
    .filter((level) => level.caller?.is(Trait.Unwinder) && calls(level.made).length > 0)
    .map((level) => calls(level.made).map(({ callee }) => callee));
  const search = others.findLast(([callee]) => callee === first?.[0]);
  return search === undefined ? null : search.filter((callee) => callee === first?.[0]).length - 1;
}

/** The frame that the unwinder on top stepped down to. */
function steppedTo(list: readonly Level[], fn: Fn, row: number): { frame: Frame; index: number } | null {
  const top = list.findLast(({ frames }) => frames.length > 0) as Level;
  const unwinding = top.frames.at(-1)?.fn;
  if (!unwinding?.is(Trait.Raiser) || unwinding.is(Trait.Stub)) return null;
  let left = stepsOf(top, row) ?? -1;
  let index = list.indexOf(top) - 1;
  for (; left > 0 && index >= 0; index--) left -= list[index]?.begunBy === 'signal' ? 2 : 1;
  const frames = left === 0 ? (list[index]?.frames ?? []) : [];
  const frame = frames.findLast((each) => each.fn === fn) ?? (fn.is(Trait.Unknown) ? frames.at(-1) : undefined);
  return frame ? { frame, index } : null;
}

/** A cold part belongs to the nearest frame of its name, if it is a part of one of several functions. */
export function wholeFunction(list: readonly Level[], fn: Fn): Fn {
  if (!fn.is(Trait.ColdPart)) return fn;
  const top = framesOf(list).at(-1)?.frame;
  if (top?.fn.key === fn.key) return top.fn;
  const below = framesOf(list.slice(0, highestLanding(list)));
  return below.findLast(({ frame }) => frame.fn.key === fn.key)?.frame.fn ?? fn;
}

/**
 * Levels from here on cannot be landed in: a frame that has cleaned up and resumed the exception is never landed in
 * again.
 */
function highestLanding(list: readonly Level[]): number {
  const resumer = unwinder(list, Trait.Resumer);
  return resumer && list.indexOf(resumer) > 0 ? list.indexOf(resumer) - 1 : list.length - 1;
}

/** An exception treats frames alike that wait at the same call. */
function areAlike(list: readonly Level[], candidates: readonly Frame[]): boolean {
  const all = framesOf(list);
  const calls = candidates.slice(0, MAX_COMPARED + 1).map((frame) => {
    const at = all.findIndex((other) => other.frame === frame);
    return all[at + 1].level.calledFrom;
  });
  return unwinder(list, Trait.Raiser) !== null && calls.every((call) => call === calls[0]);
}

/** As many frames of the function pass the exception on later as there are: none was skipped. */
function isForced(fn: Fn, others: readonly Frame[], end: End | null): boolean {
  const times = (end?.leftLater ?? []).filter(
    ({ caller, callee }) => callee?.is(Trait.Resumer) && caller?.key === fn.key,
  ).length;
  return times > Math.min(others.length, MAX_COMPARED);
}

/** The level of the uppermost unwinder of a kind, if only nameless code runs above it. */
function unwinder(list: readonly Level[], kind: number): Level | null {
  for (const { level, frame } of framesOf(list).slice(-MAX_UNWINDER_DEPTH).reverse()) {
    if (frame.fn.is(Trait.Stub) || !frame.fn.is(Trait.Unknown | Trait.Unwinder)) return null;
    if (frame.fn.is(kind)) return level;
  }
  return null;
}

/** An exception landed in it, and stepped over more frames than are known above it. */
export interface LandedIn {
  readonly fn: Fn;
  readonly isBelowUnknown: boolean;
}

/** More calls than these are not examined. */
const MAX_SKIPPED_CALLS = 256;

/**
 * Callers below a level whose calls were not seen, as an exception landed in them; uppermost first. `ran`: the function
 * that the level began with; `left`: what was on it at its end; `last`: the function that ended it, in `lastRow`.
 */
export function landingsBelow(
  ran: Fn,
  left: readonly Level[],
  last: Fn | null,
  lastRow: number,
  isEnd: boolean,
): LandedIn[] {
  if (isEnd && left.length > MAX_SKIPPED_CALLS) return [];
  const landings: LandedIn[] = [];
  let stack = [ran];
  let levels: (Level | null)[] = [null];
  const runsIn = (fn: Fn | null, row: number) => {
    const top = stack.at(-1) as Fn;
    if (fn === null || isSame(top, fn)) return;
    const unwinder = stack.findLastIndex((each) => !each.is(Trait.Unknown));
    const isJump =
      fn.is(Trait.Unwinder) ||
      unwinder === -1 ||
      !stack[unwinder]?.is(Trait.Unwinder) ||
      stack[unwinder].is(Trait.StackSwitcher);
    if (isJump) {
      stack.splice(-1, 1, fn);
      return;
    }
    const below = stack.slice(0, stack[unwinder]?.is(Trait.Resumer) ? Math.max(0, unwinder - 1) : unwinder);
    const index = below.findLastIndex((each) => isSame(each, fn));
    const steps = levels[unwinder] ? stepsOf(levels[unwinder], row) : null;
    if (index === -1 && steps !== null && steps < unwinder) {
      stack = [...stack.slice(0, unwinder - 1 - steps), fn]; // where it landed, it has jumped on
      levels = levels.slice(0, unwinder - steps);
      return;
    }
    if (index === -1) landings.push({ fn, isBelowUnknown: (steps ?? 0) > unwinder });
    stack = index === -1 ? [fn] : stack.slice(0, index + 1);
    levels = index === -1 ? [null] : levels.slice(0, index + 1);
  };
  for (const level of left.length > MAX_SKIPPED_CALLS ? [] : left) {
    runsIn(level.caller, level.row);
    stack.push(level.callee as Fn);
    levels.push(level);
  }
  runsIn(last, lastRow);
  return landings.some(({ fn }) => fn.is(Trait.Unknown)) ? [] : landings;
}

function isSame(a: Fn, b: Fn): boolean {
  return a === b || (a.key === b.key && !a.is(Trait.Unknown));
}
