/**
 * One thread's events in, its call tree out.
 *
 * Each interval between two events goes to the frame on top of the stack; what an event does to the stack was
 * worked out before (pairing/pair-returns.ts), so the loop only follows.
 */
import type { CallLog, CallLogBuilder } from '../model/call-log.js';
import { type CallTree, type CallTreeBuilder, withoutEmptyNodes } from '../model/call-tree.js';
import type { DurationsBuilder } from '../model/durations.js';
import { Inference, type InferenceName } from '../model/quality.js';
import { SpecialSymbol } from '../model/symbol-table.js';
import type { ThreadEvents } from '../model/thread-events.js';
import { type Nanoseconds, NONE, type SymbolId } from '../model/units.js';
import { Clock } from './clock.js';
import { comesOutOfSyscall, type SiteFacts, Step } from './functions/site-facts.js';
import { Beginning } from './losses/beginning.js';
import { type Contexts, DEEPEST_PLACE, type Lesson } from './losses/contexts.js';
import { FirstStack } from './losses/first-stack.js';
import { type LostStretch, LostStretches } from './losses/lost-stretches.js';
import { knownEnd, LostTime, placeBefore, rowBehindBranches, rowOfLostEnd } from './losses/lost-time.js';
import type { Restart } from './pairing/align.js';
import { isNewProgram, restartOf } from './pairing/look-across.js';
import { pairReturns } from './pairing/pair-returns.js';
import type { Pairing, PairingMemory, Segment } from './pairing/pairing.js';
import { Pause } from './pause.js';
import type { FrameWatcher, TailCalls } from './stack/frame.js';
import { HiddenJumps } from './stack/hidden-jumps.js';
import { OpenFrames } from './stack/open-frames.js';
import { Steps } from './steps.js';

export interface ReplayOptions {
  readonly tailCalls: TailCalls;
  /** The recording's first and last time, to which a thread that waits is extended; null: no thread is. */
  readonly extendTo: { readonly startNs: Nanoseconds; readonly endNs: Nanoseconds } | null;
  /** The thread was made while the recording ran: it is not extended to its start. */
  readonly isCreatedInside: boolean;
  /** Paths seen in all threads, for places that no address tells; null while they are still being learned. */
  readonly contexts: Contexts | null;
  readonly watcher?: FrameWatcher;
  /** Here it is counted how long calls took, unless the thread is doubtful; null: nobody asks. Default: null. */
  readonly durations?: DurationsBuilder | null;
  /** perf failed to decode some of the trace: what no branch tells of may be lost. Default: false. */
  readonly mayBeUndecoded?: boolean;
  /** Somebody asks about single calls. Default: false. */
  readonly wantsLog?: boolean;
}

export interface ThreadReplay extends Lesson {
  /** With a log it has all nodes that this names, some of which nothing was counted on. */
  readonly tree: CallTree;
  /** Good until the next replay; null if nobody asked for it. */
  readonly log: CallLog | null;
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

/** What is used again for the next thread. */
export interface ReplayMemory {
  readonly tree: CallTreeBuilder;
  readonly log: CallLogBuilder;
  readonly pairing: PairingMemory;
}

export class Replay {
  private readonly tree: CallTreeBuilder;
  private readonly log: CallLogBuilder | null;
  private readonly lost: LostStretches;
  private readonly lostTime: LostTime;
  private readonly frames: OpenFrames;
  private readonly hidden: HiddenJumps;
  private readonly beginning: Beginning;
  private readonly firstStack: FirstStack;
  private readonly pause: Pause;
  private readonly clock: Clock;
  private readonly steps: Steps;
  private readonly pairing: Pairing;
  private readonly events: ThreadEvents;
  private readonly facts: SiteFacts;
  private readonly options: ReplayOptions;
  private firstSymbols: SymbolId[] = [];
  private certainNodes: number | null = null;
  /** Losses behind which no address tells the place. */
  private doubts = 0;

