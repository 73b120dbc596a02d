/**
 * The reference replay: slow and simple, to check `replayThread` on threads without losses and without fibers.
 *
 * Where an event alone does not show what it means, it copies the levels and reads ahead until the answer comes
 * (`unseenCallers`, `endOfTop`). Nothing is precomputed.
 */

import { type InferenceName, noInferences } from '../../../src/model/profile/profile.js';
import type { SymbolTable } from '../../../src/model/symbol-table.js';
import type { ThreadEvents } from '../../../src/model/trace/thread-events.js';
import type { Tid } from '../../../src/model/units.js';
import { type SiteFacts, Step, SYSCALL_BYTES } from '../../../src/replay/functions/site-facts.js';
import { Trait } from '../../../src/replay/functions/traits.js';
import type { ReplayOptions, ThreadGap, ThreadReplay } from '../../../src/replay/thread-replay.js';
import { count, type PathRow, rowOf } from './path-rows.js';
import { CallList, type ReferenceCall, type ReferenceThread } from './reference-calls.js';
import {
  type Fn,
  type Frame,
  isEnd,
  isSwitch,
  type Level,
  Levels,
  type ReferenceEvent,
  referenceEvents,
  symbolKey,
} from './reference-levels.js';
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
  /** Each call and each interval of time; functions by `symbolKey`. */
  readonly thread: ReferenceThread;
}

