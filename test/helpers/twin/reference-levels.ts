/**
 * What addresses show about the stack, event by event: the lower half of the reference replay.
 *
 * A level is what one call instruction, signal or kernel entry put on the stack. `Levels` applies each event to the
 * levels, and can be copied: where an event alone does not decide, the reference replay reads ahead on a copy.
 */

import type { InferenceName } from '../../../src/model/profile/profile.js';
import type { SymbolTable } from '../../../src/model/symbol-table.js';
import { BranchKind, recordSite } from '../../../src/model/trace/branch-sites.js';
import type { ThreadEvents } from '../../../src/model/trace/thread-events.js';
import type { SymbolId } from '../../../src/model/units.js';
import { type SiteFacts, Step, SYSCALL_BYTES } from '../../../src/replay/functions/site-facts.js';
import { MAX_CALL_BYTES, Trait } from '../../../src/replay/functions/traits.js';
import { columnsOf } from '../traces/thread-events.js';
import type { ReferenceCall } from './reference-calls.js';

export function symbolKey({ name }: SymbolTable, symbol: SymbolId): string {
  return `${name[symbol]}#${symbol}`;
}

export interface Fn {
  readonly name: string;
  /** Distinguishes it from others of its name. */
  readonly key: string;
  /** Equal for equal names, without the symbol version. */
  readonly bareName: number;
  readonly start: number;
  readonly is: (trait: number) => boolean;
  /** For `foo@plt`: foo, if it was seen. */
  leadsTo: Fn | null;
}

export interface ReferenceEvent {
  readonly row: number;
  readonly timeNs: number;
  readonly step: Step;
  readonly from: number;
  readonly to: number;
  readonly fromFn: Fn | null; // null: no address
  readonly toFn: Fn; // nameless: no address
  readonly nameless: Fn;
  readonly toEntry: boolean;
  /** If the trace starts there, in a function that begins. */
  readonly mayBegin: boolean;
  /** Reported by perf itself; otherwise a `Gap` is a branch that shows nothing certain. */
  readonly isError: boolean;
}

