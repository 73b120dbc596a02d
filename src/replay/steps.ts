/**
 * What each event does to the stack: the time before it goes to the frame on top, then its step is done, as it was worked
 * out before (pairing/pair-returns.ts).
 */
import type { CallLogBuilder } from '../model/call-log.js';
import type { CallTreeBuilder } from '../model/call-tree.js';
import { Inference, UNWOUND } from '../model/quality.js';
import { SpecialSymbol } from '../model/symbol-table.js';
import type { ThreadEvents } from '../model/thread-events.js';
import { type FunctionId, NONE, type SiteId } from '../model/units.js';
import type { Clock } from './clock.js';
import { type SiteFacts, Step } from './functions/site-facts.js';
import { Trait } from './functions/traits.js';
import type { FirstStack } from './losses/first-stack.js';
import type { LostStretches } from './losses/lost-stretches.js';
import { leavingOf } from './pairing/look-across.js';
import type { OtherStack } from './pairing/open-calls.js';
import { Outcome, type Pairing } from './pairing/pairing.js';
import type { Pause } from './pause.js';
import { PlainSteps } from './plain-steps.js';
import { Fibers } from './stack/fibers.js';
import type { FrameWatcher } from './stack/frame.js';
import type { HiddenJumps } from './stack/hidden-jumps.js';
import type { OpenFrames } from './stack/open-frames.js';

/** What a replay is made of. */
export interface ReplayParts {
  readonly tree: CallTreeBuilder;
  readonly log: CallLogBuilder | null;
  readonly events: ThreadEvents;
  readonly facts: SiteFacts;
  readonly pairing: Pairing;
  readonly frames: OpenFrames;
  readonly pause: Pause;
  readonly clock: Clock;
  readonly hidden: HiddenJumps;
  readonly firstStack: FirstStack;
  readonly lost: LostStretches;
}

export class Steps {
  private readonly events: ThreadEvents;
  private readonly facts: SiteFacts;
  private readonly pairing: Pairing;
  private readonly frames: OpenFrames;
  private readonly pause: Pause;
  private readonly clock: Clock;
  private readonly hidden: HiddenJumps;
  private readonly firstStack: FirstStack;
  private readonly lost: LostStretches;
  private readonly fibers: Fibers;
  private readonly plain: PlainSteps;
  private readonly watcher: FrameWatcher | undefined;
  /** Rows before which the thread goes to another stack, the next one last. */
  private readonly unseenRows: number[];

  constructor(parts: ReplayParts, watcher: FrameWatcher | undefined) {
    const { events, facts, pairing, frames } = parts;
    this.events = events;
    this.facts = facts;
    this.pairing = pairing;
    this.frames = frames;
    this.pause = parts.pause;
    this.clock = parts.clock;
    this.hidden = parts.hidden;
    this.firstStack = parts.firstStack;
    this.lost = parts.lost;
    this.fibers = new Fibers(frames, pairing);
    this.plain = new PlainSteps(parts.tree, parts.log, frames, pairing, events, facts);
    this.watcher = watcher;
    this.unseenRows = [...pairing.unseen.keys()].sort((a, b) => b - a);
  }

  /** Replays the events of a segment, or a part of it. */
  takeAll(firstRow: number, endRow: number): void {
    let row = this.takePlain(firstRow, endRow);
    while (row < endRow) {
      this.take(row);
      row = this.takePlain(row + 1, endRow);
    }
  }

  /** Takes what needs no thought; returns the first row that does. Who watches sees each event by itself. */
  private takePlain(firstRow: number, endRow: number): number {
    if (this.pause.node !== NONE || this.watcher) return firstRow;
    const row = this.plain.take(firstRow, Math.min(endRow, this.nextUnseen(firstRow)), this.clock.nowNs);
    if (row === firstRow) return row;
    this.clock.goOnAt(this.events.timeNs[row - 1]);
    this.pause.forgetSwitch();
    return row;
  }

  /** The next row from here on before which the thread goes to another stack; later than all rows if there is none. */
  private nextUnseen(row: number): number {
    const { unseenRows } = this;
    while ((unseenRows.at(-1) ?? Number.POSITIVE_INFINITY) < row) unseenRows.pop();
    return unseenRows.at(-1) ?? Number.POSITIVE_INFINITY;
  }

