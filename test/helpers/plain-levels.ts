/**
 * What addresses say about the stack, one event after the other: the lower half of the plain replay.
 *
 * A level is what one call instruction, signal or kernel entry put on the stack. `Levels` knows what each event does to
 * them, and can be copied: a reader in doubt takes a copy as scrap paper and reads on until the answer comes.
 */
import { BranchKind, siteOfRecord } from '../../src/model/branch-sites.js';
import type { InferenceName } from '../../src/model/quality.js';
import type { SymbolTable } from '../../src/model/symbol-table.js';
import type { ThreadEvents } from '../../src/model/thread-events.js';
import { LONGEST_CALL_BYTES, Trait } from '../../src/replay/functions.js';
import { type SiteFacts, Step, SYSCALL_BYTES } from '../../src/replay/site-facts.js';

export interface Fn {
  readonly name: string;
  readonly bareName: string;
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
  /** Said by perf itself; else a `Gap` is a branch that nothing certain can be read from. */
  readonly isError: boolean;
}

export function plainEvents(events: ThreadEvents, facts: SiteFacts, symbols: SymbolTable): PlainEvent[] {
  const { symbol, bareName, traits, stubTarget, nameless } = facts.functions;
  const functions = symbol.map((id, fn): Fn => {
    const is = (trait: number) => ((traits[fn] as number) & trait) !== 0;
    return { name: symbols.name[id] as string, bareName: bareName[fn] as string, is, leadsTo: null };
  });
  functions.forEach((fn, id) => {
    fn.leadsTo = functions[stubTarget[id] as number] ?? null;
  });
  return Array.from(events.site, (site, row) => ({
    row,
    timeNs: events.timeNs[row],
    step: facts.step[site] as Step,
    from: facts.from[site],
    to: facts.to[site],
    fromFn: functions[facts.fromFunction[site]] ?? null,
    toFn: (functions[facts.toFunction[site]] ?? functions[nameless]) as Fn,
    nameless: functions[nameless] as Fn,
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
  path: readonly string[];
  readonly entryNs: number;
  /** Why its start was not seen. */
  readonly why: InferenceName | null;
  /** Else it was jumped to, or found running. */
  isCalled: boolean;
  selfNs: number;
  /** Other symbols inside which its code was seen. */
  readonly alsoKnownAs: Fn[];
}

export interface Level {
  readonly begunBy: 'call' | 'kernel entry' | 'signal' | 'before the trace';
  /** Of the call instruction; of a signal or a kernel entry: where goes on what it interrupted. */
  readonly address: number;
  /** What was called; null: that was not seen. */
  readonly callee: Fn | null;
  /** That function, and those that it jumped to. */
  readonly frames: Frame[];
}

export function levelBefore(): Level {
  return { begunBy: 'before the trace', address: Number.NaN, callee: null, frames: [] };
}

/** What an event does to the levels; where there is a `place`, all from there upwards are over. */
export type Meaning =
  | { readonly is: 'nothing' | 'jump by return' | 'contradiction' }
  | { readonly is: 'push'; readonly level: Level }
  | { readonly is: 'pop' | 'end of handler'; readonly place: number };

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
  readonly list: Level[];
  /** Null while the trace runs. */
  stop: Stop | null = null;
  /** A signal handler has returned, and here goes on what the signal interrupted. */
  private interruptedAt: number | null = null;

  constructor(list: Level[]) {
    this.list = list;
  }

  /** A trace that begins with a start was stopped just there. */
  static before(first: PlainEvent): Levels {
    const levels = new Levels([]);
    if (first.step === Step.Start) levels.stop = { address: first.to, reach: 0, inCall: false, isDamaged: false };
    return levels;
  }

  copy(): Levels {
    return Object.assign(new Levels([...this.list]), { stop: this.stop, interruptedAt: this.interruptedAt });
  }

  /** Does to the levels what the event means; gives those that are over, lowest first. */
  take(event: PlainEvent): { readonly meaning: Meaning; readonly over: Level[] } {
    const meaning = this.meaningOf(event);
    const over = 'place' in meaning ? this.list.splice(meaning.place) : [];
    if (meaning.is === 'push') this.list.push(meaning.level);
    if (meaning.is === 'end of handler') this.interruptedAt = over[0]?.address ?? null;
    else if (isBranch(event) || (event.step === Step.Start && !this.goesOnAtStop(event.to))) this.interruptedAt = null;
    this.stop = this.stopBehind(event, meaning);
    return { meaning, over };
  }

  private stopBehind(event: PlainEvent, { is }: Meaning): Stop | null {
    const { step, from, to } = event;
    if (step === Step.Start) return null;
    if (step === Step.Gap && this.stop) return { ...this.stop, isDamaged: true };
    if (!isEnd(event)) return this.stop;
    const reach = step === Step.EndCall ? LONGEST_CALL_BYTES : SYSCALL_BYTES;
    const hasReturned = step === Step.EndReturn && to !== 0;
    return { address: hasReturned ? to : from, reach, inCall: is === 'push', isDamaged: false };
  }

  private meaningOf(event: PlainEvent): Meaning {
    const { step, from, to, toFn: callee } = event;
    if (isSwitch(event) || (step === Step.Gap && this.stop)) return { is: 'nothing' };
    if (step === Step.Gap || step === Step.Exec) return { is: 'contradiction' };
    if (step === Step.Start) return this.meaningOfStart(event);
    if (this.stop) return { is: 'contradiction' };
    if (step === Step.Call || (step === Step.EndCall && to !== 0))
      return { is: 'push', level: { begunBy: 'call', address: from, callee, frames: [] } };
    if (step === Step.KernelEntry)
      return { is: 'push', level: { begunBy: 'kernel entry', address: from, callee, frames: [] } };
    if (step === Step.Return) return this.meaningOfReturn(event);
    return step === Step.EndReturn ? this.meaningOfReturnOut(to) : { is: 'nothing' };
  }

  private meaningOfStart({ to, toEntry, toFn: callee }: PlainEvent): Meaning {
    const { stop, interruptedAt } = this;
    if (this.goesOnAtStop(to)) return stop?.inCall ? { is: 'pop', place: this.list.length - 1 } : { is: 'nothing' };
    if (interruptedAt !== null && isWithin(interruptedAt, to, SYSCALL_BYTES)) return { is: 'nothing' };
    const place = this.interruptedFor(to);
    if (place !== -1) return { is: 'pop', place };
    if (stop === null || stop.isDamaged || !toEntry) return { is: 'contradiction' };
    const address = interruptedAt ?? stop.address;
    return { is: 'push', level: { begunBy: 'signal', address, callee, frames: [] } };
  }

  private goesOnAtStop(to: number): boolean {
    return this.stop !== null && isWithin(this.stop.address, to, this.stop.reach);
  }

  private meaningOfReturn({ to, toEntry, fromFn }: PlainEvent): Meaning {
    const place = this.callerFor(to);
    if (place !== -1) return { is: 'pop', place };
    const signal = this.list.findLastIndex(isInterrupt);
    const isOfHandler = signal === this.list.length - 1 || this.list[signal]?.callee === fromFn;
    if (toEntry && this.list[signal]?.begunBy === 'signal' && isOfHandler) return { is: 'end of handler', place: signal };
    // A retpoline "returns" to where it was told to jump.
    return toEntry || fromFn?.is(Trait.Stub) ? { is: 'jump by return' } : { is: 'pop', place: this.lastBefore() };
  }

  /** Out of what is traced; the target may not be known. */
  private meaningOfReturnOut(to: number): Meaning {
    if (to === 0)
      return this.lastBefore() < this.list.length - 1 ? { is: 'pop', place: this.list.length - 1 } : { is: 'nothing' };
    const place = [this.callerFor(to), this.interruptedFor(to), this.lastBefore()].find((at) => at !== -1) as number;
    return { is: 'pop', place };
  }

  /** The nearest level whose return address can be `to`; -1 if there is none. */
  private callerFor(to: number): number {
    return this.list.findLastIndex(({ begunBy, address }) => {
      if (begunBy === 'kernel entry') return isWithin(address, to, LONGEST_CALL_BYTES);
      return begunBy === 'call' && to !== address && isWithin(address, to, LONGEST_CALL_BYTES);
    });
  }

  private interruptedFor(to: number): number {
    return this.list.findLastIndex((level) => isInterrupt(level) && isWithin(level.address, to, SYSCALL_BYTES));
  }

  private lastBefore(): number {
    return this.list.findLastIndex(({ begunBy }) => begunBy === 'before the trace');
  }
}

function isInterrupt({ begunBy }: Level): boolean {
  return begunBy === 'signal' || begunBy === 'kernel entry';
}

function isWithin(address: number, to: number, reach: number): boolean {
  return address <= to && to <= address + reach;
}
