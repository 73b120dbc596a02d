/**
 * Collects what the panel of a function shows of its single calls: the slowest ones, and all by time and duration.
 */

import { rowStartNs, TIME_COLUMNS } from '../../../analysis/calls/over-time.js';
import type { FunctionSums } from '../../../analysis/tree/functions.js';
import { percentileOf } from '../../../analysis/tree/functions.js';
import type { CallTree } from '../../../model/calls/call-tree.js';
import type { Histogram } from '../../../model/calls/durations.js';
import { totalTimes } from '../../../model/calls/tree-view.js';
import { eachPercentile, havePercentile, PERCENTILES } from '../../../model/percentiles.js';
import type { TraceMeta } from '../../../model/profile/profile.js';
import type { ThreadSpans, Timeline } from '../../../model/profile/timeline.js';
import { perfTimeText } from '../../../model/trace/perf-time.js';
import type { Bounds, Nanoseconds, SymbolId, Tid } from '../../../model/units.js';
import { isAbout } from '../../../render/format.js';
import type { CallsPlot, DurationAxis, PlottedCell } from '../../../render/plot/calls-plot.js';
import type { PageData, PageThread } from '../../data/page-data.js';
import type { PathFilters } from '../leaving-out.js';
import { Counted, selectedNodes } from '../threads.js';
import type { AllCalls, ServedCallsOf } from './find-listed-calls.js';
import {
  calleeTimes,
  type FoundCalls,
  findListedCalls,
  type ListedCall,
  type LongerCallee,
  longerCallees,
  type SearchedThread,
} from './find-listed-calls.js';

export interface CallsView {
  /** The time axis is the range that is shown. */
  readonly plot: CallsPlot;
  /** There are too many calls for a dot for each. */
  readonly isHeatMap: boolean;
  /** In the order of the calls of the plot. */
  readonly calls: readonly ListedCall[];
  readonly slowest: readonly SlowCallView[];
  /** Calls that are not listed, because they are too short for the file. */
  readonly unlisted: number;
  /** Calls at least this long are listed. */
  readonly minSpanNs: Nanoseconds;
  /** Inferred calls that lasted for an unknown time. */
  readonly unmeasured: number;
  /** The page asked its server for what is missing. */
  readonly isAwaited: boolean;
  /** Why the server is not asked any more; null: it is, or there is none. */
  readonly fault: string | null;
  /** Of the complete calls; null: not all calls are listed. */
  readonly durations: Histogram | null;
}

export interface SlowCallView {
  readonly call: ListedCall;
  /** Row in the plot. */
  readonly index: number;
  readonly comm: string | null;
  /** On perf's clock. */
  readonly start: string;
  /** null: unknown, or awaited. */
  readonly longer: readonly LongerCallee[] | null;
}

/** What the calls are those of. */
export interface CallsQuestion {
  readonly data: PageData;
  readonly timeline: Timeline;
  /** null: all of the time. */
  readonly range: Bounds | null;
  /** The selected threads, ascending. */
  readonly indexes: readonly number[];
  readonly filters: PathFilters;
  readonly symbol: SymbolId;
  /** What is in view: the selected threads, in the range. */
  readonly tree: CallTree;
  readonly sums: FunctionSums;
  /** Has all calls; null: the page is a file. */
  readonly server: AllCalls | null;
  /** Differs from that of any other question. */
  readonly key: string;
}

const MAX_SLOWEST = 10;
/** Of inferred calls, as many are kept out of averages. */
const MAX_PARTS = 32;
/** In the narrow plot of a panel. */
const MAX_DOTS = 1500;

