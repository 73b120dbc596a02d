/**
 * Names system calls of programs whose kernel is not traced: with samples of raw_syscalls:sys_enter, a call of `[read]`
 * lasts from the instruction at which the trace stops until it restarts behind it, and the stop is in that call.
 */
import { countBelow } from '../model/columns.js';
import type { SampleTable } from '../model/sample-table.js';
import { SymbolKind, type SymbolTable } from '../model/symbol-table.js';
import { BranchKind, type BranchSites, TraceEdge } from '../model/trace/branch-sites.js';
import type { ThreadEvents } from '../model/trace/thread-events.js';
import { type Nanoseconds, NONE, type SiteId } from '../model/units.js';
import { type SiteFacts, Step, SYSCALL_BYTES } from './functions/site-facts.js';
import { longer, type ValuesOfThreads, valuesByThread, valuesOfThread } from './probe-sites.js';
import { systemCallName } from './system-call-names.js';

/** Plain data. */
export interface SystemCalls {
  /** Which thread made which system call when. */
  readonly made: ValuesOfThreads;
  /** By site at which the trace stops in a system call: the site of the stop in that with `numbers[0]`; else NONE. */
  readonly named: Int32Array;
  /** Ascending; each has a name. */
  readonly numbers: Float64Array;
}

const EVENT = 'raw_syscalls:sys_enter';

/** Returns null if no system call can be named. */
export function systemCalls(sites: BranchSites, samples: readonly SampleTable[]): SystemCalls | null {
  const tables = samples.filter(({ event }) => event === EVENT);
  const made = valuesByThread(tables, 'id');
  if (made === null) return null;
  const hasName = (number: number) => systemCallName(number) !== undefined;
  const numbers = new Float64Array(new Set(made.value)).filter(hasName).sort();
  const named = new Int32Array(sites.length).fill(NONE);
  let next = sites.length;
  for (let site = 0; site < sites.length; site++) {
    if (sites.kind[site] !== BranchKind.Syscall || sites.edge[site] !== TraceEdge.End) continue;
    named[site] = next;
    next += numbers.length;
  }
  return next === sites.length ? null : { made, named, numbers };
}

/** How many sites `withSystemCalls` adds. */
export function addedSites({ named, numbers }: SystemCalls): number {
  return numbers.length * named.reduce((count, site) => count + (site === NONE ? 0 : 1), 0);
}

/** Functions are where no program has code: the kernel maps nothing below 64 KiB. */
const FUNCTION_BYTES = 16;

/** Returns sites and symbols followed by those of system calls. */
export function withSystemCalls(
  sites: BranchSites,
  symbols: SymbolTable,
  { named, numbers }: SystemCalls,
): { sites: BranchSites; symbols: SymbolTable } {
  const all = [...named.keys()].filter((site) => named[site] !== NONE);
  const stops = all.flatMap((stop) => new Array<SiteId>(numbers.length).fill(stop)); // by new site
  const rows = all.flatMap(() => [...numbers.keys()]);
  const starts = rows.map((row) => FUNCTION_BYTES * (numbers[row] + 1));
  const each = <T>(value: T) => new Array<T>(stops.length).fill(value);
  const atStop = (column: Int32Array | Float64Array) => stops.map((stop) => column[stop]);
  const newSymbols = rows.map((row) => symbols.length + row);
  const names = Array.from(numbers, (number) => `[${systemCallName(number)}]`);
  return {
    sites: {
      length: sites.length + stops.length,
      kind: longer(sites.kind, each(BranchKind.Call)),
      edge: longer(sites.edge, each(TraceEdge.End)),
      fromSymbol: longer(sites.fromSymbol, atStop(sites.fromSymbol)),
      toSymbol: longer(sites.toSymbol, newSymbols),
      from: longer(sites.from, atStop(sites.from)),
      to: longer(sites.to, starts),
      fromStart: longer(sites.fromStart, atStop(sites.fromStart)),
      toStart: longer(sites.toStart, starts),
    },
    symbols: {
      ...symbols,
      length: symbols.length + names.length,
      name: [...symbols.name, ...names],
      kind: [...symbols.kind, ...names.map(() => SymbolKind.Function)],
      dso: [...symbols.dso, ...names.map(() => NONE)],
    },
  };
}

/** A sample may seem to come so much before the instruction, whose time is known only from packets around it. */
const SLACK_NS: Nanoseconds = 1000;

/** Names the stops of a thread in place: those after which the program goes on behind the instruction. */
export function nameSystemCalls({ made, named, numbers }: SystemCalls, facts: SiteFacts, events: ThreadEvents): void {
  const { timeNs, value } = valuesOfThread(made, events.tid);
  let stop = NONE;
  for (let row = 0; row < events.length && timeNs.length > 0; row++) {
    const site = events.siteAt(row);
    if (facts.step[site] > Step.Gap && facts.step[site] < Step.Exec) continue; // a context switch
    const before = stop;
    stop = named[site] === NONE ? NONE : row;
    if (before === NONE || facts.step[site] !== Step.Start) continue;
    const stopSite = events.siteAt(before);
    if (facts.to[site] !== facts.from[stopSite] + SYSCALL_BYTES) continue;
    const sample = countBelow(timeNs, events.timeAt(row)) - 1;
    if (!(timeNs[sample] > events.timeAt(before) - SLACK_NS)) continue;
    const number = numbers.indexOf(value[sample]);
    if (number !== NONE) events.set(before, named[stopSite] + number, events.timeAt(before));
  }
}