  constructor(events: ThreadEvents, facts: SiteFacts, options: ReplayOptions, memory: ReplayMemory) {
    const { tailCalls, contexts, watcher } = options;
    const { tree } = memory;
    const log = options.wantsLog ? memory.log : null;
    const pairing = pairReturns(events, facts, memory.pairing);
    const [first] = pairing.segments;
    const frames = new OpenFrames(tree, log, facts.functions, tailCalls, watcher ?? null);
    const pause = new Pause(tree, log, facts.scope === 'user+kernel');
    const clock = new Clock(frames, pause, log, events.timeNs[first?.firstRow ?? 0] ?? 0);
    const hidden = new HiddenJumps(frames, pairing, events, facts, tailCalls);
    const firstStack = new FirstStack(frames, events, facts, pairing, contexts, () => this.noteDoubt());
    const lost = new LostStretches(events);
    this.steps = new Steps(
      { tree, log, events, facts, pairing, frames, pause, clock, hidden, firstStack, lost },
      watcher,
    );
    this.lostTime = new LostTime({ tree, log, events, facts, frames, pause, clock, lost });
    const { lostTime } = this;
    this.beginning = new Beginning({ events, facts, frames, pause, clock, lost, lostTime }, options, first);
    this.tree = tree;
    this.log = log;
    this.events = events;
    this.facts = facts;
    this.options = options;
    this.pairing = pairing;
    this.frames = frames;
    this.pause = pause;
    this.clock = clock;
    this.hidden = hidden;
    this.firstStack = firstStack;
    this.lost = lost;
  }

  /** Something was lost in it: only then its paths may be in doubt. */
  get isCut(): boolean {
    return this.pairing.segments.length > 1;
  }

  run(): ThreadReplay {
    const { frames } = this;
    let startNs = this.clock.nowNs;
    const { segments } = this.pairing;
    const { events, facts } = this;
    const tail = rowBehindBranches(0, events.length, events, facts);
    if (segments.length === 0) startNs = this.beginUnseen();
    segments.forEach((segment, index) => {
      const before = segments[index - 1];
      this.options.watcher?.atRow(segment.firstRow);
      if (before) this.crossGap(before, segment);
      else startNs = this.begin(segment);
      this.steps.takeAll(segment.firstRow, Math.min(this.endOf(segment, index), tail));
    });
    this.takeTail(tail, segments.at(-1)?.endRow ?? 0);
    this.finish();
    const { tree, lost, log } = this;
    const built = tree.build();
    return {
      tree: log ? built : withoutEmptyNodes(built),
      log: log?.build() ?? null,
      startNs,
      endNs: this.clock.nowNs,
      inferred: frames.inferred,
      lost: lost.stretches,
      firstStack: this.beginning.isBornHere ? [] : this.firstSymbols,
      learned: { length: this.certainNodes ?? built.length, parent: built.parent, symbol: built.symbol },
      hiddenNs: frames.hiddenNs,
      undecided: this.hidden.undecided + this.doubts,
      isDoubtful: this.certainNodes !== null,
    };
  }

  /** A thread without a branch: it is there from its first record on, or from the start if it was there before. */
  private beginUnseen(): Nanoseconds {
    const { events, facts, pause, frames, clock } = this;
    const { extendTo, isCreatedInside, mayBeUndecoded = false } = this.options;
    if (!extendTo || isCreatedInside || !mayBeUndecoded) return clock.nowNs;
    const first = facts.step[events.site[0]];
    if (first === Step.Gap) return clock.nowNs; // what it did before its first error nobody knows
    clock.startAt(extendTo.startNs);
    if (first !== Step.SwitchIn) return clock.nowNs;
    pause.begin(frames.stopNode, SpecialSymbol.Untraced, clock.nowNs);
    pause.switchOut(frames.stopNode, SpecialSymbol.OffCpu, clock.nowNs);
    return extendTo.startNs;
  }

  /** Up to which row it is taken step by step: behind it, something is lost. */
  private endOf(segment: Segment, index: number): number {
    const isLast = index === this.pairing.segments.length - 1;
    return isLast ? segment.endRow : knownEnd(segment, this.events, this.facts);
  }

  /** What stands behind the last branch: records, of which the last segment has those up to `endRow`. */
  private takeTail(row: number, endRow: number): void {
    const { events, facts, clock, pause, steps, lost, options } = this;
    const mayBeLost = options.mayBeUndecoded === true && (endRow === 0 || !pause.isStopped);
    const lostRow = mayBeLost ? rowOfLostEnd(row, events, facts) : NONE;
    if (lostRow === NONE) {
      steps.takeAll(row, endRow);
      return lost.noteErrors(endRow, events.length, clock.nowNs);
    }
    steps.takeAll(row, lostRow);
    if (facts.scope !== 'user' && row > 0) clock.chargeUntil(events.timeNs[lostRow]); // up to there perf has decoded it
    this.loseEnd(row, lostRow);
  }

