/**
 * The first reading of the reference replay: what each event does to the calls of all stacks of a thread, by addresses
 * alone.
 *
 * Everything is searched for in lists, from the end to the start, and where an event alone does not decide, the events
 * after it are read. What is found is written down by row, and on each level how it ends: the second reading
 * (`reference-replay.ts`) looks there instead of reading ahead.
 */

import { Step, SYSCALL_BYTES } from '../../../src/replay/functions/site-facts.js';
import { MAX_CALL_BYTES, Trait } from '../../../src/replay/functions/traits.js';
import { isEnd, isProgramStart, type ReferenceEvent, type ReferenceSite } from './reference-events.js';
import {
  endsAt,
  type FirstReading,
  type HiddenSwitch,
  isSignal,
  isWithin,
  type Level,
  type LevelEnd,
  MAX_NEAR,
  type Meaning,
  NOTHING,
  newStack,
  type OpenStacks,
  type Parked,
  type Segment,
  type WrittenReading,
} from './reference-stacks.js';
import { followLongJump, followSwitch, goesOn, landLongJump, leavesStack, switchBy } from './reference-switches.js';
import { stepsOf } from './reference-unwinding.js';

/** A return that nothing explains parks at most so many calls. */
const MAX_SPLIT = 512;
const isInterrupt = ({ begunBy }: Level) => begunBy === 'signal' || begunBy === 'kernel entry';

interface Stop {
  readonly address: number;
  /** Number of bytes after its address at which the trace may continue. */
  readonly reach: number;
  /** In untraced code that was called from there. */
  readonly inCall: boolean;
  /** The lowest traced function has returned. */
  readonly isOutside: boolean;
}

/** The calls of a thread's stacks, while the events of a segment are read. */
class Levels implements OpenStacks {
  calls: Level[] = [];
  running = newStack();
  readonly first = this.running;
  parked: readonly Parked[];
  switching: Level | null = null;
  jumping: Level | null = null;
  private hasBegun = false;
  /** Null while the trace runs. */
  stop: Stop | null = null;
  /** perf has lost something since the stop. */
  private isDamaged = false;
  /** After the return of a signal handler: where the interrupted code continues; NaN: none has returned. */
  private interruptedAt = Number.NaN;
  /** Likewise, until the kernel goes there. */
  private handlerInterruptedAt = Number.NaN;

  constructor(
    readonly events: readonly ReferenceEvent[],
    readonly sites: readonly ReferenceSite[],
    readonly reading: WrittenReading,
    readonly firstRow: number,
    readonly hasLosses: boolean,
    parked: readonly Parked[],
  ) {
    this.parked = parked;
  }

  /** Returns what an event means; null: it does not follow from those before it. */
  take(event: ReferenceEvent): Meaning | null {
    const { step } = event;
    if (step === Step.Exec || (step === Step.Gap && !this.stop)) return null;
    if (step === Step.Gap) this.isDamaged = true;
    if (step >= Step.Gap) return NOTHING;
    if (step === Step.Start) {
      const meaning = this.hasBegun ? this.meaningOfStart(event) : NOTHING;
      if (meaning === null) return null;
      if (this.hasBegun) this.stop = null;
      if (this.hasBegun) this.isDamaged = false;
      this.hasBegun = true;
      return meaning;
    }
    if (this.stop) return null;
    followSwitch(this, event);
    followLongJump(this, event);
    this.hasBegun = true;
    if (isEnd(event)) return this.meaningOfStop(event);
    this.interruptedAt = Number.NaN;
    if (step === Step.Call) return this.push('call', event.from, event);
    if (step === Step.KernelEntry) return this.push('kernel entry', event.from, event);
    if (step === Step.Return) return this.meaningOfReturn(event);
    if (step === Step.KernelExit) return this.meaningOfExit(event);
    if (step === Step.Jump) return leavesStack(event) ? switchBy(this, event) : landLongJump(this, event);
    return NOTHING;
  }

