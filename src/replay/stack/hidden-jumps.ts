/**
 * Control that moved without an event: `--itrace=cr` prints no jumps, so an event may come from a function that is not
 * the one on top. Was it a tail call, or was the stack unwound? How the level on top ends tells; nothing is guessed.
 */
import { Inference, UNWOUND } from '../../model/quality.js';
import type { ThreadEvents } from '../../model/thread-events.js';
import { type FunctionId, type Nanoseconds, NONE, type SymbolId } from '../../model/units.js';
import { type SiteFacts, Step } from '../functions/site-facts.js';
import { Trait } from '../functions/traits.js';
import { Outcome, type Pairing } from '../pairing/pairing.js';
import type { TailCalls } from './frame.js';
import { LevelEnds } from './level-ends.js';
import type { OpenFrames } from './open-frames.js';
import { UnwinderSteps } from './unwinder-steps.js';
import { type Landing, Unwinding } from './unwinding.js';

export class HiddenJumps {
  /** Code between a signal handler's return and the end of the signal: it counts as what was interrupted. */
  signalTail: FunctionId = NONE;
  /** Events before which control moved, and no address tells where to: what it did is a guess. */
  undecided = 0;
  private readonly frames: OpenFrames;
  private readonly pairing: Pairing;
  private readonly events: ThreadEvents;
  private readonly facts: SiteFacts;
  private readonly tailCalls: TailCalls;
  private readonly ends: LevelEnds;
  private readonly unwinding: Unwinding;

  constructor(frames: OpenFrames, pairing: Pairing, events: ThreadEvents, facts: SiteFacts, tailCalls: TailCalls) {
    this.frames = frames;
    this.pairing = pairing;
    this.events = events;
    this.facts = facts;
    this.tailCalls = tailCalls;
    this.ends = new LevelEnds(frames, pairing);
    this.unwinding = new Unwinding(frames, this.ends, events, facts, new UnwinderSteps(events, facts, pairing));
  }

  beginSegment(): void {
    this.signalTail = NONE;
  }

  /** The trace goes on in a function: what a signal interrupted, or still the code that ends it. */
  goOn(fn: FunctionId): void {
    if (this.signalTail !== fn) this.signalTail = NONE;
  }

  /** A jump that was shown, into another function. */
  jumpTo(named: FunctionId, toEntry: boolean, row: number, nowNs: Nanoseconds): void {
    const { frames, facts } = this;
    const target = this.wholeOf(named);
    const { top } = frames;
    if (top.fn === target || top.aliases?.includes(target)) return;
    if (toEntry) this.leaveLoader(target, nowNs);
    const isNameless = (facts.functions.traits[target] & Trait.Unknown) !== 0;
    if (isNameless && this.landNameless(target, row, nowNs)) return;
    if (toEntry || isNameless) return frames.jump(target, nowNs, NONE);
    // Into the middle of a function: of a frame to which control can have gone, or of a label inside this one.
    const { place, isSure } = this.targetOf(target, row);
    if (place !== NONE) this.land(place, isSure, nowNs, target);
    else if (this.unwinding.isUnwinding()) {
      frames.jump(target, nowNs, NONE);
      this.doubtTop();
    } else frames.addAlias(target);
  }

  /** Of a place without a name nobody knows whether it is the start of a function: an unwinder that is left lands in it. */
  private landNameless(target: FunctionId, row: number, nowNs: Nanoseconds): boolean {
    const { unwinding } = this;
    const { level } = this.frames.top;
    const end = this.ends.endOf(level);
    if (end === level || !unwinding.isUnwinding()) return false;
    const { place, isSure } = unwinding.landingOf(target, end, row);
    if (place !== NONE) this.land(place, isSure, nowNs, target);
    return place !== NONE;
  }

  private targetOf(target: FunctionId, row: number): Landing {
    const { frames, unwinding } = this;
    const { level } = frames.top;
    const end = this.ends.endOf(level);
    if (unwinding.isLeft(end, row)) return unwinding.landingOf(target, end, row);
    const lowest = Math.max(0, end);
    const place = frames.findBelow(target, frames.depth, lowest);
    return { place, isSure: end === level || place === NONE || frames.findBelow(target, place, lowest) === NONE };
  }