/** Returns null if no call of the function is listed, and none is to come. */
export function callsOfFunction(question: CallsQuestion): CallsView | null {
  const { data, timeline, tree, symbol, sums } = question;
  const bounds = question.range ?? { startNs: 0, endNs: timeline.durationNs };
  const searched = searchedThreads(question);
  const threads = [...searched.values()];
  const search = { timeline, threads, bounds, isPart: question.range !== null };
  const served = isWhole(timeline) ? null : (question.server?.of(question.key, search) ?? null);
  const found = served?.found ?? findListedCalls(threads, bounds, search.isPart);
  const isAwaited = served?.isAwaited ?? false;
  if (found.count === 0 && !isAwaited) return null;
  const calls = callsIn(tree, symbol);
  const durations = found.count === calls && found.inferred === sums.inferred ? found.durations : null;
  const inThreads = new Map(data.threads.map((thread) => [thread.tid, thread]));
  const named = (call: ListedCall) => ({
    comm: inThreads.get(call.tid)?.comm ?? null,
    start: clockText(data.meta, timeline.startNs + call.entryNs),
  });
  const calleesOf = (call: ListedCall) => {
    const spans = spansAround(call, searched, served);
    return spans && calleeTimes(call, spans, (inThreads.get(call.tid) as PageThread).node, data.shape, bounds);
  };
  const averageNs = averageOf(tree, sums, calls, partsOf(found).map(calleesOf));
  return {
    plot: { ...plotOf(found, bounds, named), percentiles: percentilesOf(sums, durations) },
    isHeatMap: found.count > MAX_DOTS,
    calls: found.longest,
    slowest: found.longest.slice(0, MAX_SLOWEST).map((call, index) => {
      const times = calleesOf(call);
      // callees that are drawn as their library have no average of their own
      const longer = question.filters.drawnAs === null ? times && longerCallees(call, times, averageNs) : null;
      return { call, index, ...named(call), longer };
    }),
    unlisted: Math.max(0, calls - found.count - found.unmeasured),
    minSpanNs: timeline.minSpanNs,
    unmeasured: found.unmeasured,
    isAwaited,
    fault: served?.fault ?? null,
    durations,
  };
}

const partsOf = ({ longest }: FoundCalls) => longest.filter(({ isInferred }) => isInferred).slice(0, MAX_PARTS);

/** The calls of which is shown what happened inside, or whose inside is kept out of averages. */
export function callsToLookInto(found: FoundCalls): ReadonlySet<ListedCall> {
  return new Set([...found.longest.slice(0, MAX_SLOWEST), ...partsOf(found)]);
}

/** The file lists each call, and how long it lasted at least. */
function isWhole({ minSpanNs, sumsSliceNs, minPathNs }: Timeline): boolean {
  return minSpanNs === 0 && sumsSliceNs === 0 && minPathNs === 0;
}

function plotOf(
  { count, longest, cells }: FoundCalls,
  { startNs, endNs }: Bounds,
  named: (call: ListedCall) => { readonly comm: string | null; readonly start: string },
): Omit<CallsPlot, 'percentiles'> {
  return {
    durationNs: endNs - startNs,
    calls: longest.map((call) => ({ ...call, ...named(call), startNs: call.entryNs - startNs })),
    callsLeftOut: count - longest.length,
    columns: TIME_COLUMNS,
    cells: cells.map(({ row, ...cell }) => ({ ...cell, fromNs: rowStartNs(row), toNs: rowStartNs(row + 1) })),
  };
}

/** Returns the calls of its thread, at least those inside the call; null: they are awaited, or too many. */
function spansAround(
  call: ListedCall,
  searched: ReadonlyMap<Tid, SearchedThread>,
  served: ServedCallsOf | null,
): ThreadSpans | null {
  const own = (searched.get(call.tid) as SearchedThread).timed.spans;
  if (served === null) return own;
  return served.inside.get(call) ?? (served.fault === null ? null : own);
}

/** The threads by tid, with their nodes of the function that focus and hiding leave. */
function searchedThreads({ data, timeline, indexes, filters, symbol }: CallsQuestion): Map<number, SearchedThread> {
  const { shape } = data;
  const selection = { ...filters, zoom: [], zoomedSiblings: new Set<SymbolId>(), isFromLeaves: false, isMatch: null };
  const counted = selectedNodes(shape, selection);
  const isOfFunction = counted.map((what, node) => (what === Counted.All && shape.symbol[node] === symbol ? 1 : 0));
  const timed = new Map(timeline.threads.map((thread) => [thread.tid, thread]));
  const found = new Map<number, SearchedThread>();
  for (const index of indexes) {
    const { tid, node } = data.threads[index] as PageThread;
    const own = timed.get(tid);
    if (own !== undefined)
      found.set(tid, {
        timed: own,
        isWanted: Uint8Array.from(node, (each) => isOfFunction[each]),
        fn: node.findIndex((each) => shape.symbol[each] === symbol),
        hasCallees: (each) => each + 1 < node.length && shape.parent[node[each + 1]] === node[each], // in pre-order
      });
  }
  return found;
}