  private push(begunBy: Level['begunBy'], address: number, event: ReferenceEvent, isFromOutside = false): Meaning {
    const { row, toFn: callee, fromFn: caller, from: calledFrom } = event;
    const call = { begunBy, isFromOutside, row, address, callee, caller, calledFrom };
    const level: Level = {
      ...call,
      made: [],
      end: null,
      isLeft: false,
      returns: null,
      returnsTo: Number.NaN,
      frames: [],
    };
    this.calls.at(-1)?.made.push(level);
    this.calls.push(level);
    if (event.step === Step.Call && event.callsSwitcher) this.switching = level;
    else if (event.step === Step.Call && callee.is(Trait.LongJump)) this.jumping ??= level;
    return { is: 'push', level };
  }

  /** The level at an index returns; those above it are skipped, or are a stack of their own. */
  end(event: ReferenceEvent, index: number, is: 'pop' | 'end of handler' = 'pop'): Meaning {
    const level = this.calls[index] as Level;
    const above = this.calls.slice(index + 1);
    const left = above.at(-1);
    const isSplit =
      left !== undefined && above.length <= MAX_SPLIT && event.step === Step.Return && !above.some(mayLeave);
    const leftRow = isSplit ? this.leftRowOf(event, level) : null;
    const isDoubtful = isSplit ? leftRow === null : this.isDoubtful(event, above);
    level.end = { row: event.row, by: 'itself', skipped: isSplit ? [] : above, isSeen: true };
    this.calls.length = index;
    if (!isSplit) this.skip(event, above, level);
    else {
      this.parked = [...this.parked, { stack: newStack(), calls: above }];
      if (leftRow !== null) this.switchBefore(leftRow, { is: 'back', to: level, left });
    }
    if (is === 'end of handler') return { is, level, isDoubtful };
    return { is, level, isDoubtful, ...(isSplit && leftRow === null && { split: left }) };
  }

  /** Calls end without a return, as another level returns. */
  skip({ row }: ReferenceEvent, skipped: readonly Level[], by: LevelEnd['by']): void {
    for (const level of skipped) level.end = { row, by, skipped, isSeen: true };
  }

  /** True if nothing explains that a return skips calls, or the function called last returns elsewhere. */
  private isDoubtful({ step, fromFn }: ReferenceEvent, skipped: readonly Level[]): boolean {
    const last = skipped.at(-1);
    if (last === undefined || step !== Step.Return) return false;
    const isOwnReturn = last.begunBy === 'call' && last.callee === fromFn;
    return !skipped.some(mayLeave) || isOwnReturn;
  }

  /**
   * The row of the first event since which the function that returns has run, though another one was called since its
   * own call: nothing shows how control got there. null: it is not so.
   */
  leftRowOf({ row, fromFn }: ReferenceEvent, level: Level): number | null {
    const last = this.calls.at(-1);
    if (!fromFn || !last || level.callee !== fromFn || last.callee === fromFn) return null;
    let first = row;
    for (let at = row - 1; at > last.row; at--) {
      const event = this.events[at] as ReferenceEvent;
      if (event.step > Step.Gap) continue;
      if (event.step === Step.Return) {
        const meaning = this.reading.meanings[at];
        if (meaning?.is !== 'pop' || isTraceStart(event)) break;
        at = meaning.level.row;
      }
      if (at <= last.row || this.events[at]?.fromFn !== fromFn) break;
      first = at;
    }
    const { hidden } = this.reading;
    return hidden.has(first) || hidden.has(first - 1) ? null : first;
  }

  /** The trace may show the jump to the other stack, as the event before. */
  switchBefore(row: number, hidden: HiddenSwitch): void {
    const isShown = this.events[row - 1]?.step === Step.Jump;
    if (isShown) this.reading.meanings[row - 1] = NOTHING;
    this.reading.hidden.set(isShown ? row - 1 : row, hidden);
  }

