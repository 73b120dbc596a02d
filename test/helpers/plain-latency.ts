/**
 * How long the calls of some functions took and what they did meanwhile, found by going through all calls and stretches
 * of time: the twin of `latencyOf`.
 */
import {
  type AskedFunctions,
  count,
  folded,
  isOffCpuName,
  isStopName,
  largest,
  look,
  NO_FILTER,
  type PathRow,
  type PlainFilter,
  rowOf,
  type Seen,
  type SeenCall,
  type SeenTime,
  smallest,
  sum,
  sumNs,
} from './plain-answers.js';
import { type PlainCall, type PlainThread, pathOf, pathOfStretch } from './plain-calls.js';

export interface AskedCall extends SeenCall {
  readonly caller: string | null;
  /** Of a complete call: outside of traced code, and off the processor. */
  readonly outsideNs: number;
  readonly offCpuNs: number;
}

/** The calls that were asked for, in the order in which they began. */
export interface AskedList {
  readonly complete: readonly AskedCall[];
  readonly inferred: readonly AskedCall[];
}

export function askedCalls(threads: readonly PlainThread[], filter: PlainFilter, asked: AskedFunctions): AskedList {
  const { minNs, maxNs } = asked.durations ?? { minNs: 0, maxNs: Infinity };
  const all = look(threads, filter).calls.filter(({ call }) => asked.functions.has(call.fn));
  const complete = all.filter(({ why, ns }) => why === null && ns >= minNs && ns <= maxNs);
  const inferred = asked.durations ? [] : all.filter(({ why }) => why !== null);
  const { times } = look(threads, NO_FILTER);
  return { complete: complete.map((seen) => about(seen, times)), inferred: inferred.map((seen) => about(seen, times)) };
}

function about(seen: SeenCall, times: readonly SeenTime[]): AskedCall {
  const within = times.filter(({ stretch }) => stretch.stack.includes(seen.call));
  const caller = seen.call.below.at(-1) ?? null;
  return { ...seen, caller, outsideNs: sumNs(within.filter(isStopped)), offCpuNs: sumNs(within.filter(isOffCpu)) };
}

const isStopped = ({ path }: { path: readonly string[] }) => isStopName(path.at(-1) ?? '');
const isOffCpu = ({ path }: { path: readonly string[] }) => isOffCpuName(path.at(-1) ?? '');

export interface PlainStats {
  readonly calls: number;
  readonly inferred: number;
  readonly totalNs: number;
  readonly outsideNs: number;
  readonly offCpuNs: number;
  readonly avgNs: number;
  readonly minNs: number;
  readonly maxNs: number;
}

export function statsOf({ complete, inferred }: AskedList): PlainStats {
  const lasted = complete.map(({ ns }) => ns);
  return {
    calls: complete.length + inferred.length,
    inferred: inferred.length,
    totalNs: sum(lasted),
    outsideNs: sum(complete.map(({ outsideNs }) => outsideNs)),
    offCpuNs: sum(complete.map(({ offCpuNs }) => offCpuNs)),
    avgNs: sum(lasted) / lasted.length,
    minNs: lasted.length > 0 ? smallest(lasted) : Number.NaN,
    maxNs: lasted.length > 0 ? largest(lasted) : Number.NaN,
  };
}

/** From the shortest to the longest. */
export function histogramRows({ complete }: AskedList) {
  const columns = [
    complete.map(({ ns }) => ns),
    complete.map(({ outsideNs }) => outsideNs),
    complete.map(({ offCpuNs }) => offCpuNs),
  ];
  const all = columns.flat();
  if (all.length === 0) return [];
  const rows: { fromNs: number; toNs: number; calls: number; outsideCalls: number; offCpuCalls: number }[] = [];
  for (let [fromNs, toNs] = [0, 1]; fromNs <= largest(all); [fromNs, toNs] = [toNs, 2 * toNs]) {
    const [calls, outsideCalls, offCpuCalls] = columns.map(
      (column) => column.filter((ns) => ns >= (fromNs as number) && ns < (toNs as number)).length,
    ) as [number, number, number];
    if (toNs > smallest(all)) rows.push({ fromNs, toNs, calls, outsideCalls, offCpuCalls });
  }
  return rows;
}

