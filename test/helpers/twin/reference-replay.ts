/**
 * The reference replay: slow and simple, to check `replayThread`.
 *
 * A first reading (`reference-levels.ts`) finds what each event does to the calls of the thread's stacks, and how each
 * level ends. The second one, here, keeps the frames: it follows hidden jumps and exceptions, and charges the time.
 *
 * Inputs are what replay learns from all threads: the functions that switch stacks (`facts`). Left out are known paths,
 * the scheduler's stack of Go, transactions that abort, and programs that are not traced under a traced kernel.
 */

import { DOUBT_NAMES, Doubt, type DoubtName } from '../../../src/model/calls/doubts.js';
import { type InferenceName, noInferences } from '../../../src/model/profile/profile.js';
import type { SymbolTable } from '../../../src/model/symbol-table.js';
import type { ThreadEvents } from '../../../src/model/trace/thread-events.js';
import type { Tid } from '../../../src/model/units.js';
import { type SiteFacts, Step, SYSCALL_BYTES } from '../../../src/replay/functions/site-facts.js';
import { Trait } from '../../../src/replay/functions/traits.js';
import type { ReplayOptions, ThreadGap, ThreadReplay } from '../../../src/replay/thread-replay.js';
import { count, type PathRow, rowOf } from './path-rows.js';
import { CallList, moveOnto, type ReferenceCall, type ReferenceThread } from './reference-calls.js';
import { type Fn, isEnd, isSwitch, type ReferenceEvent, referenceEvents, symbolKey } from './reference-events.js';
import { readFirst } from './reference-levels.js';
import {
  type Alignment,
  align,
  calledFrom,
  isNewProgram,
  MAX_COMPARED,
  matchAcrossLosses,
  type Restart,
  restartOf,
  runningAtEnd,
  type UnmatchedReturn,
  unmatchedIn,
} from './reference-losses.js';
import {
  type FirstReading,
  type Frame,
  type HiddenSwitch,
  type Level,
  type Meaning,
  NOTHING,
  type Resumed,
  type Segment,
  type Stack,
} from './reference-stacks.js';
import {
  type End,
  isLeft,
  isOf,
  isUnwinding,
  type Landing,
  landingOf,
  landingsBelow,
  wholeFunction,
} from './reference-unwinding.js';

export interface ReferenceReplay extends Pick<ThreadReplay, 'startNs' | 'endNs' | 'inferred' | 'lost'> {
  /** By path: its names, one per line. */
  readonly rows: ReadonlyMap<string, PathRow>;
  /** By path and doubt: inferred time. */
  readonly doubts: ReadonlyMap<string, number>;
  /** Each time that a stack of its own goes on: the function that it began with, and who went on with it. */
  readonly resumptions: readonly string[];
  /** Each call and each interval of time; functions by `symbolKey`. */
  readonly thread: ReferenceThread;
}

/** Does what `replayThread` does. */
export function referenceReplay(
  events: ThreadEvents,
  facts: SiteFacts,
  symbols: SymbolTable,
  options: ReplayOptions,
): ReferenceReplay {
  const own = referenceEvents(events, facts, symbols);
  const reading = readFirst(own.events, own.sites);
  matchAcrossLosses(own.events, reading);
  return new Reader(own.events, reading, facts, symbols, options, events.tid).run();
}

const pathUnder = (below: string, name: string) => (below === '' ? name : `${below}\n${name}`);
const pathOf = ({ below, fn }: Pick<Frame, 'below' | 'fn'>) => pathUnder(below, fn.name);

/** The trace has stopped, or the thread has no CPU. */
interface OpenStop {
  readonly path: string;
  readonly sinceNs: number;
  readonly call: ReferenceCall;
  readonly isOffCpu: boolean;
}
/** How a frame ends: by its own return (null), by an unwinding that is certain, or in a way that was not seen. */
type Ending = InferenceName | 'unwound' | null;
type OffCpu = '[off-cpu]' | '[preempted]';

/** What a stack is shown on: nothing, or with `fibers: nest` the calls of the thread's first stack. */
interface Base {
  readonly path: string;
  readonly calls: readonly ReferenceCall[];
}

const NO_BASE: Base = { path: '', calls: [] };

/** The levels of a stack, lowest first. */
interface OwnStack {
  levels: Level[];
  base: Base;
  isFirst: boolean;
  /** It was found to be a stack of its own only when it was left. */
  isSplit: boolean;
  /** The first level that nothing confirmed after a loss, not even a name. */
  unconfirmed: Level | null;
}

const NO_STACK: OwnStack = { levels: [], base: NO_BASE, isFirst: false, isSplit: false, unconfirmed: null };

/** A loss, after its switches: the time after the last one is still to be charged. */
interface Loss {
  readonly firstRow: number;
  readonly lostNs: number;
  /** The last address before it. */
  readonly ip: number;
  readonly gapsBefore: number;
  /** perf's errors from here on are not counted yet. */
  errorRow: number;
}

/** Longer chains of jumps are loops: they go back to the frame they came from. */
const MAX_CHAIN = 64;
/** An event at most this far behind the start of a function shows that the function may have begun right before. */
const NEAR_BYTES = 64;

/** Reads the events in order, and keeps the frames. */
class Reader {
  private readonly rows = new Map<string, PathRow>();
  private readonly doubts = new Map<string, number>();
  private readonly resumptions: string[] = [];
  private readonly list = new CallList();
  private readonly inferred = noInferences();
  private readonly lost: ThreadGap[] = [];
  /** The stack that runs, and those that go on later. */
  private running: OwnStack = { ...NO_STACK, levels: [], isFirst: true };
  private parked: OwnStack[] = [];
  /** The function that had the stack before left. */
  private resumer: Fn | null = null;
  private startNs: number | null = null;
  private nowNs = 0;
  /** A stop, off-CPU time, or the one nested in the other. */
  private readonly stops: OpenStop[] = [];
  /** Why what is charged now is inferred, if nothing else says so. */
  private move: Doubt = Doubt.None;
  /** What the thread was switched out as; the stop may come slightly later, as the clocks differ. */
  private switchedOut: OffCpu | null = null;
  /** Code between the return of a signal handler and the end of the signal: counts as what was interrupted. */
  private signalTail: Fn | null = null;

  constructor(
    private readonly events: readonly ReferenceEvent[],
    private readonly reading: FirstReading,
    private readonly facts: SiteFacts,
    private readonly symbols: SymbolTable,
    private readonly options: ReplayOptions,
    private readonly tid: Tid,
  ) {}