  private meaningOfStart(event: ReferenceEvent): Meaning | null {
    const { stop, interruptedAt } = this;
    const { to, mayBegin, toFn } = event;
    if (stop && isWithin(stop.address, to, stop.reach))
      return stop.inCall ? this.end(event, this.calls.length - 1) : { is: 'resume' };
    if (isWithin(interruptedAt, to, SYSCALL_BYTES)) {
      this.interruptedAt = Number.NaN;
      return { is: 'resume' };
    }
    const index = this.interruptedFor(to);
    if (index !== -1) return this.end(event, index);
    if (stop === null || this.isDamaged || !mayBegin || toFn.is(Trait.ProgramStart)) return null;
    this.interruptedAt = Number.NaN;
    return this.push('signal', Number.isNaN(interruptedAt) ? stop.address : interruptedAt, event, stop.isOutside);
  }

  private meaningOfStop(event: ReferenceEvent): Meaning {
    const { step, from, to } = event;
    const inCall = step === Step.EndCall && to !== 0;
    const reach = step === Step.EndCall ? MAX_CALL_BYTES : SYSCALL_BYTES;
    this.stop = { address: from, reach, inCall, isOutside: false };
    if (inCall) return this.push('call', from, event);
    if (step !== Step.EndReturn) return NOTHING;
    const top = this.calls.at(-1);
    if (to === 0) {
      if (top === undefined) return NOTHING;
      this.stop = isSignal(top) ? null : { ...this.stop, address: top.address, reach: MAX_CALL_BYTES };
      return this.end(event, this.calls.length - 1);
    }
    const meaning = this.meaningOfReturnOut(event);
    this.stop = { ...this.stop, address: to, isOutside: this.calls.length === 0 };
    return meaning;
  }

  /** A return out of traced code. */
  private meaningOfReturnOut(event: ReferenceEvent): Meaning {
    const index = [this.callerFor(event.to, false), this.interruptedFor(event.to)].find((at) => at !== -1);
    if (index !== undefined) return this.end(event, index);
    const [lowest] = this.calls;
    if (!lowest?.isFromOutside) return this.unmatched(event);
    // What untraced code had called returns to where that had not been: it ran on a stack of its own.
    this.skip(event, this.calls, 'unseen');
    this.calls = [];
    this.running = { ...newStack(), unmatched: [event.row] };
    this.reading.meanings[lowest.row] = { is: 'new stack', stack: this.running, isFromOutside: true };
    return { is: 'unmatched', skipped: [] };
  }

  private meaningOfReturn(event: ReferenceEvent): Meaning {
    if (leavesStack(event)) return switchBy(this, event);
    const { to, toEntry } = event;
    const top = this.calls.length - 1;
    if (top >= 0 && endsAt(this.calls[top] as Level, to)) return this.end(event, top);
    this.noteLeft(event);
    const index = this.callerFor(to, toEntry);
    if (index !== -1) return this.end(event, index);
    return goesOn(this, event) ?? this.meaningWithoutCall(event);
  }

  /** A return that ends no call: it ends a signal, only jumps, or its call was not seen. */
  private meaningWithoutCall(event: ReferenceEvent): Meaning {
    const { calls } = this;
    const { toEntry, toFn, fromFn } = event;
    if (toFn.is(Trait.TaskStart)) return this.unmatched(event);
    const isRetpoline = this.leavesRetpoline(event); // it "returns" to the target of its jump
    const interrupt = calls.findLastIndex(isInterrupt);
    const isTop = interrupt === calls.length - 1;
    const isOwn = calls[interrupt]?.callee === fromFn;
    const endsHandler = toEntry ? isTop || isOwn : isTop && isOwn;
    if (calls[interrupt]?.begunBy === 'signal' && !isRetpoline && endsHandler) {
      this.interruptedAt = this.handlerInterruptedAt = (calls[interrupt] as Level).address;
      return this.end(event, interrupt, 'end of handler');
    }
    const top = calls.at(-1);
    if (isRetpoline && !toEntry && top?.caller === toFn) return this.end(event, calls.length - 1); // a computed goto
    const isAtBase = this.running !== this.first && calls.length === 0;
    if (isRetpoline || (toEntry && !isAtBase)) return { is: 'jump by return', isDoubtful: !isRetpoline };
    const near = calls.slice(-MAX_NEAR);
    const open = near.findLast(({ callee }, at) => callee === toFn || near[at + 1]?.caller === toFn);
    return open ? this.returnTo(event, open) : this.unmatched(event);
  }