export function referenceEvents(events: ThreadEvents, facts: SiteFacts, symbols: SymbolTable): ReferenceEvent[] {
  const { symbol, bareName, start, traits, stubTarget, nameless } = facts.functions;
  const functions = Array.from(symbol, (id, fn): Fn => {
    const is = (trait: number) => (traits[fn] & trait) !== 0;
    const key = symbolKey(symbols, id);
    return { name: symbols.name[id], key, bareName: bareName[fn], start: start[fn], is, leadsTo: null };
  });
  functions.forEach((fn, id) => {
    fn.leadsTo = functions[stubTarget[id]] ?? null;
  });
  const { site: sites, timeNs } = columnsOf(events);
  return sites.map((site, row) => ({
    row,
    timeNs: timeNs[row] as number,
    step: facts.step[site] as Step,
    from: facts.from[site],
    to: facts.to[site],
    fromFn: functions[facts.fromFunction[site]] ?? null,
    toFn: functions[facts.toFunction[site]] ?? functions[nameless],
    nameless: functions[nameless],
    toEntry: facts.toEntry[site] === 1,
    mayBegin: facts.toEntry[site] === 1 || isPlaceWithoutStop(facts, facts.to[site], functions[facts.toFunction[site]]),
    isError: site === recordSite(BranchKind.Gap),
  }));
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
const isBranch = (event: ReferenceEvent) => event.step < Step.Gap && event.step !== Step.Start && !isEnd(event);

export interface Frame {
  fn: Fn;
  /** The names of the frames below it. */
  readonly below: string;
  /** After a hidden jump: when the first event came from it. */
  firstSeenNs: number | null;
  /** Why its start was not seen. */
  readonly why: InferenceName | null;
  /** It was called, as opposed to jumped to or found running. */
  isCalled: boolean;
  /** No address shows whether control went there. */
  isAfterHiddenJump: boolean;
  selfNs: number;
  inferredNs: number;
  /** Other symbols whose code was seen to be part of it. */
  readonly alsoKnownAs: Fn[];
  readonly call: ReferenceCall;
}

export interface Level {
  readonly begunBy: 'call' | 'kernel entry' | 'signal' | 'before the trace';
  /** Address of the call instruction; for a signal or kernel entry, where the interrupted code continues. */
  readonly address: number;
  /** The called function and its caller; null: that was not seen. */
  readonly callee: Fn | null;
  readonly caller: Fn | null;
  /** Address of the instruction that called it; NaN: that was not seen. */
  readonly calledFrom: number;
  /** The return that ends the level below it ends it, too. */
  readonly goesWithBelow: boolean;
  /** The called function, and those it jumped to. */
  readonly frames: Frame[];
  /** The calls that were made from it, as far as the events were read. */
  readonly made: Level[];
}

const isInterrupt = ({ begunBy }: Level) => begunBy === 'signal' || begunBy === 'kernel entry';
const isWithin = (address: number, to: number, reach: number) => address <= to && to <= address + reach;

interface Meaning {
  readonly is: 'push' | 'pop' | 'end of handler' | 'jump by return' | 'nothing' | 'contradiction';
  /** All levels from here upwards are over. */
  readonly index?: number;
  readonly pushed?: Level;
}

interface Stop {
  readonly address: number;
  /** Number of bytes after its address at which the trace may continue. */
  readonly reach: number;
  /** In untraced code that was called from there. */
  readonly inCall: boolean;
  /** perf has lost something since. */
  readonly isDamaged: boolean;
}

export class Levels {
  readonly list: Level[] = [];
  /** Null while the trace runs. */
  stop: Stop | null = null;
  /** After the return of a signal handler: where the interrupted code continues. */
  private interruptedAt: number | null = null;
  /** Likewise, until the kernel goes there. */
  private handlerInterruptedAt: number | null = null;

  /** A trace that begins with a start was stopped right there. */
  static before(first: ReferenceEvent): Levels {
    const stop = { address: first.to, reach: 0, inCall: false, isDamaged: false };
    return Object.assign(new Levels(), { stop: first.step === Step.Start ? stop : null });
  }

  copy(): Levels {
    return Object.assign(new Levels(), this, { list: [...this.list] });
  }

  pushUnknown(goesWithBelow = false): void {
    const unseen = { address: Number.NaN, callee: null, caller: null, calledFrom: Number.NaN };
    this.list.push({ begunBy: 'before the trace', ...unseen, goesWithBelow, frames: [], made: [] });
  }

  /** Applies an event to the levels; returns those that are over, lowest first. */
  take(event: ReferenceEvent): { readonly is: Meaning['is']; readonly over: Level[] } {
    const { is, index, pushed } = this.meaningOf(event);
    const over = index === undefined ? [] : this.list.splice(index);
    if (pushed) this.list.push(pushed);
    if (is === 'end of handler') this.interruptedAt = this.handlerInterruptedAt = over[0]?.address ?? null;
    else if (isBranch(event) || (event.step === Step.Start && !this.resumesAtStop(event))) this.interruptedAt = null;
    if (event.step === Step.KernelExit && event.to >= 0) this.handlerInterruptedAt = null;
    this.stop = this.stopAfter(event, pushed !== undefined);
    return { is, over };
  }

  private stopAfter(event: ReferenceEvent, inCall: boolean): Stop | null {
    const { step, from, to } = event;
    if (step === Step.Start) return null;
    if (step === Step.Gap && this.stop) return { ...this.stop, isDamaged: true };
    if (!isEnd(event)) return this.stop;
    const reach = step === Step.EndCall ? MAX_CALL_BYTES : SYSCALL_BYTES;
    return { address: step === Step.EndReturn && to !== 0 ? to : from, reach, inCall, isDamaged: false };
  }

  private meaningOf(event: ReferenceEvent): Meaning {
    const { step, from, to } = event;
    if (isSwitch(event) || (step === Step.Gap && this.stop)) return { is: 'nothing' };
    if (step === Step.Gap || step === Step.Exec) return { is: 'contradiction' };
    if (step === Step.Start) return this.meaningOfStart(event);
    if (this.stop) return { is: 'contradiction' };
    if (step === Step.Call || (step === Step.EndCall && to !== 0)) return push('call', from, event);
    if (step === Step.KernelEntry) return push('kernel entry', from, event);
    if (step === Step.Return) return this.meaningOfReturn(event);
    if (step === Step.KernelExit) return this.meaningOfExit(event);
    return step === Step.EndReturn ? this.meaningOfReturnOut(event) : { is: 'nothing' };
  }

  /** The kernel goes back to what it interrupted, or to a signal handler. */
  private meaningOfExit(event: ReferenceEvent): Meaning {
    const { list, handlerInterruptedAt } = this;
    const { to, toEntry, toFn } = event;
    if (to < 0) {
      const index = this.interruptedFor(to);
      return index === -1 ? this.meaningOfReturn(event) : { is: 'pop', index };
    }
    const index = list.findLastIndex(({ begunBy, calledFrom }) => begunBy === 'kernel entry' && calledFrom >= 0);
    const entry = list[index];
    if (entry === undefined) return { is: 'pop', index: this.lastUnseen() };
    if (isWithin(entry.address, to, SYSCALL_BYTES)) return { is: 'pop', index };
    if (handlerInterruptedAt !== null && isWithin(handlerInterruptedAt, to, SYSCALL_BYTES)) return { is: 'pop', index };
    const isResumed = (level: Level) => level.begunBy === 'signal' && isWithin(level.address, to, SYSCALL_BYTES);
    const handler = list.findLastIndex(isResumed);
    if (handler !== -1) return { is: 'pop', index: handler };
    if (!toEntry && !toFn.is(Trait.Unknown)) return { is: 'pop', index };
    return { ...push('signal', handlerInterruptedAt ?? entry.address, event), index };
  }

  private meaningOfStart(event: ReferenceEvent): Meaning {
    const { stop, interruptedAt, list } = this;
    const { to, mayBegin } = event;
    if (this.resumesAtStop(event)) return stop?.inCall ? { is: 'pop', index: list.length - 1 } : { is: 'nothing' };
    if (interruptedAt !== null && isWithin(interruptedAt, to, SYSCALL_BYTES)) return { is: 'nothing' };
    const index = this.interruptedFor(to);
    if (index !== -1) return { is: 'pop', index };
    if (stop === null || stop.isDamaged || !mayBegin) return { is: 'contradiction' };
    return push('signal', interruptedAt ?? stop.address, event);
  }

  private resumesAtStop({ to }: ReferenceEvent): boolean {
    return this.stop !== null && isWithin(this.stop.address, to, this.stop.reach);
  }

  private meaningOfReturn({ to, toEntry, fromFn, toFn }: ReferenceEvent): Meaning {
    const { list } = this;
    const index = this.callerFor(to);
    if (index !== -1) return { is: 'pop', index };
    if (toFn.is(Trait.TaskStart)) return { is: 'pop', index: this.lastUnseen() };
    const interrupt = list.findLastIndex(isInterrupt);
    const isOfHandler = interrupt === list.length - 1 || list[interrupt]?.callee === fromFn;
    const isRetpoline = fromFn?.is(Trait.Retpoline) === true; // it "returns" to the target of its jump
    if (toEntry && !isRetpoline && list[interrupt]?.begunBy === 'signal' && isOfHandler)
      return { is: 'end of handler', index: interrupt };
    return toEntry || isRetpoline ? { is: 'jump by return' } : { is: 'pop', index: this.lastUnseen() };
  }

  /** A return out of traced code; the target may be unknown. */
  private meaningOfReturnOut({ to }: ReferenceEvent): Meaning {
    const top = this.list.length - 1;
    if (to === 0) return this.list[top]?.begunBy === 'before the trace' ? { is: 'nothing' } : { is: 'pop', index: top };
    return {
      is: 'pop',
      index: [this.callerFor(to), this.interruptedFor(to)].find((at) => at !== -1) ?? this.lastUnseen(),
    };
  }

  /** Returns the nearest level whose return address can be `to`; -1 if there is none. */
  private callerFor(to: number): number {
    return this.list.findLastIndex(({ begunBy, address }) => {
      const isCaller = begunBy === 'kernel entry' || (begunBy === 'call' && to !== address);
      return isCaller && isWithin(address, to, MAX_CALL_BYTES);
    });
  }

  private interruptedFor(to: number): number {
    return this.list.findLastIndex((level) => isInterrupt(level) && isWithin(level.address, to, SYSCALL_BYTES));
  }

  private lastUnseen(): number {
    return this.list.findLastIndex(({ begunBy, goesWithBelow }) => begunBy === 'before the trace' && !goesWithBelow);
  }
}

function push(begunBy: Level['begunBy'], address: number, { toFn, fromFn, from }: ReferenceEvent): Meaning {
  const call = { begunBy, address, callee: toFn, caller: fromFn, calledFrom: from };
  return { is: 'push', pushed: { ...call, goesWithBelow: false, frames: [], made: [] } };
}
