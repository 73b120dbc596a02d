/**
 * Control left a level without a return: an exception, or a longjmp. Which frame did it go to?
 *
 * An exception's unwinder shows how many frames it steps down. If it does not, how the level on top ends says how far down
 * control can have gone, and whether more was left in the same way later. If not, it went to the very level that returns then.
 */
import type { ThreadEvents } from '../../model/thread-events.js';
import { type Address, type FunctionId, NONE, type SymbolId } from '../../model/units.js';
import { type SiteFacts, Step } from '../functions/site-facts.js';
import { Trait } from '../functions/traits.js';
import type { LevelEnds } from './level-ends.js';
import type { OpenFrames } from './open-frames.js';
import type { UnwinderSteps } from './unwinder-steps.js';

/** An unwinder does not call itself deeper than this on its way out. */
const DEEPEST_UNWINDER = 8;
/** Frames beyond these are believed to be like them. */
const MOST_COMPARED = 16;
/** Nor are more calls that pass an exception on counted. */
const MOST_RAISERS = 64;
/** A function lies no deeper below the unwinder that lands in a part of it. */
const FARTHEST_WHOLE = 128;

export interface Landing {
  /** NONE: no such frame is open. */
  readonly place: number;
  /** There was no choice. */
  readonly isSure: boolean;
}

export class Unwinding {
  private readonly frames: OpenFrames;
  private readonly ends: LevelEnds;
  private readonly events: ThreadEvents;
  private readonly facts: SiteFacts;
  private readonly steps: UnwinderSteps;

  constructor(frames: OpenFrames, ends: LevelEnds, events: ThreadEvents, facts: SiteFacts, steps: UnwinderSteps) {
    this.frames = frames;
    this.ends = ends;
    this.events = events;
    this.facts = facts;
    this.steps = steps;
  }

  /** Was the level on top left before the event in `row`, rather than that it jumped? `end`: the lowest level that goes with it, or NONE. */
  isLeft(end: number, row: number): boolean {
    const { level } = this.frames.top;
    if (end === level) return false;
    return this.isUnwinding() || (end !== NONE && !this.isLeftByAnother(level, row));
  }

  /** The frame of `fn` that control went to from the level on top, before the event in `row`. */
  landingOf(fn: FunctionId, end: number, row: number): Landing {
    const { frames } = this;
    const { level } = frames.top;
    const stepped = this.steppedTo(fn, end, row);
    if (stepped !== NONE) return { place: stepped, isSure: true };
    const lowest = Math.max(end, 0);
    const isKnown = end !== NONE && this.isLast(level, row);
    const place = frames.findBelow(fn, isKnown ? frames.endOfLevel(end) : this.highestLanding(level), lowest);
    const isSure = place !== NONE && (isKnown || !this.hasChoice(fn, place, lowest, row));
    return { place, isSure };
  }

  /** The frame of `fn` that the unwinder on top has stepped down to; NONE: none runs there, or it does not fit how levels end. */
  private steppedTo(fn: FunctionId, end: number, row: number): number {
    const { frames } = this;
    const place = this.placeOfStep(row);
    if (place === NONE) return NONE;
    const { level } = frames.at(place);
    const isLast = end !== NONE && this.isLast(frames.top.level, row);
    if (isLast ? level !== end : level < end) return NONE;
    const isNameless = (this.facts.functions.traits[fn] & Trait.Unknown) !== 0;
    const own = frames.findBelow(fn, place + 1, level);
    return own === NONE && isNameless ? place : own; // a part of it that lies elsewhere
  }

  /** The top of the level that the unwinder on top has stepped down to; or NONE. */
  private placeOfStep(row: number): number {
    const { frames } = this;
    const { level, callRow } = frames.top;
    if (callRow === NONE || (frames.traitsOfTop() & (Trait.Raiser | Trait.Stub)) !== Trait.Raiser) return NONE;
    let left = this.steps.count(callRow, row);
    let place = level - 1;
    while (left > 0 && place >= 0) {
      const { level: lower } = frames.at(place);
      left -= this.isSignal(lower) ? 2 : 1; // the kernel puts a frame of its own below a handler
      place = lower - 1;
    }
    return left === 0 ? place : NONE;
  }

  private isSignal(level: number): boolean {
    const { callRow } = this.frames.at(level);
    return callRow !== NONE && this.facts.step[this.events.site[callRow]] === Step.Start;
  }

  /** The function of the nearest frame that a part with this symbol belongs to; NONE: none is near. */
  wholeOf(symbol: SymbolId): FunctionId {
    const { frames } = this;
    const ofFrame = (place: number) => this.facts.functions.symbol[frames.at(place).fn];
    if (ofFrame(frames.depth - 1) === symbol) return frames.top.fn;
    const below = this.highestLanding(frames.top.level);
    for (let place = below - 1; place >= Math.max(0, below - FARTHEST_WHOLE); place--)
      if (ofFrame(place) === symbol) return frames.at(place).fn;
    return NONE;
  }

  /**
   * Another frame of the function may be meant. An exception treats frames alike that wait at the same call; and if as many
   * of them let it go on later as there are, none was passed over.
   */
  private hasChoice(fn: FunctionId, place: number, lowest: number, row: number): boolean {
    const { frames } = this;
    const isException = this.unwinderWith(Trait.Raiser) !== NONE;
    const call = this.callIn(place);
    let others = 0;
    let areAlike = isException;
    for (let other = place; others < MOST_COMPARED; others++) {
      other = frames.findBelow(fn, other, lowest);
      if (other === NONE) break;
      if (this.callIn(other) !== call) areAlike = false;
    }
    return others > 0 && !areAlike && this.timesResumed(fn, row) <= others;
  }

  /** How many frames of the function are seen to let the exception go on, from now until a return. */
  private timesResumed(fn: FunctionId, fromRow: number): number {
    const { toFunction, fromFunction, functions } = this.facts;
    let times = 0;
    for (const row of this.ends.raisersLeftWith(this.frames.top.level, MOST_RAISERS)) {
      const site = this.events.site[row];
      const isOf = functions.symbol[fromFunction[site]] === functions.symbol[fn];
      if (row >= fromRow && isOf && functions.traits[toFunction[site]] & Trait.Resumer) times++;
    }
    return times;
  }

  /** The address of the call that the frame at a place waits in; NaN if it was not seen. */
  private callIn(place: number): Address {
    const { callRow } = this.frames.at(place + 1);
    return callRow === NONE ? Number.NaN : this.facts.from[this.events.site[callRow]];
  }

  /** Nothing is left without a return between here and the return that ends this level, too. */
  private isLast(level: number, row: number): boolean {
    return this.ends.newestSkippedWith(level) < row;
  }

  /** What is left together with the level at last is left by an unwinder that was called later. */
  private isLeftByAnother(level: number, row: number): boolean {
    if (this.isLast(level, row)) return false;
    const { toFunction, functions } = this.facts;
    const fn = toFunction[this.events.site[this.ends.newestSkippedWith(level)]];
    return fn !== NONE && (functions.traits[fn] & Trait.Unwinder) !== 0;
  }

  /** An unwinder runs, perhaps in functions of its own that have no name. */
  isUnwinding(): boolean {
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
      if (traits & Trait.Stub || !(traits & (Trait.Unknown | Trait.Unwinder))) return NONE;
      if (traits & trait) return frames.at(place).level;
    }
    return NONE;
  }
}
