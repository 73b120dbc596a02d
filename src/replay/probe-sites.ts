/**
 * Sites at which a trace restarts right after a probed instruction, and a new site for each: the stop before the restart.
 */
import { countAtOrBelow, countBelow, float64Column, int32Column, rowNumbers, valuesOf } from '../model/columns.js';
import { numbersOf, type SampleTable } from '../model/sample-table.js';
import { SymbolKind, type SymbolTable } from '../model/symbol-table.js';
import { BranchKind, type BranchSites, TraceEdge } from '../model/trace/branch-sites.js';
import type { TraceRecord } from '../model/trace/trace-chunk.js';
import { type Address, type Nanoseconds, NONE, type SiteId, type Tid } from '../model/units.js';

/** No instruction of x86 is longer. */
const MAX_INSTRUCTION_BYTES = 15;

/** What mending needs to know of the sites of a trace; plain data. */
export interface ProbeSites {
  /** By site. */
  readonly kind: Uint8Array; // BranchKind
  readonly edge: Uint8Array; // TraceEdge
  readonly from: Float64Array; // Address
  readonly to: Float64Array;
  /** By site: for restarts after a probed instruction, the site of the stop before it; else NONE. */
  readonly stop: Int32Array;
  readonly firstStop: SiteId;
  /** By stop, from `firstStop`: the probed address. */
  readonly probe: Float64Array;
  /** The function that contains it, up to the next one that is known; empty if it has no name. */
  readonly functionStart: Float64Array;
  readonly functionEnd: Float64Array;
}

interface Restart {
  readonly site: SiteId;
  readonly probe: Address;
}

/** Returns the sites of a trace followed by the stops. */
export function probeSites(
  sites: BranchSites,
  { kind: symbolKind }: SymbolTable,
  hits: ValuesOfThreads,
): { sites: BranchSites; probes: ProbeSites } {
  const isNameless = (site: SiteId) =>
    sites.toSymbol[site] === NONE || symbolKind[sites.toSymbol[site]] === SymbolKind.Unknown;
  const restarts = restartsAfter(sites, new Float64Array(new Set(hits.value)).sort(), isNameless);
  const extended = withStops(sites, restarts);
  const starts = functionStarts(sites);
  const stop = new Int32Array(extended.length).fill(NONE);
  for (const [index, { site }] of restarts.entries()) stop[site] = sites.length + index;
  const endAfter = ({ site, probe }: Restart) =>
    isNameless(site) ? Number.NEGATIVE_INFINITY : starts[countAtOrBelow(starts, probe)];
  const { kind, edge, from, to } = extended;
  const probes = {
    ...{ kind, edge, from, to, stop, firstStop: sites.length },
    probe: Float64Array.from(restarts, ({ probe }) => probe),
    functionStart: Float64Array.from(restarts, ({ site }) => sites.toStart[site]),
    functionEnd: Float64Array.from(restarts, (restart) => endAfter(restart) ?? Number.POSITIVE_INFINITY),
  };
  return { sites: extended, probes };
}

/** `probed`: ascending. Of two probes before a restart, only the nearer one can be of the instruction before it. */
function restartsAfter(
  { length, edge, to, toStart }: BranchSites,
  probed: Float64Array,
  isNameless: (site: SiteId) => boolean,
): Restart[] {
  const restarts: Restart[] = [];
  for (let site = 0; site < length; site++) {
    if (edge[site] !== TraceEdge.Begin) continue;
    const probe = probed[countAtOrBelow(probed, to[site] - 1) - 1];
    const isSameFunction = isNameless(site) || toStart[site] <= probe;
    if (to[site] - probe <= MAX_INSTRUCTION_BYTES && isSameFunction) restarts.push({ site, probe });
  }
  return restarts;
}

type Column = Uint8Array | Int32Array | Float64Array;

