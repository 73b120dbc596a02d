/**
 * The first reading of the reference replay: what each event does to the calls of all stacks of a thread, by addresses
 * alone.
 *
 * A level is what one call instruction, signal or kernel entry put on a stack. One stack runs, the others are parked.
 * Everything is searched for in lists, from the end to the start, and where an event alone does not decide, the events
 * after it are read. What is found is written down by row, and on each level how it ends: the second reading
 * (`reference-replay.ts`) looks there instead of reading ahead.
 */

import type { Doubt } from '../../../src/model/calls/doubts.js';
import type { InferenceName } from '../../../src/model/profile/profile.js';
import type { SymbolTable } from '../../../src/model/symbol-table.js';
import { BranchKind, recordSite } from '../../../src/model/trace/branch-sites.js';
import type { ThreadEvents } from '../../../src/model/trace/thread-events.js';
import type { SymbolId } from '../../../src/model/units.js';
import { callsSwitcher, type SiteFacts, Step, SYSCALL_BYTES } from '../../../src/replay/functions/site-facts.js';
import { MAX_CALL_BYTES, Trait } from '../../../src/replay/functions/traits.js';
import { columnsOf } from '../traces/thread-events.js';
import type { ReferenceCall } from './reference-calls.js';
import { followLongJump, followSwitch, goesOn, landLongJump, leavesStack, switchBy } from './reference-switches.js';
import { stepsOf } from './reference-unwinding.js';

export function symbolKey({ name }: SymbolTable, symbol: SymbolId): string {
  return `${name[symbol]}#${symbol}`;
}

export interface Fn {
  readonly name: string;
  /** Distinguishes it from others of its name. */
  readonly key: string;
  readonly symbol: SymbolId;
  /** Equal for equal names, without the symbol version. */
  readonly bareName: number;
  readonly start: number;
  readonly is: (trait: number) => boolean;
  /** For `foo@plt`: foo, if it was seen. */
  leadsTo: Fn | null;
}

/** What an event means apart from its thread: where it comes from and goes to. */
export interface ReferenceSite {
  readonly step: Step;
  readonly from: number;
  readonly to: number;
  readonly fromFn: Fn | null; // null: no address
  readonly toFn: Fn; // nameless: no address
  readonly nameless: Fn;
  readonly toEntry: boolean;
  /** It calls a function that switches stacks, as far as that is known. */
  readonly callsSwitcher: boolean;
  /** If the trace starts there, in a function that begins. */
  readonly mayBegin: boolean;
  /** Reported by perf itself; otherwise a `Gap` is a branch that shows nothing certain. */
  readonly isError: boolean;
}

export interface ReferenceEvent extends ReferenceSite {
  readonly row: number;
  readonly timeNs: number;
}

export function referenceEvents(
  events: ThreadEvents,
  facts: SiteFacts,
  symbols: SymbolTable,
): { readonly events: ReferenceEvent[]; readonly sites: ReferenceSite[] } {
  const { symbol, bareName, start, traits, stubTarget, nameless } = facts.functions;
  const functions = Array.from(symbol, (id, fn): Fn => {
    const is = (trait: number) => (traits[fn] & trait) !== 0;
    const key = symbolKey(symbols, id);
    return { name: symbols.name[id], key, symbol: id, bareName: bareName[fn], start: start[fn], is, leadsTo: null };
  });
  functions.forEach((fn, id) => {
    fn.leadsTo = functions[stubTarget[id]] ?? null;
  });
  const sites = Array.from(facts.step, (step, site) => ({
    step: step as Step,
    from: facts.from[site],
    to: facts.to[site],
    fromFn: functions[facts.fromFunction[site]] ?? null,
    toFn: functions[facts.toFunction[site]] ?? functions[nameless],
    nameless: functions[nameless],
    toEntry: facts.toEntry[site] === 1,
    callsSwitcher: callsSwitcher(facts, site),
    mayBegin: facts.toEntry[site] === 1 || isPlaceWithoutStop(facts, facts.to[site], functions[facts.toFunction[site]]),
    isError: site === recordSite(BranchKind.Gap),
  }));
  const { site: own, timeNs } = columnsOf(events);
  return { sites, events: own.map((site, row) => ({ ...sites[site], row, timeNs: timeNs[row] as number })) };
}

