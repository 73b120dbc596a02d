/**
 * Control left a level without a return: an exception, or a longjmp. Which frame did it go to?
 *
 * How the level on top ends says how far down it can have gone, and whether more was left in the same way later. If not,
 * it went to the very level that returns then.
 */
import type { ThreadEvents } from '../model/thread-events.js';
import { type FunctionId, NONE } from '../model/units.js';
import type { LevelEnds } from './level-ends.js';
import type { OpenFrames } from './open-frames.js';
import type { SiteFacts } from './site-facts.js';
import { Trait } from './traits.js';

/** An unwinder does not call itself deeper than this on its way out. */
const DEEPEST_UNWINDER = 8;

export class Unwinding {
  private readonly frames: OpenFrames;
  private readonly ends: LevelEnds;
  private readonly events: ThreadEvents;
  private readonly facts: SiteFacts;

  constructor(frames: OpenFrames, ends: LevelEnds, events: ThreadEvents, facts: SiteFacts) {
    this.frames = frames;
    this.ends = ends;
    this.events = events;
    this.facts = facts;
  }

  /** Was the level on top left, rather than that it jumped? `end`: the lowest level that goes with it, or NONE. */
  isLeft(end: number): boolean {
    const { level } = this.frames.top;
    if (end === level) return false;
    return this.isUnwinding() || (end !== NONE && !this.isLeftByAnother(level));
  }

  /** The place of the frame of `fn` that control went to from the level on top, or NONE. */
  landingOf(fn: FunctionId, end: number): number {
    const { frames } = this;
    const { level } = frames.top;
    const lowest = Math.max(end, 0);
    const below = end !== NONE && this.isLast(level) ? frames.endOfLevel(end) : this.highestLanding(level);
    return frames.findBelow(fn, below, lowest);
  }

  /** Nothing is left without a return between here and the return that ends this level, too. */
  private isLast(level: number): boolean {
    const { callRow } = this.frames.at(level);
    return this.ends.newestSkippedWith(level) <= callRow;
  }

  /** What is left together with the level at last is left by an unwinder that was called later. */
  private isLeftByAnother(level: number): boolean {
    if (this.isLast(level)) return false;
    const { toFunction, functions } = this.facts;
    const fn = toFunction[this.events.site[this.ends.newestSkippedWith(level)]];
    return fn !== NONE && (functions.traits[fn] & Trait.Unwinder) !== 0;
  }

  /** An unwinder runs, perhaps in functions of its own that have no name. */
  private isUnwinding(): boolean {
    return this.unwinderWith(Trait.Unwinder) !== NONE;
  }

  /** Frames from this place upwards cannot be landed in. */
  private highestLanding(level: number): number {
    const resumer = this.unwinderWith(Trait.Resumer);
    return resumer > 0 ? this.frames.at(resumer - 1).level : level; // whose cleanup is done is not gone back to
  }

  /** The place of the uppermost unwinder with a trait, if nothing but nameless code runs on it; else NONE. */
  private unwinderWith(trait: number): number {
    const { frames } = this;
    let place = frames.depth - 1;
    for (let n = 0; n < DEEPEST_UNWINDER && place >= 0; n++, place--) {
      const traits = this.facts.functions.traits[frames.at(place).fn];
      if (traits & trait) return frames.at(place).level;
      if (!(traits & (Trait.Unknown | Trait.Unwinder))) return NONE;
    }
    return NONE;
  }
}