  /** Behind the last branch, in the row before `row`; while the thread had a processor nothing is known of it. */
  private loseEnd(row: number, lostRow: number): void {
    const { events, facts, clock, pause, options } = this;
    const place = { ip: placeBefore(row, events, facts), isLast: true };
    const untold = this.lostTime.follow(lostRow, events.length, place);
    if (pause.node !== NONE) return this.lost.noteErrors(untold, events.length, clock.nowNs); // it waits to the end
    const endNs = options.extendTo?.endNs ?? events.timeNs.at(-1) ?? clock.nowNs;
    this.lostTime.loseUntil(endNs, untold, events.length, place);
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
    const { startNs } = this.beginning;
    if (startNs !== this.clock.nowNs) this.clock.startAt(startNs);
    this.beginning.loseFirst();
    this.firstStack.begin(restart, this.clock.nowNs);
    this.firstSymbols = this.frames.symbols(DEEPEST_PLACE);
    if (this.clock.nowNs !== this.events.timeNs[segment.firstRow]) this.beginning.wait();
    return startNs;
  }

  /** Between two segments: the time is nobody's, and of the stack only what the next segment confirms stays. */
  private crossGap(before: Segment, after: Segment): void {
    const { events, facts, pause, clock } = this;
    if (isNewProgram(before, after, events, facts)) return this.startProgram(before, after);
    const restart = restartOf(before, after, events, facts, true);
    if (pause.isStopped) return this.crossStop(before, after, restart);
    const { lostNs, loseRest } = this.followAcross(before, after);
    // Who comes out of a system call was in it meanwhile; else the old stack is all that is known of the time.
    const isOfNewStack = comesOutOfSyscall(facts, events.site[after.firstRow]) && pause.node === NONE;
    if (!isOfNewStack) loseRest();
    this.hidden.beginSegment();
    this.firstStack.restart(restart, { lostNs, nextNs: clock.nowNs });
    if (isOfNewStack) loseRest();
  }

  /** A thread that was stopped waited, whatever was lost meanwhile. */
  private crossStop(before: Segment, after: Segment, restart: Restart): void {
    const nextNs = this.events.timeNs[after.firstRow];
    this.clock.chargeUntil(nextNs);
    this.pause.end(nextNs, true);
    this.hidden.beginSegment();
    this.firstStack.restart(restart, { lostNs: nextNs, nextNs });
    this.lost.note(before.endRow, after.firstRow, nextNs, nextNs);
  }

  /** Follows the thread's switches from where it runs and is lost, at `lostNs`. */
  private followAcross(before: Segment, after: Segment): { lostNs: Nanoseconds; loseRest: () => void } {
    const { events, facts, pause, clock, lost, lostTime } = this;
    const firstRow = knownEnd(before, events, facts);
    const isError = firstRow === before.endRow && firstRow < after.firstRow;
    if (isError && pause.node === NONE) clock.chargeUntil(events.timeNs[firstRow]); // up to there perf has decoded it
    const lostNs = clock.nowNs;
    const count = lost.stretches.length;
    const branchEnd = rowBehindBranches(before.firstRow, firstRow, events, facts);
    const place = { ip: placeBefore(branchEnd, events, facts), isLast: false };
    const untold = lostTime.follow(firstRow, after.firstRow, place);
    const loseRest = () => {
      lostTime.loseUntil(events.timeNs[after.firstRow], untold, after.firstRow, place);
      if (lost.stretches.length === count) lost.note(firstRow, after.firstRow, clock.nowNs, clock.nowNs); // it took no time
    };
    return { lostNs, loseRest };
  }

  /** exec: the thread goes on with another program, and nothing of the old stack is left. */
  private startProgram(before: Segment, after: Segment): void {
    const { events, facts, frames, clock } = this;
    if (knownEnd(before, events, facts) < before.endRow) this.followAcross(before, after).loseRest();
    else this.waitForProgram(before, after);
    frames.closeAbove(-1, clock.nowNs, Inference.OpenAtEnd);
    const restart = restartOf(before, after, events, facts, false);
    this.hidden.beginSegment();
    this.firstStack.begin(restart, clock.nowNs);
  }

  /** The old program was decoded up to its exec. */
  private waitForProgram(before: Segment, after: Segment): void {
    const { events, facts, clock } = this;
    for (let row = before.endRow; row < after.firstRow; row++) {
      const step = facts.step[events.site[row]] as Step;
      if (step >= Step.SwitchOut && step !== Step.Exec) this.steps.takeSwitch(row, step);
    }
    clock.chargeUntil(events.timeNs[after.firstRow]);
    this.pause.end(clock.nowNs, true);
    this.lost.noteErrors(before.endRow, after.firstRow, clock.nowNs);
  }

  /** The trace ends. A thread that is stopped or off its processor goes on waiting to the end of the recording. */
  private finish(): void {
    const { extendTo } = this.options;
    if (this.pause.node !== NONE && extendTo && extendTo.endNs > this.clock.nowNs)
      this.clock.chargeUntil(extendTo.endNs);
    this.pause.end(this.clock.nowNs, false);
    this.steps.finish();
  }
}