  run(): ReferenceReplay {
    const { segments } = this.reading;
    for (const [index, segment] of segments.entries()) {
      const before = segments[index - 1];
      if (before) this.cross(before, segment);
      else this.begin(segment);
      const isLast = index === segments.length - 1;
      this.takeRows(segment.firstRow, isLast ? segment.endRow : this.knownEnd(segment));
    }
    this.noteErrors(segments.at(-1)?.endRow ?? 0, this.events.length);
    this.finish();
    const { rows, doubts, resumptions, startNs, nowNs: endNs, inferred, lost, tid } = this;
    const { calls, intervals } = this.list;
    const thread = { tid, calls, intervals };
    return { rows, doubts, resumptions, startNs: startNs ?? 0, endNs, inferred, lost, thread };
  }

  private takeRows(firstRow: number, endRow: number): void {
    for (const event of this.events.slice(firstRow, endRow)) {
      if (event.step === Step.Gap) this.noteErrors(event.row, event.row + 1, event.timeNs);
      else if (isSwitch(event)) this.takeSwitch(event);
      else if (event.step !== Step.Exec) this.take(event, this.reading.meanings[event.row] ?? NOTHING);
    }
  }

  private begin(segment: Segment): void {
    const first = this.events[segment.firstRow] as ReferenceEvent;
    this.nowNs = first.timeNs;
    this.noteErrors(0, first.row);
    this.pushFirst(segment, segment);
    this.startNs = this.extendBack(first);
  }

  /** Pushes the stack that a program begins with: the callers that its returns reveal, the last one lowest. */
  private pushFirst(before: Segment, after: Segment): void {
    const restart = restartOf(before, after, this.events, this.reading);
    this.pushUnseen(restart, restart.unmatched.length + 1, () => 'OpenAtStart');
  }

  /** Pushes a stack that was not seen before. `isNew`: the function that runs begins now. */
  private pushStack({ unmatched }: Stack, running: Fn, isNew: boolean): void {
    const returns = unmatched.map((row) => unmatchedIn(row, this.events, this.reading));
    const restart = { unmatched: returns, running, isWhereStopped: false, toEnd: null };
    this.pushUnseen(restart, returns.length + 1, (level) => (isNew && level === 0 ? null : 'OpenAtStart'));
  }

  /**
   * Pushes levels that were open when they were first seen, `count` of them: the function that runs, and below it where
   * the returns lead. `whyOf`: why the start of a level was not seen, from the top.
   */
  private pushUnseen(
    { unmatched, running, toEnd }: Restart,
    count: number,
    whyOf: (level: number) => InferenceName | null,
  ): void {
    for (let level = Math.min(count - 1, unmatched.length); level >= 0; level--) {
      const end = unmatched[level];
      const fn = unmatched[level - 1]?.event.toFn ?? running;
      const landings = end
        ? landingsBelow(fn, end.skipped, end.event.fromFn, end.event.row, false)
        : landingsBelow(fn, toEnd?.open ?? [], toEnd && runningAtEnd(this.events, toEnd), toEnd?.endRow ?? 0, true);
      const functions = [fn, ...landings.map((landing) => landing.fn)];
      for (let at = landings.length; at >= 0; at--) {
        this.pushFound(functions[at] as Fn, whyOf(level));
        if (end) this.setReturn(this.topLevel, end);
        if (landings[at]?.isBelowUnknown) this.mark(Doubt.Landing);
      }
      if (unmatched[level - 1]?.isOdd) this.mark(Doubt.OddReturn);
    }
  }

  /** Several levels may end by one return. */
  private setReturn(level: Level, { event: { row, to }, skipped }: UnmatchedReturn): void {
    if (!this.running.levels.some(({ returns }) => returns?.row === row)) level.returnsTo = to;
    level.returns = { row, by: 'unseen', skipped, isSeen: true };
  }

  // Losses: between two segments, trace data is missing, or a new program begins.

  private cross(before: Segment, after: Segment): void {
    const { events, reading } = this;
    const first = events[after.firstRow] as ReferenceEvent;
    if (isNewProgram(before, after, events)) return this.beginProgram(before, after);
    const restart = restartOf(before, after, events, reading);
    this.signalTail = null;
    if (this.stops.length > 0 && !this.isOffCpuOnly) {
      // A stopped thread waited, whatever was lost meanwhile; but not to its end if perf reports a loss of this very thread.
      const errorRow = this.knownEnd(before);
      if (errorRow < before.endRow) this.move = Doubt.AfterLoss;
      this.takeRows(errorRow, before.endRow);
      this.chargeUntil(first.timeNs);
      this.endPauses('complete');
      this.move = Doubt.None;
      this.noteGap(before.endRow, first.row, this.nowNs);
      return this.restart(restart, this.nowNs);
    }
    const loss = this.beginLoss(before, after);
    // A thread that comes out of a system call was in it meanwhile; otherwise only the old stack is known for this time.
    const comesOutOfSyscall = first.step === Step.Start && this.facts.syscalls.has(first.to - SYSCALL_BYTES);
    const isOfNewStack = comesOutOfSyscall && this.stops.length === 0;
    if (!isOfNewStack) this.endLoss(loss, first);
    this.restart(restart, loss.lostNs);
    if (isOfNewStack) this.endLoss(loss, first);
  }

  /** Nothing of the old program is left. */
  private beginProgram(before: Segment, after: Segment): void {
    const first = this.events[after.firstRow] as ReferenceEvent;
    if (this.knownEnd(before) < before.endRow) this.endLoss(this.beginLoss(before, after), first);
    else {
      for (const event of this.events.slice(before.endRow, after.firstRow)) if (isSwitch(event)) this.takeSwitch(event);
      this.chargeUntil(first.timeNs);
      this.endPauses('complete');
      this.noteErrors(before.endRow, first.row);
    }
    this.endStacks();
    this.signalTail = null;
    this.pushFirst(before, after);
  }

  /**
   * The row from which on the thread is unknown, in a segment before a loss: after its last branch, if it was running
   * then; else its first error after that. Kernel code is switched out while it runs: there only an error shows a loss.
   */
  private knownEnd({ firstRow, endRow }: Segment): number {
    const last = this.lastBranch(firstRow, endRow);
    const error = this.events.slice(last.row, endRow).find(({ step }) => step === Step.Gap);
    if (isEnd(last)) return error?.row ?? endRow;
    return this.facts.scope === 'user' ? last.row + 1 : endRow;
  }

