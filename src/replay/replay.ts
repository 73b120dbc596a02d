/**
 * One thread's events in, its call tree out.
 *
 * Each interval between two events goes to the frame on top of the stack; what an event does to the stack was
 * worked out before (pair-returns.ts), so the loop only follows.
 */
import { type CallTree, CallTreeBuilder, withoutEmptyNodes } from '../model/call-tree.js';
import { Inference, type InferenceName } from '../model/quality.js';
import { SpecialSymbol } from '../model/symbol-table.js';
import type { ThreadEvents } from '../model/thread-events.js';
import { type FunctionId, type Nanoseconds, NONE, type NodeId, type SiteId, type SymbolId } from '../model/units.js';
import { type Contexts, DEEPEST_PLACE, type Lesson } from './contexts.js';
import { Fibers } from './fibers.js';
import { FirstStack } from './first-stack.js';
import type { FrameWatcher, TailCalls } from './frame.js';
import { HiddenJumps } from './hidden-jumps.js';
import { isNewProgram, leavingOf, restartOf } from './look-across.js';
import { type LostStretch, LostStretches } from './lost-stretches.js';
import type { OtherStack } from './open-calls.js';
import { OpenFrames } from './open-frames.js';
import { pairReturns } from './pair-returns.js';
import { Outcome, type Pairing, type Segment } from './pairing.js';
import { Pause } from './pause.js';
import { type SiteFacts, Step, SYSCALL_BYTES } from './site-facts.js';
import { Trait } from './traits.js';

export interface ReplayOptions {
  readonly tailCalls: TailCalls;
  /** The recording's first and last time, to which a thread that waits is extended; null: no thread is. */
  readonly extendTo: { readonly startNs: Nanoseconds; readonly endNs: Nanoseconds } | null;
  /** The thread was made while the recording ran: it is not extended to its start. */
  readonly isCreatedInside: boolean;
  /** Paths seen in all threads, for places that no address tells; null while they are still being learned. */
  readonly contexts: Contexts | null;
  readonly watcher?: FrameWatcher;
}

export interface ThreadReplay extends Lesson {
  readonly tree: CallTree;
  readonly startNs: Nanoseconds;
  readonly endNs: Nanoseconds;
  readonly inferred: Readonly<Record<InferenceName, number>>;
  readonly lost: readonly LostStretch[];
  /** Events of which nothing in the trace decides what they did to the stack. */
  readonly undecided: number;
  /** Time that is inferred only because it is below a jump that was not shown. */
  readonly hiddenNs: Nanoseconds;
  /** After some loss no address told where the thread was: replay it again when the contexts are known. */
  readonly isDoubtful: boolean;
}

export function replayThread(events: ThreadEvents, facts: SiteFacts, options: ReplayOptions): ThreadReplay {
  return new Replay(events, facts, options).run();
}

class Replay {
  private readonly tree = new CallTreeBuilder();
  private readonly lost: LostStretches;
  private readonly frames: OpenFrames;
  private readonly hidden: HiddenJumps;
  private readonly fibers: Fibers;
  private readonly firstStack: FirstStack;
  private readonly pause: Pause;
  private readonly pairing: Pairing;
  private readonly events: ThreadEvents;
  private readonly facts: SiteFacts;
  private readonly options: ReplayOptions;
  /** Up to here all time is charged. */
  private nowNs: Nanoseconds;
  private firstSymbols: SymbolId[] = [];
  private certainNodes: number | null = null;
  /** Losses behind which no address tells the place. */
  private doubts = 0;
  constructor(events: ThreadEvents, facts: SiteFacts, options: ReplayOptions) {
    this.events = events;
    this.facts = facts;
    this.options = options;
    this.pairing = pairReturns(events, facts);
    this.lost = new LostStretches(events);
    this.frames = new OpenFrames(this.tree, facts.functions, options.tailCalls, options.watcher ?? null);
    this.hidden = new HiddenJumps(this.frames, this.pairing, events, facts, options.tailCalls);
    this.fibers = new Fibers(this.frames, this.pairing);
    this.firstStack = new FirstStack(this.frames, events, facts, options.contexts, () => this.noteDoubt());
    this.pause = new Pause(this.tree, facts.scope === 'user+kernel');
    const first = this.pairing.segments[0];
    this.nowNs = first ? events.timeNs[first.firstRow] : 0;
  }