  private take(row: number): void {
    this.watcher?.atRow(row);
    const site = this.events.site[row];
    const step = this.facts.step[site] as Step;
    if (step >= Step.SwitchOut) return this.takeSwitch(row, step);
    if (step === Step.Gap) return this.lost.noteErrors(row, row + 1, this.events.timeNs[row]);
    const isElsewhere = this.pairing.unseen.size > 0 && this.goUnseen(row);
    const hasJumped = step !== Step.Start && this.hidden.syncTo(this.facts.fromFunction[site], row, this.clock.nowNs);
    if (hasJumped || isElsewhere) this.clock.chargeMove(this.events.timeNs[row]);
    else this.clock.chargeUntil(this.events.timeNs[row]);
    this.apply(row, site, step);
  }

  private apply(row: number, site: SiteId, step: Step): void {
    const { facts, frames } = this;
    const { nowNs } = this.clock;
    const target = this.named(facts.toFunction[site]);
    if (this.pause.node !== NONE) this.pause.end(nowNs, true);
    else if (step < Step.End) this.pause.forgetSwitch();
    switch (step) {
      case Step.Start:
        return this.start(row, target);
      case Step.Call:
      case Step.KernelEntry:
        return frames.pushCall(target, row, nowNs);
      case Step.Return:
        return this.return(row, target);
      case Step.Jump:
        if (this.pairing.outcome[row] !== Outcome.Plain) return this.return(row, target);
        return this.hidden.jumpTo(target, facts.toEntry[site] === 1, row, nowNs);
      case Step.EndCall:
        if (facts.to[site] !== 0) frames.pushCall(target, row, nowNs);
        return this.stop(step);
      case Step.EndReturn:
        this.return(row, target);
        return this.stop(step);
      case Step.End:
      case Step.EndSyscall:
        return this.stop(step);
    }
  }

  private start(row: number, target: FunctionId): void {
    this.hidden.goOn(target);
    switch (this.pairing.outcome[row]) {
      case Outcome.SignalEntry:
        return this.frames.pushCall(target, row, this.clock.nowNs);
      case Outcome.Resume: // a virtual machine comes back under a label of its own
        return this.frames.top.fn === target ? undefined : this.frames.addAlias(target);
      case Outcome.NewStack: // entered from code that is not traced: that is over, too
        this.frames.closeAbove(-1, this.clock.nowNs, Inference.Unwound);
        return this.beginOther(row, target);
      case Outcome.Pop:
        return this.return(row, target);
    }
  }

  /** Before the event in `row` the thread may have gone to another stack. */
  private goUnseen(row: number): boolean {
    const { frames, fibers, pairing, facts } = this;
    const unseen = pairing.unseen.get(row);
    if (unseen === undefined) return false;
    const { nowNs } = this.clock;
    fibers.leave(row, nowNs);
    const fn = this.named(facts.fromFunction[this.events.site[row]]);
    if (unseen.to === 'new') this.lay(unseen.stack, row, fn, false);
    else if (unseen.to === 'left') fibers.back(unseen.change, row, nowNs);
    else {
      const place = frames.placeOfCall(unseen.callRow);
      if (place === NONE) return false;
      frames.closeAbove(frames.endOfLevel(place) - 1, nowNs, Inference.Unwound);
      if (unseen.isOver) frames.returnFrom(place, nowNs, NONE);
      else frames.replaceTop(fn, nowNs, Inference.HiddenJump);
    }
    return true;
  }

  /** A stack of the thread that was not seen before. */
  private beginOther(row: number, first: FunctionId): void {
    const isEntry = this.facts.toEntry[this.events.site[row]] === 1;
    this.lay(this.pairing.stacks[this.pairing.link[row]] as OtherStack, row, first, isEntry);
  }

  private lay({ leavingRows }: OtherStack, row: number, first: FunctionId, isEntry: boolean): void {
    const leaving = leavingRows.map((leavingRow) => leavingOf(leavingRow, this.events, this.facts));
    this.fibers.begin(row);
    const restart = { leaving, first, openRows: [], last: NONE, endRow: row, isSamePlace: false, isRooted: true };
    this.firstStack.beginOther(restart, row, this.clock.nowNs, isEntry);
  }

