/**
 * Finds when work that a thread took began, and when it was done.
 */
import type { Spans } from '../../analysis/log/spans.js';
import type { Shape } from '../../model/calls/overlay.js';
import { countAtOrBelow, rowNumbers, valuesOf } from '../../model/columns.js';
import { numbersOf, type SampleTable, tableOf } from '../../model/sample-table.js';
import type { BranchSites } from '../../model/trace/branch-sites.js';
import { type Address, type Nanoseconds, NONE, type SymbolId, type Tid } from '../../model/units.js';
import { nameOfCalls, RETURN_SUFFIX } from '../../pipeline/read/probed-calls.js';
import type { Trace } from '../../pipeline/read/trace.js';
import { endsByNextPop } from '../../waits/join-requests.js';
import type { Moments } from '../../waits/moments.js';

/** Calls of all functions that were asked for, by thread. */
interface FoundCalls {
  readonly spans: ReadonlyMap<Tid, Spans>;
  readonly paths: Shape;
}

export interface WorkTimes {
  /** By pop. */
  readonly startNs: Float64Array;
  readonly endNs: Float64Array;
}

/**
 * Work that a thread takes where a function begins is that call. Otherwise it lasts until the thread takes the next, or
 * calls the function again to take the next.
 */
export function workTimes(
  pops: Moments,
  functions: readonly ProbedFunction[],
  calls: FoundCalls,
  lastNs: Nanoseconds,
): WorkTimes {
  const startNs = pops.timeNs.slice();
  const endNs = endsByNextPop(pops, lastNs);
  const isEntry = functions.some(({ isEntry }) => isEntry);
  const symbols = new Set(functions.map(({ symbol }) => symbol));
  const byThread = new Map<Tid, ThreadCalls>();
  for (let pop = 0; pop < pops.length; pop++) {
    const tid = pops.tid[pop];
    let own = byThread.get(tid);
    if (own === undefined) byThread.set(tid, (own = new ThreadCalls(calls, tid, symbols)));
    const call = isEntry ? own.callAt(pops.timeNs[pop]) : NONE;
    if (call !== NONE) [startNs[pop], endNs[pop]] = [own.startNs[call], own.endNs[call]];
    else endNs[pop] = Math.min(endNs[pop], own.nextStartNs(pops.timeNs[pop]));
  }
  return { startNs, endNs };
}

/** The trace's times of calls may be this much late. */
const MAX_LATE_NS: Nanoseconds = 10_000;

const NO_TIMES = new Float64Array(0);

/** The calls of some functions in a thread, by their beginning. */
export class ThreadCalls {
  readonly startNs: Float64Array;
  readonly endNs: Float64Array;

  constructor({ spans, paths }: FoundCalls, tid: Tid, symbols: ReadonlySet<number>) {
    const own = spans.get(tid);
    const isOwn = (row: number) => symbols.has(paths.symbol[(own as Spans).node[row]]);
    const rows = rowNumbers(own?.startNs.length ?? 0).filter(isOwn);
    this.startNs = own ? valuesOf(own.startNs, rows) : NO_TIMES;
    this.endNs = own ? valuesOf(own.endNs, rows) : NO_TIMES;
  }

  /** Returns the call that had just begun at a time; NONE. */
  callAt(ns: Nanoseconds): number {
    const next = this.firstAfter(ns);
    if (next > 0 && this.endNs[next - 1] >= ns) return next - 1;
    return next < this.startNs.length && this.startNs[next] <= ns + MAX_LATE_NS ? next : NONE;
  }

  /** Infinity: it makes no more calls. */
  nextStartNs(ns: Nanoseconds): Nanoseconds {
    return this.startNs[this.firstAfter(ns)] ?? Number.POSITIVE_INFINITY;
  }

  private firstAfter(ns: Nanoseconds): number {
    return countAtOrBelow(this.startNs, ns);
  }
}

/** A function that probes are in. */
export interface ProbedFunction {
  readonly symbol: SymbolId;
  /** The probe is where the function begins, so it is passed once in each call. */
  readonly isEntry: boolean;
}

/** `perf probe` may put the probe after the first instructions. */
const MAX_ENTRY_BYTES = 32;

/** Returns the functions of an event's probes; none if nothing shows where they are. */
export function probedFunctions(table: SampleTable, trace: ProbedTrace): ProbedFunction[] {
  const found = functionsAt(table, trace.sites);
  return found.length > 0 ? found : calledBy(table, trace);
}

type ProbedTrace = Pick<Trace, 'sites' | 'symbols' | 'samples'>;

/** Without Intel PT, calls have the names of the probes at their entries. */
function calledBy({ event }: SampleTable, { symbols, samples }: ProbedTrace): ProbedFunction[] {
  if (tableOf(samples, `${event}${RETURN_SUFFIX}`) === null) return [];
  const symbol = symbols.name.indexOf(nameOfCalls(event));
  return symbol === NONE ? [] : [{ symbol, isEntry: true }];
}

function functionsAt(table: SampleTable, sites: BranchSites): ProbedFunction[] {
  const returned = distinct(numbersOf(table, '__probe_func'));
  const addresses = returned.length > 0 ? returned : distinct(numbersOf(table, '__probe_ip'));
  const found = addresses.map((address) => {
    const { symbol, start } = functionAt(address, sites);
    return { symbol, isEntry: returned.length === 0 && address - start <= MAX_ENTRY_BYTES };
  });
  return found.filter(({ symbol }) => symbol !== NONE);
}

function distinct(values: Float64Array | null): Address[] {
  return [...new Set(values ?? [])].filter((value) => !Number.isNaN(value));
}

/** The function with a branch from or to an address at or after this one, which begins closest before it. */
function functionAt(address: Address, { length, from, to, fromStart, toStart, fromSymbol, toSymbol }: BranchSites) {
  let symbol: SymbolId = NONE;
  let start: Address = Number.NEGATIVE_INFINITY;
  const look = (branch: Address, ownStart: Address, ownSymbol: SymbolId) => {
    if (ownStart <= address && branch >= address && ownStart > start && ownSymbol !== NONE)
      [symbol, start] = [ownSymbol, ownStart];
  };
  for (let site = 0; site < length; site++) {
    look(from[site], fromStart[site], fromSymbol[site]);
    look(to[site], toStart[site], toSymbol[site]);
  }
  return { symbol, start };
}