  /**
   * Makes the function that the event in `row` comes from the top of the stack. True if it was not, so that the time since
   * the event before it is that of two functions.
   */
  syncTo(named: FunctionId, row: number, nowNs: Nanoseconds): boolean {
    const { frames, facts } = this;
    const { top } = frames;
    const fn = this.wholeOf(named);
    if (fn === NONE || top.fn === fn || this.signalTail === fn || top.aliases?.includes(fn)) return false;
    this.signalTail = NONE;
    if (facts.functions.traits[fn] & Trait.ReturnThunk) return false; // the function on top returns
    if (this.isKernelEntry(top.callRow) && top.level === frames.depth - 1) {
      frames.addAlias(fn);
      return false;
    }
    if (this.leaveLoader(fn, nowNs)) {
      frames.jump(fn, nowNs, Inference.OpenAtStart);
      return true;
    }
    const isStub = (frames.traitsOfTop() & (Trait.Stub | Trait.Resolver)) !== 0;
    if (isStub || this.goesElsewhere(row)) this.jump(fn, nowNs);
    else this.jumpOrUnwind(fn, row, nowNs);
    frames.sawTop(this.events.timeNs[row]);
    return !isStub && !(frames.traitsOfTop() & Trait.Stub);
  }

  private jump(fn: FunctionId, nowNs: Nanoseconds): void {
    const { frames } = this;
    const bothUnknown = frames.traitsOfTop() & this.facts.functions.traits[fn] & Trait.Unknown;
    if (!bothUnknown || this.tailCalls === 'nest') frames.jump(fn, nowNs, Inference.HiddenJump);
  }

  /**
   * Left by an exception or a longjmp? If the level on top ends by its own return, no: it jumped. If a return that lands
   * deeper ends it, control went to a frame of `fn` between the two.
   */
  private jumpOrUnwind(fn: FunctionId, row: number, nowNs: Nanoseconds): void {
    const { frames, unwinding } = this;
    const { level } = frames.top;
    const end = this.ends.endOf(level);
    if (!unwinding.isLeft(end, row)) {
      const hasChoice = end === NONE && frames.findBelow(fn, level, 0) !== NONE;
      this.jump(fn, nowNs);
      if (hasChoice) this.doubtTop();
      return;
    }
    const { place, isSure } = unwinding.landingOf(fn, end, row);
    if (place !== NONE) return this.land(place, isSure, nowNs, fn);
    const isKnown = end !== NONE && this.isReturn(row); // the return itself: its level is certain
    if (isKnown) frames.closeAbove(frames.endOfLevel(end) - 1, nowNs, UNWOUND);
    this.jump(fn, nowNs);
    // Nobody lands in an unwinder: it was jumped to.
    if (!isKnown && !(this.facts.functions.traits[fn] & Trait.Unwinder)) this.doubtTop();
  }

  private isReturn(row: number): boolean {
    const outcome = this.pairing.outcome[row];
    return outcome === Outcome.Pop || outcome === Outcome.Leave || outcome === Outcome.SignalReturn;
  }

  /**
   * Control went to the frame at a place, out of all that is above it. That those calls ended is certain if a return further
   * down is seen to end them, or if an unwinder runs.
   */
  private land(place: number, isSure: boolean, nowNs: Nanoseconds, fn: FunctionId): void {
    const isCertain = this.ends.endOf(this.frames.top.level) !== NONE || this.unwinding.isUnwinding();
    this.frames.closeAbove(place, nowNs, isCertain ? UNWOUND : Inference.Unwound);
    if (this.frames.top.fn !== fn) this.frames.addAlias(fn); // a part of it that lies elsewhere
    if (!isSure) this.doubtTop();
  }

  /** Of a part of a function the function that is open; else itself. */
  private wholeOf(fn: FunctionId): FunctionId {
    const { traits, symbol } = this.facts.functions;
    if (fn === NONE || !(traits[fn] & Trait.Part)) return fn;
    const whole = this.unwinding.wholeOf(symbol[fn] as SymbolId);
    return whole === NONE ? fn : whole;
  }

  private doubtTop(): void {
    this.undecided++;
    this.frames.doubt(this.frames.depth - 1);
  }

  /**
   * A program has no callers but the code that loaded it, which musl's loader jumps out of with the stack that the kernel
   * made: nothing but the lowest level is left. True if the function is where programs begin.
   */
  private leaveLoader(fn: FunctionId, nowNs: Nanoseconds): boolean {
    const { frames, facts } = this;
    if (!(facts.functions.traits[fn] & Trait.ProgramStart)) return false;
    if (this.ends.endOf(frames.top.level) === NONE)
      frames.closeAbove(frames.endOfLevel(0) - 1, nowNs, Inference.Unwound);
    return true;
  }

  /** The event comes from another stack than the one whose calls are open: that was gone to unseen. */
  private goesElsewhere(row: number): boolean {
    const outcome = this.pairing.outcome[row];
    return outcome === Outcome.NewStack || outcome === Outcome.StackSwitch;
  }

  // The kernel's entry code has several labels.
  private isKernelEntry(callRow: number): boolean {
    return callRow !== NONE && this.facts.step[this.events.site[callRow]] === Step.KernelEntry;
  }
}