  private lastBranch(firstRow: number, endRow: number): ReferenceEvent {
    return this.events.slice(firstRow, endRow).findLast(({ step }) => step < Step.Gap) as ReferenceEvent;
  }

  /** Follows the switches of a thread from where it is lost: without a CPU it waited, and only the rest is lost. */
  private beginLoss(before: Segment, after: Segment): Loss {
    const firstRow = this.knownEnd(before);
    const isError = firstRow === before.endRow && firstRow < after.firstRow;
    if (isError && this.stops.length === 0) this.chargeUntil(this.events[firstRow]?.timeNs as number); // decoded up to there
    const lostNs = this.nowNs;
    const { from, to } = this.lastBranch(before.firstRow, firstRow);
    const loss = { firstRow, lostNs, ip: to || from, gapsBefore: this.lost.length, errorRow: firstRow };
    for (const { step, timeNs, row } of this.events.slice(firstRow, after.firstRow)) {
      if (step === Step.SwitchIn) this.endWait(timeNs);
      if (step !== Step.SwitchOut && step !== Step.PreemptOut) continue;
      this.loseUntil(timeNs, loss, row);
      loss.errorRow = row;
      if (this.facts.scope === 'user') this.beginStop('[untraced]');
      this.switchOut(step === Step.SwitchOut ? '[off-cpu]' : '[preempted]');
    }
    return loss;
  }

  private endLoss(loss: Loss, { timeNs, row }: ReferenceEvent): void {
    this.loseUntil(timeNs, loss, row);
    if (this.lost.length === loss.gapsBefore) this.noteGap(loss.firstRow, row, this.nowNs); // it took no time
  }

  /** A thread without a CPU waited until then. */
  private loseUntil(timeNs: number, { errorRow, ip }: Loss, row: number): void {
    if (this.stops.length > 0) this.endWait(timeNs);
    if (timeNs <= this.nowNs) return this.noteErrors(errorRow, row);
    this.noteGap(errorRow, row, timeNs, ip);
    const ns = timeNs - this.nowNs;
    const path = pathUnder(this.pathUnderStop, '[lost]');
    const call = this.openStop('[lost]', this.openCalls);
    this.charge(path, ns, Doubt.Lost);
    count(rowOf(this.rows, path), { ns, knownNs: null, isUnwound: false });
    this.list.spend(call.stack, this.nowNs, timeNs, 'unconfirmed');
    this.nowNs = timeNs;
    this.list.close(call, timeNs, null);
  }

  private endWait(timeNs: number): void {
    if (this.stops.length > 0) this.chargeUntil(timeNs);
    this.endPauses('complete');
  }

  private get isOffCpuOnly(): boolean {
    return this.stops.every(({ isOffCpu }) => isOffCpu);
  }

  /** Keeps of the old stack what the new segment confirms. What nothing confirms after two losses is over. */
  private restart(restart: Restart, lostNs: number): void {
    for (const frame of framesIn(this.running.levels)) frame.why ??= 'CutByGap';
    for (const level of this.running.levels) level.returns = null;
    let found = align(this.oldLevels, restart, true);
    const { unconfirmed } = this.running;
    if (found === null && unconfirmed) {
      while (this.running.levels.includes(unconfirmed)) this.closeTop('CutByGap', lostNs);
      this.running.unconfirmed = null;
      found = align(this.oldLevels, restart, true);
    }
    if (found && found.confirmed > 0) {
      this.continueOn(found, restart, lostNs);
      return this.markRecursion(found, restart);
    }
    for (const frame of framesIn(this.running.levels)) frame.knownUntilNs = Math.min(frame.knownUntilNs, lostNs);
    const { length } = this.running.levels;
    if (found) this.continueOn(found, restart, lostNs);
    else {
      this.pushUnseen(restart, restart.unmatched.length + 1, () => 'CutByGap');
      this.running.unconfirmed = this.running.levels[length] as Level;
    }
    for (const frame of framesIn(this.running.levels)) this.mark(Doubt.AfterLoss, frame);
  }

  /** In which of several open calls of the function that the last return leads to the thread is, no address tells. */
  private markRecursion({ oldLevel, newLevels }: Alignment, { unmatched }: Restart): void {
    const { levels } = this.running;
    const fn = unmatched.at(-1)?.event.toFn;
    const reached = levels[oldLevel - (unmatched.length - newLevels)];
    const compared = levels.slice(0, oldLevel + 1).slice(-MAX_COMPARED);
    if (!reached || compared.filter(({ frames }) => frames.at(-1)?.fn === fn).length < 2) return;
    this.mark(Doubt.AfterLoss, reached.frames[0]);
  }

  private get oldLevels() {
    return this.running.levels.map((level) => ({
      returnsTo: level.returnsTo,
      calledFrom: calledFrom(this.events, level),
      functions: level.frames.slice(-MAX_COMPARED).map(({ fn }) => fn),
    }));
  }

  /** Keeps the old levels up to the aligned one, and pushes the new ones onto it. */
  private continueOn({ oldLevel, newLevels }: Alignment, restart: Restart, lostNs: number): void {
    const { unmatched, running } = restart;
    const { levels } = this.running;
    const level = levels[oldLevel] as Level;
    const fn = unmatched[newLevels - 1]?.event.toFn ?? running;
    const frame = level.frames.slice(-MAX_COMPARED).findLast((each) => each.fn === fn);
    this.closeAbove(frame ?? (level.frames.at(-1) as Frame), 'CutByGap', lostNs);
    if (this.running.unconfirmed && !levels.includes(this.running.unconfirmed)) this.running.unconfirmed = null;
    if (!frame) this.jump(fn, 'CutByGap');
    if (unmatched[newLevels - 1]?.isOdd) this.mark(Doubt.OddReturn);
    for (const [n, end] of unmatched.slice(newLevels, newLevels + oldLevel + 1).entries())
      this.setReturn(levels[oldLevel - n] as Level, end);
    this.pushUnseen(restart, newLevels, () => 'CutByGap');
  }

  /** How the level on top ends. null: that is not seen. */
  private endOfTop(row: number): End | null {
    const { levels } = this.running;
    const { returns = null, end: own = null } = levels.at(-1) ?? {};
    const end = returns ?? own;
    if (end === null) return null;
    const { by, skipped } = end;
    const index = by === 'itself' ? levels.length - 1 : by === 'unseen' ? this.returnedIn(end.row) : levels.indexOf(by);
    return index === -1 ? null : { row: end.row, index, leftLater: skipped.filter((level) => level.row >= row) };
  }

