/**
 * What addresses say about the stack, one event after the other: the lower half of the plain replay.
 *
 * A level is what one call instruction, signal or kernel entry put on the stack. `Levels` does to them what each event
 * means, and can be copied: a reader in doubt takes a copy as scrap paper and reads on until the answer comes.
 */

import type { SymbolTable } from '../../../src/model/names/symbol-table.js';
import type { InferenceName } from '../../../src/model/profile/quality.js';
import { BranchKind, siteOfRecord } from '../../../src/model/trace/branch-sites.js';
import type { ThreadEvents } from '../../../src/model/trace/thread-events.js';
import type { SymbolId } from '../../../src/model/units.js';
import { type SiteFacts, Step, SYSCALL_BYTES } from '../../../src/replay/functions/site-facts.js';
import { MAX_CALL_BYTES, Trait } from '../../../src/replay/functions/traits.js';
import type { PlainCall } from './plain-calls.js';

export function symbolKey({ name }: SymbolTable, symbol: SymbolId): string {
  return `${name[symbol]}#${symbol}`;
}

export interface Fn {
  readonly name: string;
  /** Tells it from others of its name. */
  readonly key: string;
  /** Equal where the names are, but for a symbol version. */
  readonly bareName: number;
  readonly is: (trait: number) => boolean;
  /** For `foo@plt`: foo, if it was seen. */
  leadsTo: Fn | null;
}

export interface PlainEvent {
  readonly row: number;
  readonly timeNs: number;
  readonly step: Step;
  readonly from: number;
  readonly to: number;
  readonly fromFn: Fn | null; // null: no address
  readonly toFn: Fn; // nameless: no address
  readonly nameless: Fn;
  readonly toEntry: boolean;
  /** Said by perf itself; else a `Gap` is a branch from which nothing certain can be read. */
  readonly isError: boolean;
}

export function plainEvents(events: ThreadEvents, facts: SiteFacts, symbols: SymbolTable): PlainEvent[] {
  const { symbol, bareName, traits, stubTarget, nameless } = facts.functions;
  const functions = Array.from(symbol, (id, fn): Fn => {
    const is = (trait: number) => (traits[fn] & trait) !== 0;
    return { name: symbols.name[id], key: symbolKey(symbols, id), bareName: bareName[fn], is, leadsTo: null };
  });
  functions.forEach((fn, id) => {
    fn.leadsTo = functions[stubTarget[id]] ?? null;
  });
  return Array.from(events.site, (site, row) => ({
    row,
    timeNs: events.timeNs[row],
    step: facts.step[site] as Step,
    from: facts.from[site],
    to: facts.to[site],
    fromFn: functions[facts.fromFunction[site]] ?? null,
    toFn: functions[facts.toFunction[site]] ?? functions[nameless],
    nameless: functions[nameless],
    toEntry: facts.toEntry[site] === 1,
    isError: site === siteOfRecord(BranchKind.Gap),
  }));
}

export const isSwitch = ({ step }: PlainEvent) =>
  step === Step.SwitchOut || step === Step.PreemptOut || step === Step.SwitchIn;
export const isEnd = ({ step }: PlainEvent) =>
  step === Step.End || step === Step.EndSyscall || step === Step.EndCall || step === Step.EndReturn;
const isBranch = (event: PlainEvent) => event.step < Step.Gap && event.step !== Step.Start && !isEnd(event);

export interface Frame {
  fn: Fn;
  /** The names of the frames below it. */
  readonly below: string;
  /** Of one that was jumped to unseen: when an event came from it. */
  firstSeenNs: number | null;
  /** Why its start was not seen. */
  readonly why: InferenceName | null;
  /** Else it was jumped to, or found running. */
  isCalled: boolean;
  /** No address tells whether control went there. */
  isDoubtful: boolean;
  selfNs: number;
  inferredNs: number;
  /** Other symbols inside which its code was seen. */
  readonly alsoKnownAs: Fn[];
  readonly call: PlainCall;
}

export interface Level {
  readonly begunBy: 'call' | 'kernel entry' | 'signal' | 'before the trace';
  /** Of the call instruction; of a signal or kernel entry: where goes on what it interrupted. */
  readonly address: number;
  /** What was called, and by what; null: that was not seen. */
  readonly callee: Fn | null;
  readonly caller: Fn | null;
  /** By which instruction; NaN: that was not seen. */
  readonly calledFrom: number;
  /** The return that leaves the level below it leaves it, too. */
  readonly goesWithBelow: boolean;
  /** That function, and those that it jumped to. */
  readonly frames: Frame[];
  /** The calls that were made from it, as far as was read. */
  readonly made: Level[];
}

const isInterrupt = ({ begunBy }: Level) => begunBy === 'signal' || begunBy === 'kernel entry';
const isWithin = (address: number, to: number, reach: number) => address <= to && to <= address + reach;

interface Meaning {
  readonly is: 'push' | 'pop' | 'end of handler' | 'jump by return' | 'nothing' | 'contradiction';
  /** All levels from here upwards are over. */
  readonly place?: number;
  readonly pushed?: Level;
}