  returnTo(event: ReferenceEvent, level: Level): Meaning {
    const skipped = this.calls.splice(this.calls.indexOf(level) + 1);
    this.skip(event, skipped, level);
    return { is: 'return to', level, isDoubtful: this.isDoubtful(event, skipped) };
  }

  private leavesRetpoline({ row, fromFn }: ReferenceEvent): boolean {
    if (fromFn?.is(Trait.Retpoline)) return true;
    const before = this.events.slice(0, row).findLast(({ step }) => step < Step.Gap);
    return fromFn?.is(Trait.ReturnThunk) === true && before?.fromFn?.is(Trait.Retpoline) === true;
  }

  /** The call was not seen. On a stack that has no callers, an odd return shows that another stack runs. */
  private unmatched(event: ReferenceEvent): Meaning {
    const skipped = this.calls;
    this.calls = [];
    this.skip(event, skipped, 'unseen');
    const isDoubtful = this.isDoubtful(event, skipped);
    if (this.running.isWhole && isDoubtful) {
      this.running = newStack();
      return { is: 'new stack', stack: this.running, isDoubtful };
    }
    this.running.unmatched.push(event.row);
    return { is: 'unmatched', skipped, isDoubtful };
  }

  /** The kernel goes back to what it interrupted, or to a signal handler. */
  private meaningOfExit(event: ReferenceEvent): Meaning {
    const { calls, handlerInterruptedAt } = this;
    const { to, toEntry, toFn } = event;
    if (to < 0) {
      const index = this.interruptedFor(to);
      return index === -1 ? this.meaningOfReturn(event) : this.end(event, index);
    }
    const index = calls.findLastIndex(({ begunBy, calledFrom }) => begunBy === 'kernel entry' && calledFrom >= 0);
    const entry = calls[index];
    if (entry === undefined) return this.unmatched(event);
    if (isWithin(entry.address, to, SYSCALL_BYTES)) return this.end(event, index);
    this.handlerInterruptedAt = Number.NaN;
    if (isWithin(handlerInterruptedAt, to, SYSCALL_BYTES)) return this.end(event, index);
    const handler = calls.findLastIndex((level) => isSignal(level) && isWithin(level.address, to, SYSCALL_BYTES));
    if (handler !== -1) return this.end(event, handler);
    if (!toEntry && !toFn.is(Trait.Unknown)) return { ...this.end(event, index), isDoubtful: true };
    this.skip(event, calls.splice(index), entry);
    const address = Number.isNaN(handlerInterruptedAt) ? entry.address : handlerInterruptedAt;
    return this.push('signal', address, event);
  }

  /** Returns the nearest level that a return to `to` ends; -1 if there is none. */
  callerFor(to: number, isNear: boolean): number {
    const lowest = isNear ? Math.max(0, this.calls.length - MAX_NEAR) : 0;
    return this.calls.findLastIndex((level, index) => index >= lowest && endsAt(level, to) && !level.isLeft);
  }

  private interruptedFor(to: number): number {
    return this.calls.findLastIndex((level) => isInterrupt(level) && isWithin(level.address, to, SYSCALL_BYTES));
  }

