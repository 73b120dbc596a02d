/**
 * Control that moved without an event: `--itrace=cr` prints no jumps, so an event may come from a function that is not
 * the one on top. Was it a tail call, or was the stack unwound? How the level on top ends tells; nothing is guessed.
 */
import { Inference } from '../model/quality.js';
import type { ThreadEvents } from '../model/thread-events.js';
import { type FunctionId, type Nanoseconds, NONE } from '../model/units.js';
import type { TailCalls } from './frame.js';
import { LevelEnds } from './level-ends.js';
import type { OpenFrames } from './open-frames.js';
import { Outcome, type Pairing } from './pairing.js';
import { type SiteFacts, Step } from './site-facts.js';
import { Trait } from './traits.js';
import { Unwinding } from './unwinding.js';

export class HiddenJumps {
  /** Code between a signal handler's return and the end of the signal: it counts as what was interrupted. */
  signalTail: FunctionId = NONE;
  /** Events before which control moved, unseen, out of a level that nothing is seen to end: what it did is a guess. */
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
    this.unwinding = new Unwinding(frames, this.ends, events, facts);
  }

  beginSegment(): void {
    this.signalTail = NONE;
  }

  /** The trace goes on in a function: what a signal interrupted, or still the code that ends it. */
  goOn(fn: FunctionId): void {
    if (this.signalTail !== fn) this.signalTail = NONE;
  }

  /** A jump that was shown, into another function. */
  jumpTo(target: FunctionId, toEntry: boolean, nowNs: Nanoseconds): void {
    const { frames, facts } = this;
    const { top } = frames;
    if (top.fn === target || top.aliases?.includes(target)) return;
    if (toEntry) this.leaveLoader(target, nowNs);
    const toStart = toEntry || (facts.functions.traits[target] & Trait.Unknown) !== 0;
    if (toStart) return frames.jump(target, nowNs, NONE);
    // Into the middle of a function: of a frame to which control can have gone, or of a label inside this one.
    const end = this.ends.endOf(top.level);
    const place = this.unwinding.isLeft(end)
      ? this.unwinding.landingOf(target, end)
      : frames.findBelow(target, frames.depth, Math.max(0, end));
    if (place !== NONE) frames.closeAbove(place, nowNs, Inference.Unwound);
    else frames.addAlias(target);
  }

  /** Makes the function that the event in `row` comes from the top of the stack. */
  syncTo(fn: FunctionId, row: number, nowNs: Nanoseconds): void {
    const { frames, facts } = this;
    const { top } = frames;
    if (fn === NONE || top.fn === fn || this.signalTail === fn || top.aliases?.includes(fn)) return;
    this.signalTail = NONE;
    if (facts.functions.traits[fn] & Trait.ReturnThunk) return; // the function on top returns
    if (this.isKernelEntry(top.callRow) && top.level === frames.depth - 1) return frames.addAlias(fn);
    if (!this.goesElsewhere(row) && this.unwindTo(fn, row, nowNs)) return;
    if (this.leaveLoader(fn, nowNs)) return frames.jump(fn, nowNs, Inference.OpenAtStart);
    const bothUnknown = frames.traitsOfTop() & facts.functions.traits[fn] & Trait.Unknown;
    if (bothUnknown && this.tailCalls === 'replace') return;
    frames.jump(fn, nowNs, Inference.HiddenJump);
  }

  /**
   * Left by an exception or a longjmp? If the level on top ends by its own return, no: it jumped. If a return that lands
   * deeper ends it, control went to a frame of `fn` between the two.
   */
  private unwindTo(fn: FunctionId, row: number, nowNs: Nanoseconds): boolean {
    const { frames, unwinding } = this;
    if (frames.traitsOfTop() & (Trait.Stub | Trait.Resolver)) return false;
    const end = this.ends.endOf(frames.top.level);
    if (end === NONE) this.undecided++;
    if (!unwinding.isLeft(end)) return false;
    const landing = unwinding.landingOf(fn, end);
    if (landing !== NONE) {
      frames.closeAbove(landing, nowNs, Inference.Unwound);
      return true;
    }
    const outcome = this.pairing.outcome[row];
    const isReturn = outcome === Outcome.Pop || outcome === Outcome.Leave || outcome === Outcome.SignalReturn;
    if (end !== NONE && isReturn) frames.closeAbove(frames.endOfLevel(end) - 1, nowNs, Inference.Unwound); // the return itself: its level is certain
    return false;
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