  /** The lowest level that an unmatched return ends; -1: none. */
  private returnedIn(row: number): number {
    return this.running.levels.findIndex(({ returns }) => returns?.row === row);
  }

  private take(event: ReferenceEvent, meaning: Meaning): void {
    const { row, timeNs, step, toFn } = event;
    const hidden = this.reading.hidden.get(row);
    // Of a jump to another stack: the stack pointer changes before it.
    const isSwitch = hidden !== undefined && meaning.is === 'nothing' && step === Step.Jump;
    const fromFn = isSwitch ? toFn : event.fromFn;
    const hasSwitched = hidden !== undefined && this.switchUnseen(event, hidden, fromFn ?? event.nameless);
    if (this.top === undefined) this.pushRoot(step === Step.Start ? toFn : (fromFn ?? event.nameless));
    if (this.comesBack(event)) this.chargeOffCpu(timeNs);
    const isRetpoline = event.fromFn?.is(Trait.Retpoline) && event.from === event.fromFn.start;
    if (isRetpoline) this.chargeUntil(timeNs); // until it begins, the function ran that jumped there
    const hasJumped = step !== Step.Start && this.syncOn({ ...event, fromFn }, meaning);
    const switches = meaning.is === 'resumed' || (meaning.is === 'new stack' && !meaning.isFromOutside);
    this.chargeUntil(timeNs, hasJumped || hasSwitched ? Doubt.HiddenJump : switches ? Doubt.StackChoice : Doubt.None);
    if (this.stops.length > 0) this.endPauses('complete');
    else if (!isEnd(event) && !this.facts.showsTaskSwitches) this.switchedOut = null; // traced code continues: the switch had no effect
    if (step === Step.Start && toFn !== this.signalTail) this.signalTail = null;
    this.apply(event, meaning);
    if (meaning.isDoubtful) this.mark(Doubt.OddReturn);
    if (isEnd(event)) this.beginStop(this.isInSyscall(event) ? '[syscall]' : '[untraced]');
  }

  private isInSyscall({ step, from, to }: ReferenceEvent): boolean {
    return step === Step.EndSyscall || (step === Step.EndCall && this.facts.syscalls.has(from) && !Number.isNaN(to));
  }

  private apply(event: ReferenceEvent, meaning: Meaning): void {
    const { row, toFn, step } = event;
    switch (meaning.is) {
      case 'nothing':
        return;
      case 'resume':
        return this.landIn(toFn);
      case 'push':
        if (step === Step.KernelExit) while (this.top?.fn.is(Trait.Kernel)) this.closeTop('unwound');
        this.running.levels.push(meaning.level);
        return this.open(toFn, null, true);
      case 'pop':
        if (meaning.split) this.split(meaning.level, meaning.split);
        this.returnFrom(meaning.level, this.endingOfSkipped(step));
        return this.landIn(toFn); // a return address is in the caller's own code, whatever its label
      case 'end of handler':
        this.returnFrom(meaning.level, this.endingOfSkipped(step));
        this.signalTail = toFn;
        return;
      case 'return to':
        return this.returnTo(meaning.level, event);
      case 'unmatched':
        return this.returnUnmatched(row, toFn, this.endingOfSkipped(step));
      case 'jump':
        return this.takeJump(event);
      case 'jump by return':
        return this.jump(toFn, null);
      case 'resumed':
        if (!this.goOnWith(meaning.resumed)) return;
        if (meaning.resumed.isJump && this.top && !isOf(this.top, toFn)) return this.jump(toFn, null);
        return this.landIn(toFn);
      case 'new stack':
        if (meaning.isFromOutside) this.closeAbove(null, 'Unwound');
        else this.leaveStack(meaning.stack.waitsAt);
        this.pushStack(meaning.stack, toFn, event.toEntry);
        if (!event.toEntry || meaning.stack.isGuess) this.mark(Doubt.UnseenStart, this.lowest);
        this.countResumption();
    }
  }

  /** At a trace start they may have ended before, and a function that switches stacks may resume them. */
  private endingOfSkipped(step: Step): Ending {
    return step !== Step.Start && !this.top?.fn.is(Trait.StackSwitcher) ? 'unwound' : 'Unwound';
  }

  private returnFrom(level: Level, skipped: Ending): void {
    const { levels } = this.running;
    if (!levels.includes(level)) return;
    while (levels.includes(level)) this.closeTop(levels.at(-1) === level ? null : skipped);
  }

  private landIn(fn: Fn): void {
    if (this.top === undefined) this.pushRoot(fn);
    else this.alsoKnownAs(fn);
  }

  /** From a call that was not seen: its function had called itself, or a hidden jump led to it. */
  private returnTo(level: Level, { toFn, fromFn, nameless }: ReferenceEvent): void {
    const { levels } = this.running;
    const index = levels.indexOf(level);
    if (index === -1) return;
    const landing = framesIn(levels.slice(index)).findLast(({ fn }) => fn === toFn) ?? level.frames.at(-1);
    if (landing === this.top) this.pushFound(fromFn ?? nameless, 'HiddenJump');
    this.closeAbove(landing ?? null, 'HiddenJump');
    this.mark(Doubt.Landing);
  }

  private returnUnmatched(row: number, fn: Fn, skipped: Ending): void {
    const { levels } = this.running;
    const index = this.returnedIn(row);
    if (index > 0) return this.returnFrom(levels[index] as Level, skipped);
    this.closeAbove(null, null);
    this.pushFound(fn, 'CutByGap');
  }

  // Stack switches: the frames of a stack are set aside, and put back.

  /** Follows a switch that no event shows. False: the stack is not known. */
  private switchUnseen({ from }: ReferenceEvent, hidden: HiddenSwitch, fn: Fn): boolean {
    if (hidden.is === 'resumed') {
      const isDone = this.goOnWith(hidden.resumed);
      if (this.top === undefined) this.pushRoot(fn);
      return isDone;
    }
    if (hidden.is === 'back') return this.goBackTo(hidden.to, hidden.left, fn);
    this.leaveStack(hidden.stack.waitsAt);
    this.pushStack(hidden.stack, fn, false);
    this.countResumption();
    const isNearStart = from - fn.start < NEAR_BYTES;
    if (!isNearStart || hidden.stack.isGuess) this.mark(Doubt.UnseenStart, this.lowest);
    return true;
  }