interface Stop {
  readonly address: number;
  /** How far behind its address the trace may go on. */
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
  /** A signal handler has returned, and here goes on what the signal interrupted. */
  private interruptedAt: number | null = null;

  /** A trace that begins with a start was stopped just there. */
  static before(first: PlainEvent): Levels {
    const stop = { address: first.to, reach: 0, inCall: false, isDamaged: false };
    return Object.assign(new Levels(), { stop: first.step === Step.Start ? stop : null });
  }

  copy(): Levels {
    return Object.assign(new Levels(), this, { list: [...this.list] });
  }

  pushUnseen(goesWithBelow = false): void {
    const unseen = { address: Number.NaN, callee: null, caller: null, calledFrom: Number.NaN };
    this.list.push({ begunBy: 'before the trace', ...unseen, goesWithBelow, frames: [], made: [] });
  }

  /** Does to the levels what the event means; gives those that are over, lowest first. */
  take(event: PlainEvent): { readonly is: Meaning['is']; readonly over: Level[] } {
    const { is, place, pushed } = this.meaningOf(event);
    const over = place === undefined ? [] : this.list.splice(place);
    if (pushed) this.list.push(pushed);
    if (is === 'end of handler') this.interruptedAt = over[0]?.address ?? null;
    else if (isBranch(event) || (event.step === Step.Start && !this.goesOnAtStop(event))) this.interruptedAt = null;
    this.stop = this.stopBehind(event, pushed !== undefined);
    return { is, over };
  }

  private stopBehind(event: PlainEvent, inCall: boolean): Stop | null {
    const { step, from, to } = event;
    if (step === Step.Start) return null;
    if (step === Step.Gap && this.stop) return { ...this.stop, isDamaged: true };
    if (!isEnd(event)) return this.stop;
    const reach = step === Step.EndCall ? MAX_CALL_BYTES : SYSCALL_BYTES;
    return { address: step === Step.EndReturn && to !== 0 ? to : from, reach, inCall, isDamaged: false };
  }

  private meaningOf(event: PlainEvent): Meaning {
    const { step, from, to } = event;
    if (isSwitch(event) || (step === Step.Gap && this.stop)) return { is: 'nothing' };
    if (step === Step.Gap || step === Step.Exec) return { is: 'contradiction' };
    if (step === Step.Start) return this.meaningOfStart(event);
    if (this.stop) return { is: 'contradiction' };
    if (step === Step.Call || (step === Step.EndCall && to !== 0)) return push('call', from, event);
    if (step === Step.KernelEntry) return push('kernel entry', from, event);
    if (step === Step.Return) return this.meaningOfReturn(event);
    return step === Step.EndReturn ? this.meaningOfReturnOut(event) : { is: 'nothing' };
  }

  private meaningOfStart(event: PlainEvent): Meaning {
    const { stop, interruptedAt, list } = this;
    const { to, toEntry } = event;
    if (this.goesOnAtStop(event)) return stop?.inCall ? { is: 'pop', place: list.length - 1 } : { is: 'nothing' };
    if (interruptedAt !== null && isWithin(interruptedAt, to, SYSCALL_BYTES)) return { is: 'nothing' };
    const place = this.interruptedFor(to);
    if (place !== -1) return { is: 'pop', place };
    if (stop === null || stop.isDamaged || !toEntry) return { is: 'contradiction' };
    return push('signal', interruptedAt ?? stop.address, event);
  }

  private goesOnAtStop({ to }: PlainEvent): boolean {
    return this.stop !== null && isWithin(this.stop.address, to, this.stop.reach);
  }

  private meaningOfReturn({ to, toEntry, fromFn }: PlainEvent): Meaning {
    const { list } = this;
    const place = this.callerFor(to);
    if (place !== -1) return { is: 'pop', place };
    const interrupt = list.findLastIndex(isInterrupt);
    const isOfHandler = interrupt === list.length - 1 || list[interrupt]?.callee === fromFn;
    const isRetpoline = fromFn?.is(Trait.Retpoline) === true; // it "returns" to where it was told to jump
    if (toEntry && !isRetpoline && list[interrupt]?.begunBy === 'signal' && isOfHandler)
      return { is: 'end of handler', place: interrupt };
    return toEntry || isRetpoline ? { is: 'jump by return' } : { is: 'pop', place: this.lastUnseen() };
  }

  /** Out of what is traced; the target may not be known. */
  private meaningOfReturnOut({ to }: PlainEvent): Meaning {
    const top = this.list.length - 1;
    if (to === 0) return this.list[top]?.begunBy === 'before the trace' ? { is: 'nothing' } : { is: 'pop', place: top };
    return {
      is: 'pop',
      place: [this.callerFor(to), this.interruptedFor(to)].find((at) => at !== -1) ?? this.lastUnseen(),
    };
  }

  /** The nearest level whose return address can be `to`; -1 if there is none. */
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

function push(begunBy: Level['begunBy'], address: number, { toFn, fromFn, from }: PlainEvent): Meaning {
  const call = { begunBy, address, callee: toFn, caller: fromFn, calledFrom: from };
  return { is: 'push', pushed: { ...call, goesWithBelow: false, frames: [], made: [] } };
}