  run(): ThreadReplay {
    const { frames } = this;
    let startNs = this.nowNs;
    const { segments } = this.pairing;
    this.lost.noteErrors(0, segments[0]?.firstRow ?? 0, this.nowNs);
    segments.forEach((segment, index) => {
      const before = segments[index - 1];
      this.options.watcher?.atRow(segment.firstRow);
      if (before) this.crossGap(before, segment);
      else startNs = this.begin(segment);
      for (let row = segment.firstRow; row < segment.endRow; row++) this.take(row);
    });
    this.lost.noteErrors(segments.at(-1)?.endRow ?? 0, this.events.length, this.nowNs);
    this.finish();
    const { tree, nowNs, lost } = this;
    const built = tree.build();
    return {
      tree: withoutEmptyNodes(built),
      startNs,
      endNs: nowNs,
      inferred: frames.inferred,
      lost: lost.stretches,
      firstStack: this.isBornHere() ? [] : this.firstSymbols,
      learned: { ...built, length: this.certainNodes ?? built.length },
      hiddenNs: frames.hiddenNs,
      undecided: this.hidden.undecided + this.doubts,
      isDoubtful: this.certainNodes !== null,
    };
  }

  /** From here on paths are guesses, and teach nothing. */
  private noteDoubt(): void {
    this.certainNodes ??= this.tree.length;
    this.doubts++;
  }

  /** Lays down the thread's first stack; returns when its observation begins. */
  private begin(segment: Segment): Nanoseconds {
    const restart = restartOf(segment, segment, this.events, this.facts, false);
    this.hidden.beginSegment();
    this.firstStack.begin(restart, this.nowNs);
    this.firstSymbols = this.frames.symbols(DEEPEST_PLACE);
    return this.extendBack(segment);
  }

  private firstFunction(row: number): FunctionId {
    const { step, toFunction, fromFunction } = this.facts;
    const site = this.events.site[row];
    return this.named(step[site] === Step.Start ? toFunction[site] : fromFunction[site]);
  }

  private named(fn: FunctionId): FunctionId {
    return fn === NONE ? this.facts.functions.nameless : fn;
  }

  private take(row: number): void {
    this.options.watcher?.atRow(row);
    const site = this.events.site[row];
    const step = this.facts.step[site] as Step;
    if (step >= Step.SwitchOut) return this.takeSwitch(row, step);
    if (step === Step.Gap) return this.lost.noteErrors(row, row + 1, this.events.timeNs[row]);
    if (step !== Step.Start) this.hidden.syncTo(this.facts.fromFunction[site], row, this.nowNs);
    this.chargeUntil(this.events.timeNs[row]);
    this.apply(row, site, step);
  }

  private chargeUntil(timeNs: Nanoseconds): void {
    const ns = timeNs - this.nowNs;
    this.nowNs = timeNs;
    const { node } = this.pause;
    if (node === NONE) this.frames.charge(ns);
    else this.frames.chargeTo(node, ns);
  }

