/**
 * Collects what the panel of a function shows of its single calls: the slowest ones, and all by time and duration.
 */
import { rowStartNs, TIME_COLUMNS } from '../../../../analysis/calls/time-grid.js';
import type { Bounds } from '../../../../analysis/questions.js';
import type { DurationStats } from '../../../../analysis/tree/duration-stats.js';
import type { CallTree } from '../../../../model/calls/call-tree.js';
import { totalTimes } from '../../../../model/calls/tree-view.js';
import type { TraceMeta } from '../../../../model/profile/profile.js';
import type { Timeline } from '../../../../model/timeline/timeline.js';
import { perfTimeText } from '../../../../model/trace/perf-time.js';
import type { Nanoseconds, SymbolId } from '../../../../model/units.js';
import type { CallsPlot } from '../../../plot/calls-plot.js';
import type { PageData, PageThread } from '../../data/page-data.js';
import { Counted, selectedNodes } from '../selected-nodes.js';
import type { State } from '../state.js';
import { type LongerCallee, longerCallees } from './call-differences.js';
import { findListedCalls, type ListedCall, type SearchedThread } from './find-listed-calls.js';

export interface CallsView {
  /** The time axis is the range that is shown. */
  readonly plot: CallsPlot;
  /** There are too many calls for a dot for each. */
  readonly isHeatMap: boolean;
  /** In the order of the calls of the plot. */
  readonly calls: readonly ListedCall[];
  readonly slowest: readonly SlowCallView[];
  /** Calls that the file does not list, because they are too short. */
  readonly unlisted: number;
  /** Calls at least this long are listed. */
  readonly minSpanNs: Nanoseconds;
  /** Inferred calls that lasted for an unknown time. */
  readonly unmeasured: number;
}

export interface SlowCallView {
  readonly call: ListedCall;
  /** Row in the plot. */
  readonly index: number;
  readonly comm: string | null;
  /** On perf's clock. */
  readonly start: string;
  /** null: unknown. */
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
  readonly state: Pick<State, 'focus' | 'hidden' | 'foldsRecursion'>;
  readonly symbol: SymbolId;
  /** What is in view: the selected threads, in the range. */
  readonly tree: CallTree;
  readonly sums: DurationStats;
}

const MAX_SLOWEST = 10;
/** In the narrow plot of a panel. */
const MAX_DOTS = 1500;

/** Returns null if the timeline lists no call of the function. */
export function callsOfFunction(question: CallsQuestion): CallsView | null {
  const { data, timeline, tree, symbol } = question;
  const range = question.range ?? { startNs: 0, endNs: timeline.durationNs };
  const searched = searchedThreads(question);
  const found = findListedCalls([...searched.values()], range, question.range !== null);
  if (found.count === 0) return null;
  const threads = new Map(data.threads.map((thread) => [thread.tid, thread]));
  const { averageNs, calls } = averageOf(tree, symbol);
  const named = (call: ListedCall) => ({
    comm: threads.get(call.tid)?.comm ?? null,
    start: clockText(data.meta, timeline.startNs + call.entryNs),
  });
  return {
    plot: {
      durationNs: range.endNs - range.startNs,
      calls: found.longest.map((call) => ({ ...call, ...named(call), startNs: call.entryNs - range.startNs })),
      callsLeftOut: found.count - found.longest.length,
      columns: TIME_COLUMNS,
      cells: found.cells.map(({ row, ...cell }) => ({ ...cell, fromNs: rowStartNs(row), toNs: rowStartNs(row + 1) })),
      percentiles: percentilesOf(question.sums),
    },
    isHeatMap: found.count > MAX_DOTS,
    calls: found.longest,
    slowest: found.longest.slice(0, MAX_SLOWEST).map((call, index) => {
      const { timed } = searched.get(call.tid) as SearchedThread;
      const { node } = threads.get(call.tid) as PageThread;
      const longer = longerCallees(call, timed, node, data.shape, averageNs);
      return { call, index, ...named(call), longer };
    }),
    unlisted: Math.max(0, calls - found.count - found.unmeasured),
    minSpanNs: timeline.minSpanNs,
    unmeasured: found.unmeasured,
  };
}

/** The threads by tid, with their nodes of the function that focus and hiding leave. */
function searchedThreads({ data, timeline, indexes, state, symbol }: CallsQuestion): Map<number, SearchedThread> {
  const { shape } = data;
  const selection = { ...state, zoom: [], zoomedSiblings: new Set<SymbolId>(), isFromLeaves: false, isMatch: null };
  const counted = selectedNodes(shape, selection);
  const isOfFunction = counted.map((what, node) => (what === Counted.All && shape.symbol[node] === symbol ? 1 : 0));
  const timed = new Map(timeline.threads.map((thread) => [thread.tid, thread]));
  const found = new Map<number, SearchedThread>();
  for (const index of indexes) {
    const { tid, node } = data.threads[index] as PageThread;
    const own = timed.get(tid);
    if (own !== undefined)
      found.set(tid, { timed: own, isWanted: Uint8Array.from(node, (each) => isOfFunction[each]) });
  }
  return found;
}

function percentilesOf({ p50Ns, p90Ns, p99Ns }: DurationStats): CallsPlot['percentiles'] {
  const known = (ns: number) => (Number.isFinite(ns) ? ns : null);
  return [
    { name: 'p99', ns: known(p99Ns) },
    { name: 'p90', ns: known(p90Ns) },
    { name: 'p50', ns: known(p50Ns) },
  ];
}

/** How many calls the function has, and the time per call of the functions that it calls. */
function averageOf(tree: CallTree, symbol: SymbolId): { averageNs: Map<SymbolId, Nanoseconds>; calls: number } {
  const averageNs = new Map<SymbolId, Nanoseconds>();
  const totalNs = totalTimes(tree);
  let calls = 0;
  for (let node = 1; node < tree.length; node++) if (tree.symbol[node] === symbol) calls += tree.calls[node];
  for (let node = 1; node < tree.length; node++)
    if (tree.symbol[tree.parent[node]] === symbol && calls > 0)
      averageNs.set(tree.symbol[node], (averageNs.get(tree.symbol[node]) ?? 0) + totalNs[node] / calls);
  return { averageNs, calls };
}

/** `ns`: in the profile's time. */
function clockText({ originNs }: TraceMeta, ns: Nanoseconds): string {
  const time = originNs + BigInt(Math.round(ns));
  const seconds = time / 1_000_000_000n;
  return perfTimeText({ seconds: Number(seconds), ns: Number(time - seconds * 1_000_000_000n) });
}