  /** Notes which calls exceptions have left for good: in a recursion, their returns look alike. */
  private noteLeft({ row }: ReferenceEvent): void {
    const { calls } = this;
    for (const raiser of calls.slice(-MAX_NEAR)) {
      if (!raiser.callee?.is(Trait.Raiser) || raiser.isLeft) continue;
      const landing = this.landingAfter(raiser, row);
      if (landing === null) continue;
      const index = calls.indexOf(raiser);
      const landed = this.landedIn(raiser, landing);
      for (const level of calls.slice(landed === null ? index : calls.indexOf(landed) + 1, index + 1))
        level.isLeft = true;
    }
  }

  /** The first event after an unwinder, of those up to `lastRow`; null: none, or it called another unwinder. */
  private landingAfter(raiser: Level, lastRow: number): ReferenceEvent | null {
    const onTheWay = Trait.Stub | Trait.Resolver | Trait.Unwinder | Trait.Unknown;
    for (let row = raiser.row + 1; row <= lastRow; row++) {
      const event = this.events[row] as ReferenceEvent;
      if (!event.fromFn?.is(onTheWay)) return event;
      const meaning = this.reading.meanings[row];
      const ended = meaning?.is === 'push' ? meaning.level.end : null;
      if (event.toFn.is(Trait.Raiser) && !ended) return null;
      row = Math.max(row, ended?.row ?? row);
    }
    return null;
  }

  /** The level that an exception landed in, as many frames below its unwinder as that stepped down; null: not known. */
  private landedIn(raiser: Level, { row, fromFn }: ReferenceEvent): Level | null {
    const below = this.calls.slice(0, this.calls.indexOf(raiser)).filter(({ isLeft }) => !isLeft);
    const steps = stepsOf(raiser, row);
    if (steps === null) return (raiser.callee?.is(Trait.Resumer) && below.at(-2)) || null;
    let left = steps;
    while (left > 0 && below.length > 0) left -= isSignal(below.pop() as Level) ? 2 : 1;
    const landed = below.at(-1);
    if (left !== 0 || landed === undefined) return null;
    const ran = this.calls[this.calls.indexOf(landed) + 1]?.caller;
    return ran?.key === fromFn?.key ? landed : null;
  }
}

const isTraceStart = ({ step }: ReferenceEvent) => step === Step.Start;

/** True if the level explains that calls end without a return. */
function mayLeave({ begunBy, callee }: Level): boolean {
  return begunBy !== 'call' || callee?.is(Trait.Unwinder | Trait.StackSwitcher | Trait.Panic) === true;
}

/** Reads all events. */
export function readFirst(events: readonly ReferenceEvent[], sites: readonly ReferenceSite[]): FirstReading {
  const segments: Segment[] = [];
  const reading = { meanings: [] as Meaning[], hidden: new Map<number, HiddenSwitch>(), left: new Set<Level>() };
  let levels: Levels | null = null;
  let parked: readonly Parked[] = [];
  const finish = (endRow: number) => {
    const segment = segments.at(-1);
    if (!levels || !segment) return;
    const { running: last, calls: open, stop } = levels;
    Object.assign(segment, { endRow, last, open, stoppedAt: stop?.address ?? Number.NaN });
    ({ parked } = levels);
    levels = null;
  };
  for (const event of events) {
    const meaning = levels?.take(event) ?? null;
    if (meaning !== null) {
      reading.meanings[event.row] = meaning;
      continue;
    }
    finish(event.row);
    if (event.step === Step.Exec || isProgramStart(event)) parked = [];
    reading.meanings[event.row] = NOTHING;
    if (event.step >= Step.Gap) continue;
    levels = new Levels(events, sites, reading, event.row, segments.length > 0, parked);
    const { first } = levels;
    segments.push({ firstRow: event.row, endRow: 0, first, last: first, open: [], stoppedAt: Number.NaN });
    reading.meanings[event.row] = levels.take(event) ?? NOTHING;
  }
  finish(events.length);
  return { segments, ...reading };
}
