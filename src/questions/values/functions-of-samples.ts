/**
 * Groups samples by the function that their thread was in, and what that called.
 */
import type { SymbolTable } from '../../model/names/symbol-table.js';
import type { Profile } from '../../model/profile/profile.js';
import type { SampleTable } from '../../model/samples/sample-table.js';
import { NONE, type SymbolId } from '../../model/units.js';
import type { AnalyzeOptions } from '../../pipeline/analyze.js';
import { AskableTrace } from '../../pipeline/ask-threads.js';
import { noTrace } from '../../pipeline/read/refusals.js';
import type { Trace } from '../../pipeline/read/trace.js';
import type { WorkResources } from '../../pipeline/with-trace.js';
import { nodesOfMoments, orderMoments } from '../waits/moments.js';
import { type Places, placesOf } from '../waits/places.js';
import { groupsOf } from './value-groups.js';

/** A function, and what it called; NONE: not known, or nothing. */
export interface CallingFunction {
  readonly symbol: SymbolId;
  readonly call: SymbolId;
}

interface FunctionsOfSamples {
  /** Most samples first. */
  readonly groups: readonly (CallingFunction & { readonly rows: Uint32Array })[];
  readonly symbols: SymbolTable;
  readonly profile: Profile;
}

/** @throws PtflameError NO_BRANCHES */
export async function functionsOfSamples(
  trace: Trace,
  { tid, timeNs }: SampleTable,
  rows: Uint32Array,
  options: AnalyzeOptions,
  resources: WorkResources,
): Promise<FunctionsOfSamples> {
  if (trace.store.tids.length === 0) throw noTrace(trace.account.withoutTrace[0] ?? 'the input');
  const askable = new AskableTrace(trace, options, resources);
  const isTraced = new Set(trace.store.tids);
  const chosen = {
    tid: Int32Array.from(rows, (row) => tid[row]),
    timeNs: Float64Array.from(rows, (row) => timeNs[row]),
  };
  const moments = orderMoments(chosen, (each) => isTraced.has(each));
  const { profile, answers } = await askable.replay(moments.asked);
  const nodes = nodesOfMoments(rows.length, moments, answers);
  const { symbols } = askable;
  const called = callsAt(answers.paths, placesOf(answers.paths, symbols));
  const keyOf = (at: number) => {
    const { symbol, call } = called(nodes[at]);
    return symbol === NONE ? NONE : symbol * (symbols.length + 1) + call + 1;
  };
  const groups = groupsOf(Uint32Array.from(rows.keys()), keyOf).map(({ rows: places }) => {
    return { ...called(nodes[places[0]]), rows: places.map((at) => rows[at]) };
  });
  return { groups, symbols, profile };
}

/** At a probe where a function begins, its caller says more than the function. */
function callsAt(
  { parent, symbol }: { readonly parent: ArrayLike<number>; readonly symbol: ArrayLike<number> },
  places: Places,
): (node: number) => CallingFunction {
  return (node) => {
    if (node === NONE || places.symbol[node] === NONE) return { symbol: NONE, call: NONE };
    if (places.call[node] !== NONE) return { symbol: places.symbol[node], call: places.call[node] };
    let own = node;
    while (own > 0 && symbol[own] !== places.symbol[node]) own = parent[own]; // above it are stops
    const caller = places.symbol[parent[own]] ?? NONE;
    return caller === NONE ? { symbol: symbol[own], call: NONE } : { symbol: caller, call: symbol[own] };
  };
}