/** `durations`: for those that the sums lack. */
function percentilesOf(sums: FunctionSums, durations: Histogram | null): CallsPlot['percentiles'] {
  const known = withPercentiles(sums, durations);
  const percentile = (name: string, ns: number, part: number) => {
    return Number.isFinite(ns) && havePercentile(sums, part)
      ? { name, ns, isAbout: isAbout(ns, sums) }
      : { name, ns: null };
  };
  return PERCENTILES.map(({ title, key, part }) => percentile(title, known[key], part)).reverse();
}

/** Adds the percentiles if they are not known. `durations`: of the same calls; null: unknown. */
export function withPercentiles(sums: FunctionSums, durations: Histogram | null): FunctionSums {
  if (durations === null || !Number.isNaN(sums.p50Ns)) return sums;
  return { ...sums, ...eachPercentile(({ part }) => percentileOf(sums, durations, part)) };
}

function callsIn(tree: CallTree, symbol: SymbolId): number {
  let calls = 0;
  for (let node = 1; node < tree.length; node++) if (tree.symbol[node] === symbol) calls += tree.calls[node];
  return calls;
}

/**
 * Returns the time per complete call of the functions that a function calls, of inferred calls if there are no others. `parts`:
 * what is known of these times in inferred calls. Without them the average is too long, so that a
 * call did at least as much more.
 */
function averageOf(
  tree: CallTree,
  { symbol, inferred }: FunctionSums,
  calls: number,
  parts: readonly (ReadonlyMap<SymbolId, Nanoseconds> | null)[],
): Map<SymbolId, Nanoseconds> {
  const sumNs = new Map<SymbolId, Nanoseconds>();
  const add = (callee: SymbolId, ns: Nanoseconds) => sumNs.set(callee, (sumNs.get(callee) ?? 0) + ns);
  const totalNs = totalTimes(tree);
  for (let node = 1; node < tree.length; node++)
    if (tree.symbol[tree.parent[node]] === symbol) add(tree.symbol[node], totalNs[node]);
  const isOfParts = calls === inferred;
  if (!isOfParts) for (const times of parts) for (const [callee, ns] of times ?? []) add(callee, -ns);
  const divisor = isOfParts ? calls : calls - inferred;
  return new Map([...sumNs].map(([callee, ns]) => [callee, Math.max(0, ns) / Math.max(1, divisor)]));
}

/** `ns`: in the profile's time. */
function clockText({ originNs }: TraceMeta, ns: Nanoseconds): string {
  const time = originNs + BigInt(Math.round(ns));
  const seconds = time / 1_000_000_000n;
  return perfTimeText({ seconds: Number(seconds), ns: Number(time - seconds * 1_000_000_000n) });
}

/**
 * Finds what is at a position of a plot of calls.
 *
 * A plot, and where it is drawn.
 */
export interface PlotBox {
  readonly plot: CallsPlot;
  readonly axis: DurationAxis;
  readonly leftPx: number;
  readonly topPx: number;
  readonly widthPx: number;
  readonly heightPx: number;
}

const REACH_PX = 10;

/** Returns the row of the nearest call, of equally near ones the longest; null: none is near. */
export function callNear({ plot, axis, ...box }: PlotBox, xPx: number, yPx: number): number | null {
  let found: number | null = null;
  let nearest = REACH_PX;
  for (let row = 0; row < plot.calls.length; row++) {
    const { startNs, durationNs } = plot.calls[row];
    const callXPx = box.leftPx + (startNs / Math.max(1, plot.durationNs)) * box.widthPx;
    if (Math.abs(callXPx - xPx) >= nearest) continue;
    const distancePx = Math.hypot(callXPx - xPx, box.topPx + (1 - axis.at(durationNs)) * box.heightPx - yPx);
    if (distancePx < nearest) [found, nearest] = [row, distancePx];
  }
  return found;
}

/** Returns the cell of a heat map; null: there are no calls. */
export function cellAt({ plot, axis, ...box }: PlotBox, xPx: number, yPx: number): PlottedCell | null {
  const column = Math.floor(((xPx - box.leftPx) / box.widthPx) * plot.columns);
  const at = 1 - (yPx - box.topPx) / box.heightPx;
  return (
    plot.cells.find((cell) => cell.column === column && axis.at(cell.fromNs) <= at && at < axis.at(cell.toNs)) ?? null
  );
}