  /** Leaves the running stack for one that was not seen before. */
  private leaveStack(waitsAt: Level | null): void {
    this.endCallsAbove(waitsAt);
    const base = this.baseOfOthers();
    this.park();
    this.running.base = base;
  }

  /** Goes on with a parked stack, or with the running one. */
  private goOnWith({ left, call, isJump, isGuess, unsure, waitsAt }: Resumed): boolean {
    this.endCallsAbove(waitsAt);
    if (this.running.levels.at(-1) !== left) {
      const stack = this.parked.find(({ levels }) => levels.at(-1) === left);
      if (stack === undefined) return false;
      const base = this.baseOfOthers();
      this.park();
      this.parked = this.parked.filter((other) => other !== stack);
      this.putBack(stack, stack.isFirst ? NO_BASE : stack.isSplit ? stack.base : base);
      this.countResumption();
    }
    if (!this.running.levels.includes(call)) return false;
    this.closeAbove(call.frames.at(-1) as Frame, 'Unwound');
    if (!isJump) this.returnFrom(call, null);
    if (isGuess && this.top) {
      const index = unsure ? this.running.levels.indexOf(unsure) : -1;
      const below = this.running.levels[Math.max(0, index - 1)] as Level;
      const frame = index > 0 ? below.frames.at(-1) : below.frames[0];
      this.mark(Doubt.StackChoice, index === -1 ? this.top : frame);
    }
    return true;
  }

  /** What a longjmp left is over. */
  private endCallsAbove(level: Level | null): void {
    if (level && this.running.levels.includes(level)) this.closeAbove(level.frames.at(-1) as Frame, 'unwound');
  }

  /** Sets the running stack aside. One that does not go on later is over, unless the thread began with it. */
  private park(): void {
    const { running } = this;
    const top = running.levels.at(-1);
    const isOnTheWay = ({ fn }: Frame) => fn.is(Trait.StackSwitcher | Trait.Stub | Trait.Resolver);
    this.resumer = framesIn(running.levels).findLast((frame) => !isOnTheWay(frame))?.fn ?? null;
    if (top && (running.isFirst || this.reading.left.has(top))) {
      this.setAside(running.levels);
      this.parked = [...this.parked, { ...running, levels: [...running.levels] }];
    } else this.closeAbove(null, 'Unwound');
    this.running = { ...NO_STACK, levels: [], base: running.base };
    this.signalTail = null;
  }

  /** The time in stubs is charged as if they led nowhere. */
  private setAside(levels: readonly Level[]): void {
    for (const frame of framesIn(levels).reverse()) this.chargeHeld(frame);
  }

  /** Sets what is above a level aside, as a stack that goes on later. */
  private split(level: Level, left: Level): void {
    const { levels } = this.running;
    const above = levels.slice(levels.indexOf(level) + 1);
    if (above.at(-1) !== left || !this.reading.left.has(left)) return;
    this.setAside(above);
    levels.splice(-above.length);
    const base = { path: this.top ? pathOf(this.top) : '', calls: [] };
    this.parked = [...this.parked, { ...NO_STACK, levels: above, base, isSplit: true }];
  }

  /** Goes back to a function in a level of the running stack. What is above goes on later, or is over. */
  private goBackTo(level: Level, left: Level, fn: Fn): boolean {
    const { levels } = this.running;
    if (!levels.includes(level)) return false;
    this.split(level, left);
    this.closeAbove(level.frames.at(-1) as Frame, 'Unwound');
    const own = level.frames.findLast((frame) => frame.fn === fn);
    if (own) this.closeAbove(own, 'Unwound');
    return true;
  }

  private putBack(stack: OwnStack, base: Base): void {
    this.running = { ...stack, base };
    let below = base.path;
    let under = base.calls;
    for (const frame of base.path === stack.base.path ? [] : framesIn(stack.levels)) {
      frame.below = below;
      moveOnto(frame.call, under);
      below = pathOf(frame);
      under = frame.call.stack;
    }
  }

  /** With `fibers: nest`, other stacks are shown on the call that left the thread's first one. */
  private baseOfOthers(): Base {
    const { isFirst, base } = this.running;
    if (!isFirst || this.options.fibers !== 'nest') return base;
    return { path: this.top ? pathOf(this.top) : base.path, calls: this.openCalls };
  }

  private countResumption(): void {
    const { lowest, resumer } = this;
    if (lowest && resumer && !this.running.isFirst) this.resumptions.push(`${lowest.fn.key} by ${resumer.key}`);
    this.resumer = null;
  }

  /** Pushes the function that runs on a stack of which no more is known. */
  private pushRoot(fn: Fn): void {
    const { base } = this.running;
    const path = base.path.split('\n');
    if (path.at(-1) === fn.name) this.running.base = { ...base, path: path.slice(0, -1).join('\n') };
    this.pushFound(fn, 'CutByGap');
  }

  /** Ends the calls of all stacks. */
  private endStacks(): void {
    this.closeAbove(null, 'OpenAtEnd');
    for (const stack of this.parked) {
      this.putBack(stack, stack.base);
      this.closeAbove(null, 'OpenAtEnd');
    }
    this.parked = [];
    this.running = { ...NO_STACK, levels: [], isFirst: true };
  }

  // Jumps and exceptions.

  /** The thread had given its CPU away: it is in the kernel's code that does so, and has only now come there. */
  private comesBack({ fromFn, row }: ReferenceEvent): boolean {
    if (!fromFn?.is(Trait.TaskSwitch)) return false;
    const before = this.events.slice(0, row).findLast(({ step }) => step < Step.Gap);
    if (before === undefined) return false;
    return this.top !== undefined && (!isOf(this.top, fromFn) || (before.toEntry && before.toFn === fromFn));
  }

  private chargeOffCpu(untilNs: number): void {
    this.leaveCpu(this.switchedOut ?? '[off-cpu]');
    this.chargeUntil(untilNs);
    this.endPause('complete');
    this.switchedOut = null;
  }