/** True for an address without a name at which the trace never stops: where it starts there, a function begins. */
function isPlaceWithoutStop({ step, from }: SiteFacts, address: number, fn: Fn | undefined): boolean {
  if (!fn?.is(Trait.Unknown)) return false;
  const isStop = (site: number) => step[site] >= Step.End && step[site] < Step.Gap;
  return !from.some((stop, site) => isStop(site) && (stop === address || stop === address - SYSCALL_BYTES));
}

export const isSwitch = ({ step }: ReferenceEvent) =>
  step === Step.SwitchOut || step === Step.PreemptOut || step === Step.SwitchIn;
export const isEnd = ({ step }: ReferenceEvent) =>
  step === Step.End || step === Step.EndSyscall || step === Step.EndCall || step === Step.EndReturn;

export interface Frame {
  fn: Fn;
  /** The names of the frames below it. */
  below: string;
  /** After a hidden jump: when the first event came from it. */
  firstSeenNs: number | null;
  /** Trace data was lost at that time, and no address confirmed it since; else Infinity. */
  knownUntilNs: number;
  /** Why its start was not seen. */
  why: InferenceName | null;
  /** It was called, as opposed to jumped to or found running. */
  isCalled: boolean;
  /** Why it may not be there, or not on these frames. */
  readonly doubts: Set<Doubt>;
  /** Time in a stub, until it is known where that leads. */
  heldNs: number;
  /** Other symbols whose code was seen to be part of it. */
  readonly alsoKnownAs: Fn[];
  readonly call: ReferenceCall;
}

export interface Level {
  readonly begunBy: 'call' | 'kernel entry' | 'signal' | 'before the trace';
  /** A signal that interrupted untraced code: no traced frame is below it. */
  readonly isFromOutside: boolean;
  /** Of the event that began it; NaN: that was not seen. */
  readonly row: number;
  /** Address of the call instruction; for a signal or kernel entry, where the interrupted code continues. */
  readonly address: number;
  /** The called function and its caller; null: that was not seen. */
  readonly callee: Fn | null;
  readonly caller: Fn | null;
  /** Address of the instruction that called it; NaN: that was not seen. */
  readonly calledFrom: number;
  /** The calls that were made from it. */
  readonly made: Level[];
  /** null: that is not seen. */
  end: LevelEnd | null;
  /** An exception has left it for good: no return ends it. */
  isLeft: boolean;
  /** The called function, and those it jumped to. */
  readonly frames: Frame[];
}

/** How a level ends. */
export interface LevelEnd {
  readonly row: number;
  /**
   * The level that returns: `itself` also if the thread goes on with its stack elsewhere; `unseen`: one that was open
   * before its stack was first seen.
   */
  readonly by: Level | 'itself' | 'unseen';
  /** What is on top of that, lowest first. */
  readonly skipped: readonly Level[];
  /** An event shows it. */
  readonly isSeen: boolean;
}

export interface Stack {
  /** Rows of the returns from levels that were open when it was first seen, in order. */
  readonly unmatched: number[];
  /** It was seen to begin: nothing is below. */
  readonly isWhole: boolean;
  /** It may be the upper part of a stack that is known otherwise. */
  readonly isGuess: boolean;
  /** The call that the stack before it waits at, if others are above: a longjmp. */
  readonly waitsAt: Level | null;
}

/** A stack that waits at its last call. */
export interface Parked {
  readonly stack: Stack;
  readonly calls: readonly Level[];
}

/** How a thread goes on with a stack. */
export interface Resumed {
  /** The call that it waited at. */
  readonly left: Level;
  /** The call that is over now, as those above it are. */
  readonly call: Level;
  /** That call is not over: a function runs on top of it. */
  readonly isJump: boolean;
  readonly isGuess: boolean;
  /** In that case: the lowest call whose return does not tell this stack from others. */
  readonly unsure: Level | null;
  /** The call that the stack before it waits at, if others are above: a longjmp. */
  readonly waitsAt: Level | null;
}

/** A switch between two events. */
export type HiddenSwitch =
  | { readonly is: 'new stack'; readonly stack: Stack }
  | { readonly is: 'resumed'; readonly resumed: Resumed }
  /** Back to a level of the same stack, as it seemed: what is above, up to the call `left`, is a stack of its own. */
  | { readonly is: 'back'; readonly to: Level; readonly left: Level };

