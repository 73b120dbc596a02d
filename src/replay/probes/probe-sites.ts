/**
 * Sites at which a trace restarts right after a probed instruction, and a new site for each: the stop before the restart.
 */
import { countAtOrBelow } from '../../model/columns.js';
import { SymbolKind, type SymbolTable } from '../../model/symbol-table.js';
import { BranchKind, type BranchSites, TraceEdge } from '../../model/trace/branch-sites.js';
import { type Address, NONE, type SiteId } from '../../model/units.js';
import type { ProbeHits } from './probe-hits.js';

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
  { address }: ProbeHits,
): { sites: BranchSites; probes: ProbeSites } {
  const isNameless = (site: SiteId) =>
    sites.toSymbol[site] === NONE || symbolKind[sites.toSymbol[site]] === SymbolKind.Unknown;
  const restarts = restartsAfter(sites, new Float64Array(new Set(address)).sort(), isNameless);
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

function longer<Values extends Column>(column: Values, values: readonly number[]): Values {
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