  /** A jump that the trace shows. */
  private takeJump({ row, toFn: named, toEntry }: ReferenceEvent): void {
    const { levels } = this.running;
    const toFn = wholeFunction(levels, named);
    if (isOf(this.top as Frame, toFn)) return;
    if (toFn.is(Trait.Kernel) && this.isInKernelEntry()) return this.alsoKnownAs(toFn);
    if (toEntry && toFn.is(Trait.ProgramStart)) this.leaveLoader(row);
    const end = this.endOfTop(row);
    if (toFn.is(Trait.Unknown) && this.landNameless(toFn, end, row)) return;
    if (toEntry || toFn.is(Trait.Unknown)) {
      const mayBeSwitch = this.mayHaveSwitched(row);
      this.jump(toFn, null);
      if (mayBeSwitch) this.mark(Doubt.StackChoice);
      return;
    }
    const { frame, isCertain } = this.targetOf(toFn, end, row);
    if (frame) this.land(frame, isCertain, end !== null, toFn);
    else if (isUnwinding(levels)) {
      this.jump(toFn, null);
      this.mark(Doubt.Landing);
    } else this.alsoKnownAs(toFn); // a label inside the same function
  }

  /** True if a jump may lead to another stack: no return ends the level. */
  private mayHaveSwitched(row: number): boolean {
    if (!this.top?.fn.is(Trait.MaySwitch)) return false;
    return this.endOfTop(row) === null || this.topLevel.end?.isSeen === false;
  }

  /** An unwinder that ends may land in nameless code, too. */
  private landNameless(fn: Fn, end: End | null, row: number): boolean {
    const { levels } = this.running;
    if (!isUnwinding(levels) || end?.index === levels.length - 1) return false;
    const { frame, isCertain } = landingOf(levels, fn, end, row);
    if (frame) this.land(frame, isCertain, end !== null, fn);
    return frame !== null;
  }

  private targetOf(fn: Fn, end: End | null, row: number): Landing {
    const { levels } = this.running;
    if (isLeft(levels, end)) return landingOf(levels, fn, end, row);
    const frames = framesIn(levels.slice(end?.index ?? 0));
    const [frame = null, other] = frames.filter((each) => each.fn === fn).reverse();
    return { frame, isCertain: end?.index === levels.length - 1 || other === undefined };
  }

  /** Makes the function that an event comes from the top of the stack, after a hidden jump. True: it was not on top. */
  private syncOn({ row, timeNs, fromFn: named }: ReferenceEvent, { is }: Meaning): boolean {
    if (named === null) return false;
    const fromFn = wholeFunction(this.running.levels, named);
    if (isOf(this.top as Frame, fromFn) || fromFn === this.signalTail) return false;
    this.signalTail = null;
    // The function on top returns through a thunk, or one it jumped to.
    if (fromFn.is(Trait.ReturnThunk)) return !this.facts.showsJumps;
    if (this.isInKernelEntry() || this.runsOnInto(fromFn)) {
      this.alsoKnownAs(fromFn);
      return false;
    }
    if (fromFn.is(Trait.ProgramStart)) {
      this.leaveLoader(row);
      this.jump(fromFn, 'OpenAtStart');
      return true;
    }
    const isStub = this.top?.fn.is(Trait.Stub | Trait.Resolver) === true;
    if (isStub || is === 'resumed' || is === 'new stack') this.jumpUnseen(fromFn);
    else this.jumpOrUnwind(fromFn, row, is !== 'return to');
    const top = this.top as Frame;
    if (top.why === 'HiddenJump') top.firstSeenNs ??= timeNs;
    return !isStub && !top.fn.is(Trait.Stub);
  }

  /** The kernel's entry code has several labels, and nothing to return to. */
  private isInKernelEntry(): boolean {
    const { begunBy, frames } = this.topLevel;
    return begunBy === 'kernel entry' && frames.length === 1;
  }

  /** Where jumps are shown, the kernel's code gets to another label without one only by running on. */
  private runsOnInto(fn: Fn): boolean {
    const { fn: from } = this.top as Frame;
    return this.facts.showsJumps && from.is(Trait.Kernel) && fn.is(Trait.Kernel) && from.start < fn.start;
  }

  /** Only the lowest level is left, unless one above it returns. */
  private leaveLoader(row: number): void {
    if (this.endOfTop(row) === null) this.closeAbove(this.running.levels[0]?.frames.at(-1) ?? null, 'Unwound');
  }

  private jumpUnseen(fn: Fn): void {
    const top = this.top as Frame;
    const areNameless = top.fn.is(Trait.Unknown) && fn.is(Trait.Unknown);
    if (!areNameless || this.options.tailCalls === 'nest') this.jump(fn, 'HiddenJump');
    else if (Math.abs(fn.start - top.fn.start) > 65_536) this.mark(Doubt.HiddenJump); // else it may be a cold part
  }

  /**
   * Back to a deeper frame of `fn`, if the level on top does not end by its own return; else it jumped. `endsCall`: if the
   * event in `row` is a return, it ends a call that was seen.
   */
  private jumpOrUnwind(fn: Fn, row: number, endsCall: boolean): void {
    const { levels } = this.running;
    const end = this.endOfTop(row);
    if (!isLeft(levels, end)) {
      const hasChoice = end === null && framesIn(levels.slice(0, -1)).some((frame) => frame.fn === fn);
      const mayBeSwitch = this.mayHaveSwitched(row);
      this.jumpUnseen(fn);
      if (mayBeSwitch) this.mark(Doubt.StackChoice);
      else if (hasChoice) this.mark(Doubt.HiddenJump);
      return;
    }
    const { frame, isCertain } = landingOf(levels, fn, end, row);
    if (frame) return this.land(frame, isCertain, end !== null, fn);
    const isKnown = endsCall && end?.row === row;
    if (isKnown) this.closeAbove(levels[end.index]?.frames.at(-1) as Frame, 'unwound');
    this.jumpUnseen(fn);
    if (!isKnown && !fn.is(Trait.Unwinder)) this.mark(Doubt.Landing); // unwinding never lands in an unwinder
  }

  /** Calls that are certainly skipped ended here: a return further down shows it, or an unwinder. */
  private land(frame: Frame, isCertain: boolean, isSeenToEnd: boolean, fn: Fn): void {
    this.closeAbove(frame, isSeenToEnd || isUnwinding(this.running.levels) ? 'unwound' : 'Unwound');
    this.alsoKnownAs(fn); // a part of the function at another address
    if (!isCertain) this.mark(Doubt.Landing, frame);
  }