/** Does what `replayThread` does; throws if trace data is missing between two events. */
export function referenceReplay(
  events: ThreadEvents,
  facts: SiteFacts,
  symbols: SymbolTable,
  options: ReplayOptions,
): ReferenceReplay {
  return new Reader(referenceEvents(events, facts, symbols), facts, symbols, options, events.tid).run();
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

interface UnseenCaller {
  readonly fn: Fn;
  /** The return that ends the level below it ends it, too. */
  readonly goesWithBelow: boolean;
  /** Between it and the level below is another one, of which nothing is known. */
  readonly isAboveUnknown: boolean;
}

/** Longer chains of jumps are loops: they go back to the frame they came from. */
const MAX_CHAIN = 64;

/** Reads the events in order, and keeps the frames. */
class Reader {
  private readonly rows = new Map<string, PathRow>();
  private readonly list = new CallList();
  private readonly inferred = noInferences();
  private readonly lost: ThreadGap[] = [];
  private readonly events: readonly ReferenceEvent[];
  private readonly facts: SiteFacts;
  private readonly symbols: SymbolTable;
  private readonly options: ReplayOptions;
  private readonly tid: Tid;
  private levels = new Levels();
  private startNs: number | null = null;
  private nowNs = 0;
  /** The next branch is the first one of a program. */
  private isBeginning = true;
  /** perf's errors before the first event, and after the last. */
  private errors = 0;
  /** Trace data is missing: nothing may follow for certain. */
  private isOver = false;
  /** A stop, off-CPU time, or the one nested in the other. */
  private readonly stops: OpenStop[] = [];
  /** What the thread was switched out as; the stop may come slightly later, as the clocks differ. */
  private switchedOut: OffCpu | null = null;
  /** Code between the return of a signal handler and the end of the signal: counts as what was interrupted. */
  private signalTail: Fn | null = null;

  constructor(
    events: readonly ReferenceEvent[],
    facts: SiteFacts,
    symbols: SymbolTable,
    options: ReplayOptions,
    tid: Tid,
  ) {
    this.events = events;
    this.facts = facts;
    this.symbols = symbols;
    this.options = options;
    this.tid = tid;
  }

  run(): ReferenceReplay {
    for (const event of this.events) {
      if (event.step === Step.Exec) this.isBeginning = true;
      else if (event.step === Step.Gap) this.takeError(event);
      else if (isSwitch(event)) this.takeSwitch(event);
      else {
        if (this.isBeginning) this.begin(event);
        this.take(event);
      }
    }
    this.noteErrors();
    this.finish();
    const { rows, startNs, nowNs: endNs, inferred, lost, tid } = this;
    const { calls, intervals } = this.list;
    return { rows, startNs: startNs ?? 0, endNs, inferred, lost, thread: { tid, calls, intervals } };
  }

  /** Pushes the stack that a program begins with: the callers that its returns will reveal, the last one lowest. */
  private begin(first: ReferenceEvent): void {
    this.chargeUntil(first.timeNs);
    this.noteErrors();
    this.endPauses('complete');
    this.closeAbove(null, 'OpenAtEnd'); // exec: nothing is left of the old program
    this.levels = Levels.before(first);
    this.signalTail = null;
    const running = first.step === Step.Start ? first.toFn : (first.fromFn ?? first.nameless);
    for (const { fn, goesWithBelow, isAboveUnknown } of this.levelsNeverSeenCalled(first, running)) {
      this.levels.pushUnknown(goesWithBelow);
      this.open(fn, 'OpenAtStart');
      this.top.isAfterHiddenJump = isAboveUnknown;
    }
    this.isBeginning = false;
    this.startNs ??= this.extendBack(first);
  }

  /** Reads ahead on a copy to the end, and notes where unmatched returns lead. Lowest first. */
  private levelsNeverSeenCalled(first: ReferenceEvent, running: Fn): UnseenCaller[] {
    const found: UnseenCaller[] = [];
    let ran = running;
    let last: Fn | null = null;
    const note = (left: readonly Level[], isEnd: boolean) => {
      const landings = landingsBelow(ran, left, last, isEnd);
      const levels = [ran, ...landings.map(({ fn }) => fn)].map((fn, index) => ({
        fn,
        goesWithBelow: index < landings.length,
        isAboveUnknown: landings[index]?.isBelowUnknown ?? false,
      }));
      found.unshift(...levels.reverse());
    };
    const ahead = Levels.before(first);
    ahead.pushUnknown();
    for (const event of this.events.slice(first.row)) {
      const left = ahead.list.slice(1);
      const { is } = ahead.take(event);
      if (is === 'contradiction') break;
      if (is === 'push') ahead.list.at(-2)?.made.push(ahead.list.at(-1) as Level);
      const isLeft = ahead.list.length === 0;
      if (isLeft || !isSwitch(event)) last = isLeft || goesOn(event) ? event.fromFn : event.toFn;
      if (!isLeft) continue;
      note(left, false);
      ran = event.toFn;
      ahead.pushUnknown();
    }
    note(ahead.list.slice(1), true);
    return found;
  }

  /** Reads ahead on a copy until the level on top is gone. null: it never is. */
  private endOfTop(fromRow: number): End | null {
    const ahead = this.levels.copy();
    const { length } = ahead.list;
    for (const event of this.events.slice(fromRow)) {
      const later = ahead.list.slice(length); // before it is known whether the event ends them
      if (ahead.take(event).is === 'contradiction') return null;
      if (ahead.list.length < length) return { index: ahead.list.length, row: event.row, leftLater: later };
    }
    return null;
  }

  private take(event: ReferenceEvent): void {
    if (this.comesBack(event)) this.chargeOffCpu(event.timeNs);
    const isRetpoline = event.fromFn?.is(Trait.Retpoline) && event.from === event.fromFn.start;
    if (isRetpoline) this.chargeUntil(event.timeNs); // until it begins, the function ran that jumped there
    const hasMoved = event.step !== Step.Start && this.syncOn(event);
    this.chargeUntil(event.timeNs, hasMoved);
    if (this.stops.length > 0) this.endPauses('complete');
    else if (!isEnd(event) && !this.facts.showsTaskSwitches) this.switchedOut = null; // traced code continues: the switch had no effect
    const { is, over } = this.levels.take(event);
    if (is === 'contradiction' || this.isOver) throw new Error(`something was lost before row ${event.row}`);
    // At a trace start they may have ended before, and a function that switches stacks may resume them.
    const isCertain = event.step !== Step.Start && !this.top?.fn.is(Trait.StackSwitcher);
    const skipped = isCertain ? 'unwound' : 'Unwound';
    const isReturn = is !== 'push'; // the kernel does not return where it goes to a signal handler
    for (const level of over.reverse()) this.closeLevel(level, isReturn && level === over.at(-1) ? null : skipped);
    if (event.step === Step.Start && event.toFn !== this.signalTail) this.signalTail = null;
    if (is === 'push') {
      this.levels.list.at(-2)?.made.push(this.topLevel);
      this.open(event.toFn, null, true);
    }
    // A return address is in the caller's own code, whatever its label.
    else if (is === 'pop') this.alsoKnownAs(event.toFn);
    else if (is === 'end of handler') this.signalTail = event.toFn;
    else if (is === 'jump by return') this.jump(event.toFn, null);
    else if (event.step === Step.Jump) this.takeJump(event);
    if (isEnd(event)) this.beginStop(event.step === Step.EndSyscall ? '[syscall]' : '[untraced]');
  }

  /** The thread had given its CPU away: it is in the kernel's code that does so, and has only now come there. */
  private comesBack({ fromFn, row }: ReferenceEvent): boolean {
    if (!fromFn?.is(Trait.TaskSwitch)) return false;
    const before = this.events.slice(0, row).findLast(({ step }) => step < Step.Gap);
    if (before === undefined) return false;
    return !isOf(this.top, fromFn) || (before.toEntry && before.toFn === fromFn);
  }

  private chargeOffCpu(untilNs: number): void {
    this.leaveCpu(this.switchedOut ?? '[off-cpu]');
    this.chargeUntil(untilNs);
    this.endPause('complete');
    this.switchedOut = null;
  }

  /** A jump that the trace shows. */
  private takeJump({ row, toFn: named, toEntry }: ReferenceEvent): void {
    const toFn = wholeFunction(this.levels, named);
    if (isOf(this.top, toFn)) return;
    if (toFn.is(Trait.Kernel) && this.isInKernelEntry()) return this.alsoKnownAs(toFn);
    if (toEntry && toFn.is(Trait.ProgramStart)) this.leaveLoader(row);
    const end = this.endOfTop(row);
    if (toFn.is(Trait.Unknown) && this.landNameless(toFn, end)) return;
    if (toEntry || toFn.is(Trait.Unknown)) return this.jump(toFn, null);
    const { frame, isCertain } = this.targetOf(toFn, end);
    if (frame) this.land(frame, isCertain, end !== null, toFn);
    else if (isUnwinding(this.levels)) {
      this.jump(toFn, null);
      this.top.isAfterHiddenJump = true;
    } else this.alsoKnownAs(toFn); // a label inside the same function
  }

  /** An unwinder that ends may land in nameless code, too. */
  private landNameless(fn: Fn, end: End | null): boolean {
    if (!isUnwinding(this.levels) || end?.index === this.levels.list.length - 1) return false;
    const { frame, isCertain } = landingOf(this.levels, fn, end);
    if (frame) this.land(frame, isCertain, end !== null, fn);
    return frame !== null;
  }

  private targetOf(fn: Fn, end: End | null): Landing {
    if (isLeft(this.levels, end)) return landingOf(this.levels, fn, end);
    const top = this.levels.list.length - 1;
    const frames = this.levels.list.slice(end?.index ?? 0).flatMap((level) => level.frames);
    const [frame = null, other] = frames.filter((each) => isOf(each, fn)).reverse();
    return { frame, isCertain: end?.index === top || other === undefined };
  }

  /** Makes the function that an event comes from the top of the stack, after a hidden jump. True: it was not on top. */
  private syncOn({ row, timeNs, fromFn: named }: ReferenceEvent): boolean {
    if (named === null) return false;
    const fromFn = wholeFunction(this.levels, named);
    if (isOf(this.top, fromFn) || fromFn === this.signalTail) return false;
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
    const isStub = this.top.fn.is(Trait.Stub | Trait.Resolver);
    if (isStub) this.jumpUnseen(fromFn);
    else this.jumpOrUnwind(fromFn, row);
    if (this.top.why === 'HiddenJump') this.top.firstSeenNs ??= timeNs;
    return !isStub && !this.top.fn.is(Trait.Stub);
  }

  /** The kernel's entry code has several labels, and nothing to return to. */
  private isInKernelEntry(): boolean {
    const { begunBy, frames } = this.topLevel;
    return begunBy === 'kernel entry' && frames.length === 1;
  }

  /** Where jumps are shown, the kernel's code gets to another label without one only by running on. */
  private runsOnInto(fn: Fn): boolean {
    const { fn: from } = this.top;
    return this.facts.showsJumps && from.is(Trait.Kernel) && fn.is(Trait.Kernel) && from.start < fn.start;
  }

  /** Only the lowest level is left, unless one above it returns. */
  private leaveLoader(row: number): void {
    if (this.endOfTop(row) === null) this.closeAbove(this.levels.list[0]?.frames.at(-1) ?? null, 'Unwound');
  }

  private jumpUnseen(fn: Fn): void {
    const areNameless = this.top.fn.is(Trait.Unknown) && fn.is(Trait.Unknown);
    if (!areNameless || this.options.tailCalls === 'nest') this.jump(fn, 'HiddenJump');
    else if (Math.abs(fn.start - this.top.fn.start) > 65_536) this.top.isAfterHiddenJump = true; // may be a cold part
  }

  /** Back to a deeper frame of `fn`, if the level on top does not end by its own return; else it jumped. */
  private jumpOrUnwind(fn: Fn, row: number): void {
    const { list } = this.levels;
    const end = this.endOfTop(row);
    if (!isLeft(this.levels, end)) {
      const below = list.slice(0, -1).flatMap((level) => level.frames);
      const hasChoice = end === null && below.some((frame) => isOf(frame, fn));
      this.jumpUnseen(fn);
      if (hasChoice) this.top.isAfterHiddenJump = true;
      return;
    }
    const { frame, isCertain } = landingOf(this.levels, fn, end);
    if (frame) return this.land(frame, isCertain, end !== null, fn);
    const isKnown = end?.row === row;
    if (isKnown) this.closeAbove(list[end.index].frames.at(-1) as Frame, 'unwound');
    this.jumpUnseen(fn);
    if (!isKnown && !fn.is(Trait.Unwinder)) this.top.isAfterHiddenJump = true; // unwinding never lands in an unwinder
  }

  /** Calls that are certainly skipped ended here: a return further down shows it, or an unwinder. */
  private land(frame: Frame, isCertain: boolean, isSeenToEnd: boolean, fn: Fn): void {
    this.closeAbove(frame, isSeenToEnd || isUnwinding(this.levels) ? 'unwound' : 'Unwound');
    this.alsoKnownAs(fn); // a part of the function at another address
    if (!isCertain) frame.isAfterHiddenJump = true;
  }

  /** The function on top jumps to another one. */
  private jump(fn: Fn, why: 'HiddenJump' | 'OpenAtStart' | null): void {
    const { top, topLevel } = this;
    const replaces = this.options.tailCalls === 'replace';
    if (top.fn.is(Trait.Stub)) {
      const { leadsTo } = top.fn;
      const isThere = replaces || !leadsTo || leadsTo.bareName === fn.bareName || fn.is(Trait.Stub | Trait.Resolver);
      rename(top, isThere ? fn : leadsTo);
      if (!isThere) this.jump(fn, why);
      return;
    }
    const earlier = topLevel.frames.findLast((frame) => frame.fn === fn);
    if (replaces || (top.fn.is(Trait.Resolver) && !top.isCalled)) {
      const { isAfterHiddenJump } = topLevel.frames.at(-1) as Frame;
      this.close(topLevel.frames.pop() as Frame, why);
      this.open(fn, why);
      this.top.isAfterHiddenJump = isAfterHiddenJump;
    } else if (topLevel.frames.length > MAX_CHAIN && earlier) this.closeAbove(earlier, null);
    else this.open(fn, why);
  }

  private get topLevel(): Level {
    return this.levels.list.at(-1) as Level;
  }

  private get top(): Frame {
    return this.levels.list.findLast(({ frames }) => frames.length > 0)?.frames.at(-1) as Frame;
  }

  /** Opens a frame on the level on top. `why`: why its start was not seen. */
  private open(fn: Fn, why: InferenceName | null, isCalled = false): void {
    const below = this.top ? pathOf(this.top) : '';
    const call = this.list.open(fn.key, this.nowNs, this.openCalls);
    const none = { firstSeenNs: null, isAfterHiddenJump: false, selfNs: 0, inferredNs: 0, alsoKnownAs: [] };
    this.topLevel.frames.push({ fn, below, why, isCalled, call, ...none });
  }

  /** Closes the frame on top. `why`: why its end was not seen, or it did not return. */
  private close(frame: Frame, why: Ending): void {
    if (frame.fn.leadsTo) rename(frame, frame.fn.leadsTo); // nothing came after the stub
    const reason = frame.why ?? why;
    const { call } = frame;
    this.list.close(call, this.nowNs, reason, this.knownTime(frame, why));
    const row = rowOf(this.rows, pathOf(frame));
    row.selfNs += frame.selfNs;
    row.inferredNs += frame.inferredNs;
    count(row, { ns: this.nowNs - call.startNs, knownNs: call.why && call.knownNs, isUnwound: call.isUnwound });
    if (reason && reason !== 'unwound') this.inferred[reason]++;
  }

  /**
   * For how long it certainly lasted. If it was left without a return, the end is unknown; if a jump led to it, so is
   * the time before its first event.
   */
  private knownTime({ call, why, firstSeenNs }: Frame, end: Ending): number {
    if (end === 'Unwound') return 0;
    return why === 'HiddenJump' ? this.nowNs - (firstSeenNs ?? this.nowNs) : this.nowNs - call.startNs;
  }

  private closeLevel({ frames }: Level, why: Ending): void {
    for (let frame = frames.pop(); frame; frame = frames.pop()) this.close(frame, why);
  }

  private closeAbove(frame: Frame | null, why: Ending): void {
    const { list } = this.levels;
    while (list.length > 0 && this.top !== frame) {
      this.close(this.topLevel.frames.pop() as Frame, why);
      if (this.topLevel.frames.length === 0) list.pop();
    }
  }

  /** All open frames, without stops. */
  private get openCalls(): ReferenceCall[] {
    return this.levels.list.flatMap(({ frames }) => frames.map(({ call }) => call));
  }

  private alsoKnownAs(fn: Fn): void {
    if (!isOf(this.top, fn)) this.top.alsoKnownAs.push(fn);
  }

  private chargeUntil(timeNs: number, hasMoved = false): void {
    const stop = this.stops.at(-1);
    const payer = stop ? rowOf(this.rows, stop.path) : this.top;
    if (payer) {
      payer.selfNs += timeNs - this.nowNs;
      const isInferred =
        hasMoved || this.levels.list.some(({ frames }) => frames.some(({ isAfterHiddenJump }) => isAfterHiddenJump));
      if (isInferred) payer.inferredNs += timeNs - this.nowNs;
      const stack = stop ? stop.call.stack : this.openCalls;
      this.list.spend(stack, this.nowNs, timeNs, isInferred ? 'hidden' : 'certain');
    }
    this.nowNs = timeNs;
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
    if (this.options.scheduler === 'show' || !isScheduler(this.top)) return null;
    const frame = this.levels.list.flatMap(({ frames }) => frames).findLast((each) => !isScheduler(each));
    return frame ? { path: pathOf(frame), call: frame.call } : null;
  }

  /** A stub counts as its target, even if the trace stops before that is reached. */
  private get pathUnderStop(): string {
    const { fn, below, call } = this.top;
    if (fn.leadsTo) call.fn = fn.leadsTo.key;
    return pathOf({ below, fn: fn.leadsTo ?? fn });
  }

  private openStop(name: OffCpu | '[syscall]' | '[untraced]', under: readonly ReferenceCall[]): ReferenceCall {
    return this.list.open(symbolKey(this.symbols, this.symbols.name.indexOf(name)), this.nowNs, under, true);
  }

  private takeSwitch({ timeNs, step }: ReferenceEvent): void {
    if (this.startNs === null || this.isOver) return;
    if (this.facts.showsTaskSwitches) {
      if (step !== Step.SwitchIn) this.switchedOut = step === Step.SwitchOut ? '[off-cpu]' : '[preempted]';
      return;
    }
    this.chargeUntil(timeNs);
    if (this.stops.at(-1)?.isOffCpu) this.endPause('complete');
    this.switchedOut = step === Step.SwitchIn ? null : step === Step.SwitchOut ? '[off-cpu]' : '[preempted]';
    const canPause = this.stops.length > 0 || this.facts.scope === 'user+kernel';
    if (this.switchedOut && canPause) this.leaveCpu(this.switchedOut);
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

  /** While the trace is stopped, nothing of this thread is lost. */
  private takeError({ timeNs, isError }: ReferenceEvent): void {
    const errors = isError ? 1 : 0;
    if (this.levels.stop && !this.isBeginning)
      this.lost.push({ atNs: timeNs, lengthNs: 0, errors, ip: Number.NaN, isLast: false });
    else {
      this.errors += errors;
      this.isOver = this.startNs !== null;
    }
  }

  private noteErrors(): void {
    if (this.errors > 0)
      this.lost.push({ atNs: this.nowNs, lengthNs: 0, errors: this.errors, ip: Number.NaN, isLast: false });
    this.errors = 0;
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
    this.closeAbove(null, 'OpenAtEnd');
  }
}

/** What runs after the event also ran before it. */
function goesOn({ step }: ReferenceEvent): boolean {
  return step === Step.Stay || step === Step.End || step === Step.EndSyscall;
}

/** Renames a stub to its target. */
function rename(frame: Frame, fn: Fn): void {
  frame.fn = fn;
  frame.call.fn = fn.key;
  frame.isCalled = false;
}