  private stop(step: Step): void {
    const why = step === Step.EndSyscall ? SpecialSymbol.Syscall : SpecialSymbol.Untraced;
    this.pause.begin(this.frames.stopNode, why, this.clock.nowNs);
  }

  private return(row: number, target: FunctionId): void {
    const { frames, pairing } = this;
    const { nowNs } = this.clock;
    const link = pairing.link[row];
    this.fibers.leave(row, nowNs);
    switch (pairing.outcome[row]) {
      case Outcome.Pop:
        frames.returnFrom(frames.placeOfCall(link), nowNs, this.skippedBy(row));
        // The return address proves it is the caller's own code, whatever label stands there: ld.so's _start runs
        // on into _dl_start_user.
        if (frames.top.fn !== target) frames.addAlias(target);
        return;
      case Outcome.ReturnTo:
        return this.returnTo(row, frames.placeOfCall(link), target);
      case Outcome.Leave:
        return this.leave(frames.placeOfLeave(row), target, this.skippedBy(row));
      case Outcome.JumpByReturn:
        this.fibers.begin(row);
        return frames.jump(target, nowNs, NONE);
      case Outcome.NewStack:
        return this.beginOther(row, target);
      case Outcome.Reopen:
        return this.reopen(pairing.aborts[link] as number[]);
      case Outcome.StackSwitch:
        return this.fibers.resume(row, nowNs);
      case Outcome.SignalReturn:
        frames.returnFrom(frames.placeOfCall(link), nowNs, this.skippedBy(row));
        this.hidden.signalTail = target;
    }
  }

  /**
   * How calls ended that the event in `row` passes by: here, if it is a return. Behind a stop they may have ended before, and
   * who switches stacks may go back to them.
   */
  private skippedBy(row: number): number {
    const isReturn = this.facts.step[this.events.site[row]] !== Step.Start;
    return isReturn && (this.frames.traitsOfTop() & Trait.Switcher) === 0 ? UNWOUND : Inference.Unwound;
  }

  /** A call that was not shown has returned: its level goes, the one below it goes on. */
  private returnTo(row: number, place: number, target: FunctionId): void {
    const { frames, facts, events } = this;
    const { nowNs } = this.clock;
    if (place === NONE) return;
    const below = frames.findBelow(target, frames.depth, place);
    const landing = below === NONE ? frames.endOfLevel(place) - 1 : below;
    const returning = this.named(facts.fromFunction[events.site[row]]);
    if (frames.depth === landing + 1) frames.pushOpen(returning, nowNs, Inference.HiddenJump); // it called itself
    frames.closeAbove(landing, nowNs, Inference.HiddenJump);
    frames.doubt(landing);
  }

  /** Calls that had returned in a transaction that was aborted go on. */
  private reopen(callRows: readonly number[]): void {
    const { frames, facts, events } = this;
    const { nowNs } = this.clock;
    frames.closeAbove(frames.placeBefore(callRows[0] as number), nowNs, Inference.Unwound);
    for (const row of callRows)
      frames.pushCall(this.named(facts.toFunction[events.site[row]]), row, nowNs, Inference.Unwound);
  }

  private leave(place: number, target: FunctionId, skipped: number): void {
    const { frames } = this;
    const { nowNs } = this.clock;
    if (place > 0) return frames.returnFrom(place, nowNs, skipped);
    frames.closeAbove(-1, nowNs, NONE); // below all that is known
    frames.pushOpen(target, nowNs, Inference.CutByGap);
  }

  /** The thread leaves its processor, or gets one. */
  takeSwitch(row: number, step: Step): void {
    this.clock.chargeUntil(this.events.timeNs[row]);
    if (step === Step.SwitchIn) this.pause.switchIn(this.clock.nowNs);
    else {
      const why = step === Step.SwitchOut ? SpecialSymbol.OffCpu : SpecialSymbol.Preempted;
      this.pause.switchOut(this.frames.stopNode, why, this.clock.nowNs);
    }
  }

  /** The trace ends: what is open, on the stack or off it, is counted. */
  finish(): void {
    this.frames.closeAbove(-1, this.clock.nowNs, Inference.OpenAtEnd);
    this.fibers.finish(this.clock.nowNs);
  }

  private named(fn: FunctionId): FunctionId {
    return fn === NONE ? this.facts.functions.nameless : fn;
  }
}