  /** The function on top jumps to another one. */
  private jump(fn: Fn, why: InferenceName | null): void {
    const { topLevel } = this;
    const top = this.top as Frame;
    const replaces = this.options.tailCalls === 'replace';
    if (top.fn.is(Trait.Stub)) {
      const { leadsTo } = top.fn;
      const isThere = replaces || !leadsTo || leadsTo.bareName === fn.bareName || fn.is(Trait.Stub | Trait.Resolver);
      this.rename(top, isThere ? fn : leadsTo);
      if (!isThere) this.jump(fn, why);
      return;
    }
    const earlier = topLevel.frames.findLast((frame) => frame.fn === fn);
    if (replaces || (top.fn.is(Trait.Resolver) && !top.isCalled)) {
      this.close(topLevel.frames.pop() as Frame, why);
      this.open(fn, why);
      for (const doubt of top.doubts) if (doubt < Doubt.UnseenCallers) this.mark(doubt);
    } else if (topLevel.frames.length > MAX_CHAIN && earlier) this.closeAbove(earlier, null);
    else this.open(fn, why);
  }

  /** Renames a stub to its target. */
  private rename(frame: Frame, fn: Fn): void {
    frame.fn = fn;
    frame.call.fn = fn.key;
    frame.isCalled = false;
    if (!fn.is(Trait.Stub)) this.chargeHeld(frame);
  }

  private get topLevel(): Level {
    return this.running.levels.at(-1) as Level;
  }

  private get top(): Frame | undefined {
    return this.running.levels.at(-1)?.frames.at(-1);
  }

  private get lowest(): Frame | undefined {
    return this.running.levels[0]?.frames[0];
  }

  private mark(doubt: Doubt, frame = this.top): void {
    frame?.doubts.add(doubt);
  }

  /** Pushes a level that was found running. */
  private pushFound(fn: Fn, why: InferenceName | null): void {
    const unseen = { row: Number.NaN, address: Number.NaN, callee: null, caller: null, calledFrom: Number.NaN };
    const rest = { isFromOutside: false, made: [], end: null, isLeft: false, returns: null, returnsTo: Number.NaN };
    this.running.levels.push({ begunBy: 'before the trace', ...unseen, ...rest, frames: [] });
    this.open(fn, why);
  }

  /** Opens a frame on the level on top. `why`: why its start was not seen. */
  private open(fn: Fn, why: InferenceName | null, isCalled = false): void {
    const top = framesIn(this.running.levels).at(-1);
    const below = top ? pathOf(top) : this.running.base.path;
    const call = this.list.open(fn.key, this.nowNs, this.openCalls);
    const none = { firstSeenNs: null, knownUntilNs: Infinity, doubts: new Set<Doubt>(), heldNs: 0, alsoKnownAs: [] };
    this.topLevel.frames.push({ fn, below, why, isCalled, call, ...none });
  }

  /** Closes a frame that was on top. `why`: why its end was not seen, or it did not return. */
  private close(frame: Frame, why: Ending, endNs = this.nowNs): void {
    if (frame.fn.leadsTo) this.rename(frame, frame.fn.leadsTo); // nothing came after the stub
    this.chargeHeld(frame);
    const reason = frame.why ?? why;
    const { call } = frame;
    this.list.close(call, this.nowNs, reason, this.knownTime(frame, why, endNs)); // it is shown until the loss is over
    const ns = endNs - call.startNs;
    count(rowOf(this.rows, pathOf(frame)), { ns, knownNs: call.why && call.knownNs, isUnwound: call.isUnwound });
    if (reason && reason !== 'unwound') this.inferred[reason]++;
  }

  /**
   * For how long it certainly lasted. If it was left without a return, the end is unknown; if a jump led to it, so is
   * the time before its first event; after a loss, so is what nothing confirmed.
   */
  private knownTime({ call, why, firstSeenNs, knownUntilNs }: Frame, end: Ending, endNs: number): number {
    if (end === 'Unwound' || why === 'Unwound') return 0;
    const fromNs = why === 'HiddenJump' ? (firstSeenNs ?? Infinity) : call.startNs;
    return Math.max(0, Math.min(endNs, knownUntilNs) - fromNs);
  }

  private closeTop(why: Ending, endNs = this.nowNs): void {
    const { levels } = this.running;
    const frame = this.top as Frame;
    this.close(frame, why, endNs);
    this.topLevel.frames.pop();
    if (this.topLevel.frames.length === 0) levels.pop();
  }

  private closeAbove(frame: Frame | null, why: Ending, endNs = this.nowNs): void {
    while (this.top && this.top !== frame) this.closeTop(why, endNs);
  }

  /** All open frames, without stops. */
  private get openCalls(): ReferenceCall[] {
    return [...this.running.base.calls, ...framesIn(this.running.levels).map(({ call }) => call)];
  }

  private alsoKnownAs(fn: Fn): void {
    const top = this.top as Frame;
    if (!isOf(top, fn)) top.alsoKnownAs.push(fn);
  }

  // Time.

  private chargeUntil(timeNs: number, move: Doubt = this.move): void {
    const { nowNs } = this;
    const stop = this.stops.at(-1);
    const doubt = this.doubtNow(move);
    this.nowNs = timeNs;
    if (!stop && this.top?.fn.is(Trait.Stub)) this.top.heldNs += timeNs - nowNs;
    else this.charge(stop?.path ?? (this.top ? pathOf(this.top) : this.running.base.path), timeNs - nowNs, doubt);
    const certainty = doubt === Doubt.None ? 'certain' : doubt === Doubt.HiddenJump ? 'hidden' : 'unconfirmed';
    this.list.spend(stop ? stop.call.stack : this.openCalls, nowNs, timeNs, certainty);
  }

  /** Why time is inferred: of all open frames up to one, the highest doubt counts. */
  private doubtNow(move: Doubt = Doubt.None, upTo = this.top): Doubt {
    const frames = framesIn(this.running.levels);
    const doubts = frames.slice(0, frames.indexOf(upTo as Frame) + 1).flatMap((frame) => [...frame.doubts]);
    return doubts.length > 0 ? (Math.max(...doubts) as Doubt) : move;
  }

  private charge(path: string, ns: number, doubt: Doubt): void {
    const row = rowOf(this.rows, path);
    row.selfNs += ns;
    if (doubt === Doubt.None || ns === 0) return;
    row.inferredNs += ns;
    const key = `${path} ${DOUBT_NAMES[doubt - 1] as DoubtName}`;
    this.doubts.set(key, (this.doubts.get(key) ?? 0) + ns);
  }