/** Adds stops like those of interrupts: the next instruction is the one at which the trace restarts. */
function withStops(sites: BranchSites, restarts: readonly Restart[]): BranchSites {
  const { length } = sites;
  const all = <Values extends Column>(column: Values, value: number): Values =>
    longer(column, new Array<number>(restarts.length).fill(value));
  const atRestart = <Values extends Column>(column: Values, of: Values): Values =>
    longer(
      column,
      restarts.map(({ site }) => of[site]),
    );
  return {
    length: length + restarts.length,
    kind: all(sites.kind, BranchKind.Async),
    edge: all(sites.edge, TraceEdge.End),
    fromSymbol: atRestart(sites.fromSymbol, sites.toSymbol),
    toSymbol: all(sites.toSymbol, NONE),
    from: atRestart(sites.from, sites.to),
    to: all(sites.to, 0),
    fromStart: atRestart(sites.fromStart, sites.toStart),
    toStart: all(sites.toStart, Number.NaN),
  };
}

export function longer<Values extends Column>(column: Values, values: readonly number[]): Values {
  const Type = column.constructor as new (length: number) => Values;
  const copy = new Type(column.length + values.length);
  copy.set(column);
  copy.set(values, column.length);
  return copy;
}

function functionStarts({ fromStart, toStart }: BranchSites): Float64Array {
  const starts = new Set<Address>();
  for (const column of [fromStart, toStart]) for (const start of column) if (!Number.isNaN(start)) starts.add(start);
  return new Float64Array(starts).sort();
}

export type GapRecord = Extract<TraceRecord, { what: 'gap' }>;

/** A field of samples, by thread, then time. */
export interface ValuesOfThreads {
  readonly tid: Int32Array;
  readonly timeNs: Float64Array; // Nanoseconds
  readonly value: Float64Array;
}

/** The field of a probe's samples with its address. Probes of returns have others: they hit no instruction. */
const ADDRESS = '__probe_ip';

/** Returns when which thread came to the address of a probe, its value; null: there is none. */
export function probeHits(tables: readonly SampleTable[]): ValuesOfThreads | null {
  return valuesByThread(tables, ADDRESS);
}

/** Returns null if no sample has the field. */
export function valuesByThread(tables: readonly SampleTable[], field: string): ValuesOfThreads | null {
  const [tid, timeNs, value] = [int32Column(), float64Column(), float64Column()];
  for (const table of tables) {
    const values = numbersOf(table, field) ?? new Float64Array(0);
    for (let row = 0; row < values.length; row++) {
      if (Number.isNaN(values[row])) continue;
      tid.push(table.tid[row]);
      timeNs.push(table.timeNs[row]);
      value.push(values[row]);
    }
  }
  if (tid.length === 0) return null;
  const byThread = rowNumbers(tid.length).sort(
    (a, b) => tid.values[a] - tid.values[b] || timeNs.values[a] - timeNs.values[b] || a - b,
  );
  return {
    tid: valuesOf(tid.view(), byThread),
    timeNs: valuesOf(timeNs.view(), byThread),
    value: valuesOf(value.view(), byThread),
  };
}

/** perf's errors for code that is missing, differs from the trace, or never ends: a breakpoint may be the reason. */
export const ERRORS_OF_CODE: readonly number[] = [5, 6, 10];

/** The times of samples and of the trace differ by less than this. */
export const MAX_APART_NS: Nanoseconds = 100_000;

/** Whether an error may come from a hit of its thread. */
export function isAtHit(hits: ValuesOfThreads, { tid, timeNs, code }: GapRecord): boolean {
  if (!ERRORS_OF_CODE.includes(code)) return false;
  const times = valuesOfThread(hits, tid).timeNs;
  return times[countAtOrBelow(times, timeNs - MAX_APART_NS)] < timeNs + MAX_APART_NS;
}

/** Returns those of one thread. */
export function valuesOfThread(
  { tid, timeNs, value }: ValuesOfThreads,
  of: Tid,
): Pick<ValuesOfThreads, 'timeNs' | 'value'> {
  const [start, end] = [countBelow(tid, of), countBelow(tid, of + 1)];
  return { timeNs: timeNs.subarray(start, end), value: value.subarray(start, end) };
}