/** What calls did, by the path from the call on; the call itself is ''. */
export type Within = Map<string, PathRow & { outsideNs: number; offCpuNs: number }>;

/**
 * What some calls did. A call that was asked for and happened inside of another one is one frame there, for it is told of
 * by itself.
 */
export function within(
  calls: readonly AskedCall[],
  asked: AskedList,
  threads: readonly PlainThread[],
  filter: PlainFilter,
): Within {
  const all = new Set([...asked.complete, ...asked.inferred].map(({ call }) => call));
  const wanted = new Set(calls.map(({ call }) => call));
  const seen = look(threads, { ...NO_FILTER, window: filter.window });
  const rows: Map<string, PathRow> = new Map();
  const outside = new Map<string, { outsideNs: number; offCpuNs: number }>();
  const pathIn = (stack: readonly PlainCall[], path: readonly string[], from: number) =>
    (filter.foldsRecursion ? folded(path.slice(from)) : path.slice(from, stack.length)).slice(1);
  for (const { stretch, path, ns } of seen.times) {
    const at = stretch.stack.findLastIndex((call) => all.has(call));
    if (at === -1 || !wanted.has(stretch.stack[at] as PlainCall)) continue;
    rowOf(rows, pathIn(stretch.stack, path, at)).selfNs += ns;
  }
  for (const { call, path, ns, why } of seen.calls) {
    const isAsked = all.has(call);
    if (wanted.has(call)) count(rowOf(rows, []), why === null ? ns : null);
    if (!isAsked && filter.foldsRecursion && call.below.at(-1) === call.fn) continue;
    const at = call.stack.slice(0, -1).findLastIndex((other) => all.has(other));
    if (at === -1 || !wanted.has(call.stack[at] as PlainCall)) continue;
    const row = rowOf(rows, pathIn(call.stack, path, at));
    count(row, why === null ? ns : null);
    if (isAsked) row.selfNs += ns;
  }
  return rows as Within;
}

export interface PlainChild {
  readonly fn: string | null;
  readonly calls: number;
  readonly totalNs: number;
}

/** What stands directly in the calls; null: they themselves. */
export function childrenOf(rows: ReadonlyMap<string, PathRow>, calls: number): PlainChild[] {
  const names = new Set([...rows.keys()].filter((path) => path !== '').map((path) => path.split('\n')[0] as string));
  const own = { fn: null, calls, totalNs: rows.get('')?.selfNs ?? 0 };
  const under = (fn: string) => [...rows].filter(([path]) => path === fn || path.startsWith(`${fn}\n`));
  return [
    own,
    ...[...names].map((fn) => ({
      fn,
      calls: rows.get(fn)?.calls ?? 0,
      totalNs: sum(under(fn).map(([, { selfNs }]) => selfNs)),
    })),
  ];
}

export interface PlainChain {
  readonly path: readonly string[];
  readonly calls: number;
  readonly inferred: number;
  readonly totalNs: number;
  readonly avgNs: number;
  readonly minNs: number;
  readonly maxNs: number;
}

export function chainsOf({ complete, inferred }: AskedList, filter: PlainFilter): PlainChain[] {
  const shown = ({ call }: AskedCall) => (filter.foldsRecursion ? folded(pathOf(call)) : pathOf(call)).join('\n');
  const paths = new Set([...complete, ...inferred].map(shown));
  return [...paths].map((path) => {
    const [whole, cut] = [complete, inferred].map((list) => list.filter((call) => shown(call) === path)) as [
      AskedCall[],
      AskedCall[],
    ];
    const { totalNs, ...stats } = statsOf({ complete: whole, inferred: cut });
    const { calls, avgNs, minNs, maxNs } = stats;
    return {
      path: path.split('\n'),
      calls,
      inferred: cut.length,
      totalNs: totalNs + sum(cut.map(({ ns }) => ns)),
      avgNs,
      minNs,
      maxNs,
    };
  });
}

/** The longest ones: of equal ones the earlier, then those of the lower thread. */
export function slowest({ complete }: AskedList, most: number): AskedCall[] {
  const byTime = (a: AskedCall, b: AskedCall) => b.ns - a.ns || a.call.startNs - b.call.startNs || a.tid - b.tid;
  return complete.toSorted(byTime).slice(0, most);
}

export { pathOfStretch, type Seen };