  /** Where a stub leads is known only after its time. */
  private chargeHeld(frame: Frame): void {
    if (frame.heldNs > 0) this.charge(pathOf(frame), frame.heldNs, this.doubtNow(Doubt.None, frame));
    frame.heldNs = 0;
  }

  private beginStop(name: '[syscall]' | '[untraced]'): void {
    const path = pathUnder(this.pathUnderStop, name);
    this.stops.push({ path, sinceNs: this.nowNs, call: this.openStop(name, this.openCalls), isOffCpu: false });
    if (this.switchedOut) this.leaveCpu(this.switchedOut);
  }

  private leaveCpu(name: OffCpu): void {
    const sleeper = this.sleeper();
    const under = this.stops.at(-1)?.path ?? sleeper?.path ?? this.pathUnderStop;
    const call = this.openStop(name, this.stops.at(-1)?.call.stack ?? sleeper?.call.stack ?? this.openCalls);
    this.stops.push({ path: pathUnder(under, name), sinceNs: this.nowNs, call, isOffCpu: true });
  }

  /** The function that called the scheduler, if that is on top and not wanted. */
  private sleeper(): { readonly path: string; readonly call: ReferenceCall } | null {
    const isScheduler = ({ fn }: Frame) => fn.is(Trait.Scheduler) && fn.is(Trait.Kernel);
    if (this.options.scheduler === 'show' || !this.top || !isScheduler(this.top)) return null;
    const frame = framesIn(this.running.levels).findLast((each) => !isScheduler(each));
    return frame ? { path: pathOf(frame), call: frame.call } : null;
  }

  /** A stub counts as its target, even if the trace stops before that is reached. */
  private get pathUnderStop(): string {
    if (this.top === undefined) return this.running.base.path;
    const { fn, below, call } = this.top;
    if (fn.leadsTo) call.fn = fn.leadsTo.key;
    return pathOf({ below, fn: fn.leadsTo ?? fn });
  }

  private openStop(
    name: OffCpu | '[syscall]' | '[untraced]' | '[lost]',
    under: readonly ReferenceCall[],
  ): ReferenceCall {
    return this.list.open(symbolKey(this.symbols, this.symbols.name.indexOf(name)), this.nowNs, under, true);
  }

  private takeSwitch({ timeNs, step }: ReferenceEvent): void {
    if (this.facts.showsTaskSwitches) {
      if (step !== Step.SwitchIn) this.switchedOut = step === Step.SwitchOut ? '[off-cpu]' : '[preempted]';
      return;
    }
    this.chargeUntil(timeNs);
    this.switchOut(step === Step.SwitchIn ? null : step === Step.SwitchOut ? '[off-cpu]' : '[preempted]');
  }

  /** null: in. */
  private switchOut(name: OffCpu | null): void {
    if (this.stops.at(-1)?.isOffCpu) this.endPause('complete');
    this.switchedOut = name;
    const canPause = this.stops.length > 0 || this.facts.scope === 'user+kernel';
    if (name && canPause) this.leaveCpu(name);
  }

  private endPauses(how: 'complete' | 'inferred'): void {
    while (this.stops.length > 0) this.endPause(how);
    this.switchedOut = null;
  }

  private endPause(how: 'complete' | 'inferred'): void {
    const { path, sinceNs, call } = this.stops.pop() as OpenStop;
    this.list.close(call, this.nowNs, how === 'complete' ? null : 'stop');
    const ns = this.nowNs - sinceNs;
    count(rowOf(this.rows, path), { ns, knownNs: how === 'complete' ? null : ns, isUnwound: false });
  }

  /** perf's errors that cost the thread no time. */
  private noteErrors(firstRow: number, endRow: number, atNs = this.nowNs): void {
    const errors = this.errorsIn(firstRow, endRow);
    if (errors > 0) this.lost.push({ atNs, lengthNs: 0, errors, ip: Number.NaN, isLast: false });
  }

  private noteGap(firstRow: number, endRow: number, untilNs: number, ip = Number.NaN): void {
    const errors = this.errorsIn(firstRow, endRow);
    this.lost.push({ atNs: this.nowNs, lengthNs: untilNs - this.nowNs, errors, ip, isLast: false });
  }

  private errorsIn(firstRow: number, endRow: number): number {
    return this.events.slice(firstRow, endRow).filter(({ isError }) => isError).length;
  }

  /** A thread whose first event ends a stop was waiting since the recording began. */
  private extendBack(first: ReferenceEvent): number {
    const { extendTo, createdInside } = this.options;
    const isNew = createdInside || first.toFn.is(Trait.CloneOrFork);
    if (!extendTo || extendTo.startNs === first.timeNs || first.step !== Step.Start || isNew) return first.timeNs;
    this.nowNs = extendTo.startNs;
    for (const call of this.openCalls) call.startNs = this.nowNs;
    this.beginStop(this.facts.syscalls.has(first.to - SYSCALL_BYTES) ? '[syscall]' : '[untraced]');
    this.takeSwitchesBefore(first);
    this.chargeUntil(first.timeNs);
    this.endPauses('inferred');
    return extendTo.startNs;
  }

  /** It had no CPU before its first switch, if that is one in. */
  private takeSwitchesBefore(first: ReferenceEvent): void {
    const before = this.events.slice(0, first.row).filter((event) => isSwitch(event) || event.step === Step.Exec);
    if (before[0]?.step === Step.Exec) return;
    for (const event of before.filter(isSwitch)) {
      if (event === before[0] && event.step === Step.SwitchIn && event.timeNs > this.nowNs) this.leaveCpu('[off-cpu]');
      const isFirst = event === before[0];
      this.chargeUntil(event.timeNs);
      if (this.stops.length > 1) this.endPause(isFirst ? 'inferred' : 'complete');
      if (event.step !== Step.SwitchIn) this.leaveCpu(event.step === Step.SwitchOut ? '[off-cpu]' : '[preempted]');
    }
  }

  /** A thread that waits when the trace ends keeps waiting until the end of the recording. */
  private finish(): void {
    const { extendTo } = this.options;
    if (this.facts.showsTaskSwitches && this.switchedOut) this.leaveCpu(this.switchedOut);
    if (this.stops.length > 0 && extendTo && extendTo.endNs > this.nowNs) this.chargeUntil(extendTo.endNs);
    this.endPauses('inferred');
    this.endStacks();
  }
}

const framesIn = (levels: readonly Level[]): Frame[] => levels.flatMap(({ frames }) => frames);