  private apply(row: number, site: SiteId, step: Step): void {
    const { facts, frames, nowNs } = this;
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
        return this.hidden.jumpTo(target, facts.toEntry[site] === 1, nowNs);
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
        return this.frames.pushCall(target, row, this.nowNs);
      case Outcome.Resume: // a virtual machine comes back under a label of its own
        return this.frames.top.fn === target ? undefined : this.frames.addAlias(target);
      case Outcome.NewStack: // entered from code that is not traced: that is over, too
        this.frames.closeAbove(-1, this.nowNs, Inference.Unwound);
        return this.beginOther(row, target);
      case Outcome.Pop:
        return this.return(row, target);
    }
  }

  /** A stack of the thread that was not seen before. */
  private beginOther(row: number, first: FunctionId): void {
    const { leavingRows } = this.pairing.stacks[this.pairing.link[row]] as OtherStack;
    const leaving = leavingRows.map((leavingRow) => leavingOf(leavingRow, this.events, this.facts));
    this.fibers.begin(row);
    const restart = { leaving, first, isSamePlace: false, isRooted: true };
    this.firstStack.beginOther(restart, row, this.nowNs, this.facts.toEntry[this.events.site[row]] === 1);
  }

  private stop(step: Step): void {
    const why = step === Step.EndSyscall ? SpecialSymbol.Syscall : SpecialSymbol.Untraced;
    this.pause.begin(this.frames.topNode, why, this.nowNs);
  }

  private return(row: number, target: FunctionId): void {
    const { frames, nowNs, pairing } = this;
    const link = pairing.link[row];
    this.fibers.leave(row, nowNs);
    switch (pairing.outcome[row]) {
      case Outcome.Pop:
        frames.returnFrom(frames.placeOfCall(link), nowNs);
        // The return address proves it is the caller's own code, whatever label stands there: ld.so's _start runs
        // on into _dl_start_user.
        if (frames.top.fn !== target) frames.addAlias(target);
        return;
      case Outcome.ReturnTo:
        return this.returnTo(row, frames.placeOfCall(link), target);
      case Outcome.Leave:
        return this.leave(frames.placeOfLeave(row), target);
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
        frames.returnFrom(frames.placeOfCall(link), nowNs);
        this.hidden.signalTail = target;
    }
  }

  /** A call that was not shown has returned: its level goes, the one below it goes on. */
  private returnTo(row: number, place: number, target: FunctionId): void {
    const { frames, nowNs, facts, events } = this;
    if (place === NONE) return;
    const below = frames.findBelow(target, frames.depth, place);
    const landing = below === NONE ? frames.endOfLevel(place) - 1 : below;
    const returning = this.named(facts.fromFunction[events.site[row]]);
    if (frames.depth === landing + 1) frames.pushOpen(returning, nowNs, Inference.HiddenJump); // it called itself
    frames.closeAbove(landing, nowNs, Inference.HiddenJump);
  }

  /** Calls that had returned in a transaction that was aborted go on. */
  private reopen(callRows: readonly number[]): void {
    const { frames, nowNs, facts, events } = this;
    frames.closeAbove(frames.placeBefore(callRows[0] as number), nowNs, Inference.Unwound);
    for (const row of callRows)
      frames.pushCall(this.named(facts.toFunction[events.site[row]]), row, nowNs, Inference.Unwound);
  }

  private leave(place: number, target: FunctionId): void {
    const { frames, nowNs } = this;
    if (place > 0) return frames.returnFrom(place, nowNs);
    frames.closeAbove(-1, nowNs, NONE); // below all that is known
    frames.pushOpen(target, nowNs, Inference.CutByGap);
  }

  private takeSwitch(row: number, step: Step): void {
    this.chargeUntil(this.events.timeNs[row]);
    if (step === Step.SwitchIn) this.pause.switchIn(this.nowNs);
    else {
      const why = step === Step.SwitchOut ? SpecialSymbol.OffCpu : SpecialSymbol.Preempted;
      this.pause.switchOut(this.frames.topNode, why, this.nowNs);
    }
  }

  /** Between two segments: the time is nobody's, and of the stack only what the next segment confirms stays. */
  private crossGap(before: Segment, after: Segment): void {
    if (isNewProgram(before, after, this.events, this.facts)) return this.startProgram(before, after);
    const { events, facts, pause, nowNs } = this;
    const nextNs = events.timeNs[after.firstRow];
    const gapNs = before.endRow < after.firstRow ? events.timeNs[before.endRow] : nowNs;
    const lostNs = pause.isStopped ? nextNs : gapNs;
    this.chargeUntil(lostNs); // a thread that was stopped waited, whatever was lost meanwhile
    const oldNode = this.frames.topNode;
    pause.end(lostNs, true);
    const restart = restartOf(before, after, events, facts, true);
    this.hidden.beginSegment();
    this.firstStack.restart(restart, { lostNs, nextNs });
    this.lost.note(before.endRow, after.firstRow, lostNs, nextNs);
    if (nextNs > lostNs) this.lose(this.comesOutOfSyscall(after) ? this.frames.topNode : oldNode, nextNs);
  }

  /** exec: the thread goes on with another program, and nothing of the old stack is left. */
  private startProgram(before: Segment, after: Segment): void {
    const { events, facts, frames } = this;
    for (let row = before.endRow; row < after.firstRow; row++) {
      const step = facts.step[events.site[row]] as Step;
      if (step >= Step.SwitchOut && step !== Step.Exec) this.takeSwitch(row, step);
    }
    this.chargeUntil(events.timeNs[after.firstRow]);
    this.pause.end(this.nowNs, true);
    this.lost.noteErrors(before.endRow, after.firstRow, this.nowNs);
    frames.closeAbove(-1, this.nowNs, Inference.Unwound);
    const restart = restartOf(before, after, events, facts, false);
    this.hidden.beginSegment();
    this.firstStack.begin(restart, this.nowNs);
  }

  private comesOutOfSyscall({ firstRow }: Pick<Segment, 'firstRow'>): boolean {
    const site = this.events.site[firstRow];
    return this.facts.step[site] === Step.Start && this.facts.syscalls.has(this.facts.to[site] - SYSCALL_BYTES);
  }

  private lose(under: NodeId, nextNs: Nanoseconds): void {
    const node = this.tree.child(under, SpecialSymbol.Lost);
    this.tree.charge(node, nextNs - this.nowNs, true);
    this.tree.countComplete(node, nextNs - this.nowNs);
    this.nowNs = nextNs;
  }

  /** A thread whose first event is the way out of a stop was waiting since the recording began. */
  private extendBack({ firstRow }: Segment): Nanoseconds {
    const firstNs = this.nowNs;
    const { extendTo } = this.options;
    const site = this.events.site[firstRow];
    if (!extendTo || extendTo.startNs === firstNs) return firstNs;
    if (this.facts.step[site] !== Step.Start || this.isBornHere()) return firstNs;
    const inSyscall = this.comesOutOfSyscall({ firstRow });
    const { pause, frames } = this;
    this.nowNs = extendTo.startNs;
    pause.begin(frames.topNode, inSyscall ? SpecialSymbol.Syscall : SpecialSymbol.Untraced, this.nowNs);
    this.waitForSwitchIn(firstRow);
    this.chargeUntil(firstNs);
    pause.end(firstNs, false);
    return extendTo.startNs;
  }

  /** If the first that is known of a thread is that it got a processor, it had none until then. */
  private waitForSwitchIn(firstRow: number): void {
    const row = this.events.site.findIndex((site) => this.facts.step[site] >= Step.SwitchOut);
    if (row === -1 || row >= firstRow || this.facts.step[this.events.site[row]] !== Step.SwitchIn) return;
    if (this.events.timeNs[row] <= this.nowNs) return;
    this.pause.switchOut(NONE, SpecialSymbol.OffCpu, this.nowNs);
    this.chargeUntil(this.events.timeNs[row]);
    this.pause.switchIn(this.nowNs, false);
  }

  /** The thread was made while the recording ran: it has no past, neither time nor callers. */
  private isBornHere(): boolean {
    const first = this.pairing.segments[0];
    if (this.options.isCreatedInside || first === undefined) return this.options.isCreatedInside;
    return ((this.facts.functions.traits[this.firstFunction(first.firstRow)] as number) & Trait.Birthplace) !== 0;
  }

  /** The trace ends. A thread that is stopped or off its processor goes on waiting to the end of the recording. */
  private finish(): void {
    const { extendTo } = this.options;
    if (this.pause.node !== NONE && extendTo && extendTo.endNs > this.nowNs) this.chargeUntil(extendTo.endNs);
    this.pause.end(this.nowNs, false);
    this.frames.closeAbove(-1, this.nowNs, Inference.OpenAtEnd);
    this.fibers.finish(this.nowNs);
  }
}