/** What an event does to the calls. */
export type Meaning = (
  | { readonly is: 'nothing' | 'resume' | 'jump' | 'jump by return' }
  | { readonly is: 'push'; readonly level: Level }
  | { readonly is: 'pop'; readonly level: Level; readonly split?: Level }
  | { readonly is: 'end of handler'; readonly level: Level }
  /** From a call that was not seen, to a level that stays. */
  | { readonly is: 'return to'; readonly level: Level }
  /** From a level that was open before its stack was first seen. */
  | { readonly is: 'unmatched'; readonly skipped: readonly Level[] }
  | { readonly is: 'resumed'; readonly resumed: Resumed }
  | { readonly is: 'new stack'; readonly stack: Stack; readonly isFromOutside?: boolean }
) & {
  /** No rule explains it: what runs next may be on another stack. */
  readonly isDoubtful?: boolean;
};

export const NOTHING: Meaning = { is: 'nothing' };

/** The events between two losses. */
export interface Segment {
  readonly firstRow: number;
  /** The row after the last one. */
  endRow: number;
  readonly first: Stack;
  /** The stack that runs at the end, and its open calls. */
  last: Stack;
  open: readonly Level[];
  /** Where the trace is stopped at the end; NaN: it runs. */
  stoppedAt: number;
}

export interface FirstReading {
  readonly segments: readonly Segment[];
  /** By row. */
  readonly meanings: readonly Meaning[];
  /** By the row of the first event after the switch. */
  readonly hidden: ReadonlyMap<number, HiddenSwitch>;
  /** The calls at which stacks are left that go on later. */
  readonly left: ReadonlySet<Level>;
}

const isInterrupt = ({ begunBy }: Level) => begunBy === 'signal' || begunBy === 'kernel entry';
export const isWithin = (address: number, to: number, reach: number) => address <= to && to <= address + reach;

/** A return to here ends a signal: the code there is not what was interrupted. */
export const SIGNAL_END = Number.NaN;

/** True if a return to an address ends the level. A kernel entry may return to the very instruction. */
export function endsAt({ begunBy, address }: Pick<Level, 'begunBy' | 'address'>, to: number): boolean {
  if (begunBy === 'signal') return Number.isNaN(to);
  return isWithin(address, to, MAX_CALL_BYTES) && (begunBy === 'kernel entry' || to !== address);
}

/** Deeper calls are not searched for those that are near. */
export const MAX_NEAR = 64;
/** A return that nothing explains parks at most so many calls. */
const MAX_SPLIT = 512;

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
export class Levels {
  /** Of the stack that runs; lowest first. */
  calls: Level[] = [];
  running: Stack = newStack();
  readonly first = this.running;
  /** In the order in which they were parked. */
  parked: Parked[];
  /** The last call that was made to switch stacks, until it is known what ran next. */
  switching: Level | null = null;
  /** The lowest call to a longjmp, until it is known where that landed. */
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
    readonly reading: { meanings: Meaning[]; hidden: Map<number, HiddenSwitch>; left: Set<Level> },
    readonly firstRow: number,
    readonly hasLosses: boolean,
    parked: readonly Parked[],
  ) {
    this.parked = [...parked];
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
    const level: Level = { ...call, made: [], end: null, isLeft: false, frames: [] };
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
      this.parked.push({ stack: newStack(), calls: above });
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

export const isSignal = ({ begunBy }: Level) => begunBy === 'signal';
const isTraceStart = ({ step }: ReferenceEvent) => step === Step.Start;

/** True if the level explains that calls end without a return. */
function mayLeave({ begunBy, callee }: Level): boolean {
  return begunBy !== 'call' || callee?.is(Trait.Unwinder | Trait.StackSwitcher | Trait.Panic) === true;
}

export function newStack(rest: Partial<Stack> = {}): Stack {
  return { unmatched: [], isWhole: false, isGuess: false, waitsAt: null, ...rest };
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

/** A program begins here, whether an exec was recorded or not. */
export function isProgramStart({ step, toEntry, toFn }: ReferenceEvent): boolean {
  return step === Step.Start && toEntry && toFn.is(Trait.ProgramStart);
}
