/**
 * The events of a thread as the reference replay reads them.
 */
import type { SymbolTable } from '../../../src/model/symbol-table.js';
import { BranchKind, recordSite } from '../../../src/model/trace/branch-sites.js';
import type { ThreadEvents } from '../../../src/model/trace/thread-events.js';
import type { SymbolId } from '../../../src/model/units.js';
import { callsSwitcher, type SiteFacts, Step, SYSCALL_BYTES } from '../../../src/replay/functions/site-facts.js';
import { Trait } from '../../../src/replay/functions/traits.js';
import { columnsOf } from '../traces/thread-events.js';

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

/** A program begins here, whether an exec was recorded or not. */
export function isProgramStart({ step, toEntry, toFn }: ReferenceEvent): boolean {
  return step === Step.Start && toEntry && toFn.is(Trait.ProgramStart);
}

/** What runs after the event also ran before it. */
export function goesOn({ step }: ReferenceEvent): boolean {
  return step === Step.Stay || step === Step.End || step === Step.EndSyscall;
}
