/**
 * Answers `ptflame waits`: for whom threads waited, the critical paths of the slowest, and stages between points.
 */
import { float64Column, markedRows } from '../../model/columns.js';
import type { Profile } from '../../model/profile/profile.js';
import type { SampleTable } from '../../model/sample-table.js';
import type { SymbolTable } from '../../model/symbol-table.js';
import type { Nanoseconds, Tid } from '../../model/units.js';
import type { AnalyzeOptions } from '../../pipeline/analyze.js';
import type { AnalyzedInput } from '../../pipeline/read/read-trace.js';
import { noTrace } from '../../pipeline/read/refusals.js';
import type { ReadAccount } from '../../pipeline/read/trace.js';
import type { FunctionPattern } from '../../pipeline/replay/find-functions.js';
import { boundsOf, type CallPattern, partText } from '../../pipeline/replay/selection.js';
import { threadOf } from '../../waits/schedule/schedule.js';
import { type Distribution, distributionOf } from '../../waits/summary/distribution.js';
import { addWaitsWithin } from '../../waits/summary/interval-sums.js';
import { stagesOf } from '../../waits/summary/stages.js';
import { WaitSummer, type WaitSums } from '../../waits/summary/wait-sums.js';
import type { ShownWaits } from '../../waits/summary/window.js';
import type { Waits } from '../../waits/waits.js';
import { type TraceWaits, withWaits } from './ask-waits.js';
import { candidatesOf } from './candidates.js';
import { type DescribedPath, describePaths, type ThreadInterval } from './described-paths.js';
import { findPoint, type PassedPoints, type Point, passedPoints } from './points.js';
import {
  callsBegunWithin,
  callsOfFunctions,
  callsWithin,
  longestCalls,
  selectedCalls,
  type ThreadCalls,
  waitsInside,
} from './spans-of-calls.js';
import { summarizeWaits, type WaitSummary } from './summarize-waits.js';
import type { ThreadDirectory } from './thread-directory.js';
import { WaitFacts } from './wait-facts.js';

export interface WaitsQuestion {
  /** Only waits inside these calls. */
  readonly inside?: CallPattern | FunctionPattern;
  /** What begins the stages, in this order: calls of functions, or events, as in `queue_push` or `probe:queue_push`. */
  readonly points?: readonly FunctionPattern[];
  /** How many of the longest waits are described; with `inside`, of the longest calls. Default: none. */
  readonly slowest?: number;
}

export interface WaitsResult {
  /** Within the selected time. */
  readonly waits: ShownWaits;
  /** The selected time in words; null: all of it. */
  readonly part: string | null;
  readonly threads: ThreadDirectory;
  readonly facts: WaitFacts;
  readonly account: ReadAccount;
  readonly samples: readonly SampleTable[];
  /** perf's clock at time 0. */
  readonly originNs: bigint;
  /** null: the recording has no branches. */
  readonly profile: Profile | null;
  readonly symbols: SymbolTable;
  readonly summary: WaitSummary;
  /** The calls around the waits; null: not asked. */
  readonly calls: ThreadCalls | null;
  readonly slowest: readonly SlowInterval[];
  readonly stages: StagesSummary | null;
}

export interface SlowInterval extends DescribedPath {
  /** The row of the wait; null: it is a call. */
  readonly wait: number | null;
}

/** @throws PtflameError as `analyze`; NO_SUCH_FUNCTION, NOT_RECORDED; NO_BRANCHES for `inside` of a recording without calls */
export function askWaits(
  inputs: readonly AnalyzedInput[],
  question: WaitsQuestion,
  options: AnalyzeOptions = {},
): Promise<WaitsResult> {
  return withWaits(inputs, options, async (traceWaits) => {
    const { trace, shown, threads, calls } = traceWaits;
    const facts = new WaitFacts(traceWaits);
    const inside = question.inside === undefined ? null : await callsInWindow(traceWaits, question.inside);
    const rows = rowsInQuestion(traceWaits, inside);
    const count = question.slowest ?? 0;
    const slowest = inside ? slowestCalls(inside, count) : slowestWaits(shown, rows, count);
    const paths = await describePaths(traceWaits, slowest);
    return {
      ...{ waits: shown, part: partText(options), threads, facts, calls: inside },
      ...{ account: trace.account, samples: trace.samples },
      originNs: BigInt(trace.originSeconds ?? 0) * 1_000_000_000n,
      profile: calls?.profile ?? null,
      symbols: calls ? calls.symbols : trace.symbols,
      summary: summarizeWaits(traceWaits, facts, rows, await candidatesOf(traceWaits, facts)),
      slowest: slowest.map(({ wait }, at) => ({ wait, ...paths[at] })),
      stages: question.points === undefined ? null : await stages(traceWaits, question.points),
    };
  });
}

async function callsInWindow(traceWaits: TraceWaits, inside: CallPattern | FunctionPattern): Promise<ThreadCalls> {
  const pattern = typeof inside === 'string' || inside instanceof RegExp ? { functions: inside } : inside;
  const { calls, trace, window } = traceWaits;
  if (calls === null) throw noTrace(trace.account.withoutTrace[0]);
  const selected = { functions: calls.askable.functions(pattern.functions), durations: boundsOf(pattern) };
  const all = await selectedCalls(calls, selected, tracedTids(traceWaits));
  return callsWithin(all, window);
}

/** `inside`: null, for the waits of all threads that are shown. */
function rowsInQuestion(traceWaits: TraceWaits, inside: ThreadCalls | null): Uint32Array {
  const { waits, shown } = traceWaits;
  const rows = inside ? waitsInside(waits, inside) : rowsOfThreads(waits, shownTids(traceWaits));
  return rows.filter((wait) => shown.isWithin[wait] === 1);
}

/** Threads whose waits are shown. */
function shownTids({ waits, threads }: TraceWaits): Tid[] {
  return [...waits.tids].filter((tid) => threads.of(tid).isSelected);
}

/** Threads whose calls are shown: also those of which no switch is known. */
function tracedTids({ trace, threads }: TraceWaits): Tid[] {
  return trace.store.tids.filter((tid) => threads.of(tid).isSelected);
}

function rowsOfThreads(waits: Waits, tids: readonly Tid[]): Uint32Array {
  const isShown = new Uint8Array(waits.length);
  for (const tid of tids) {
    const thread = threadOf(waits, tid);
    isShown.fill(1, waits.starts[thread], waits.starts[thread + 1]);
  }
  return markedRows(isShown);
}

function slowestCalls(calls: ThreadCalls, count: number): (ThreadInterval & Pick<SlowInterval, 'wait'>)[] {
  const { tid, startNs, endNs } = calls;
  return longestCalls(calls, count).map((row) => {
    return { wait: null, tid: tid[row], fromNs: startNs[row], toNs: endNs[row] };
  });
}

/** Waits that did not end have no path. */
function slowestWaits(
  { tid, outNs, inNs, isOpen }: Waits,
  rows: Uint32Array,
  count: number,
): (ThreadInterval & Pick<SlowInterval, 'wait'>)[] {
  const ended = count === 0 ? [] : [...rows].filter((wait) => !isOpen[wait]);
  ended.sort((a, b) => inNs[b] - outNs[b] - (inNs[a] - outNs[a]) || a - b);
  return ended.slice(0, count).map((wait) => ({ wait, tid: tid[wait], fromNs: outNs[wait], toNs: inNs[wait] }));
}

/** What is several of these points is the first of them. Only what is in the window counts. */
async function stages(traceWaits: TraceWaits, patterns: readonly FunctionPattern[]): Promise<StagesSummary> {
  const { calls, trace, waits, threads, window } = traceWaits;
  const functions = calls && ((pattern: FunctionPattern) => calls.askable.functions(pattern));
  const points = patterns.map((pattern) => findPoint(pattern, trace.samples, functions));
  const isThreadSelected = trace.store.selector(threads);
  const isSelected = (tid: Tid, cpu: number, timeNs: Nanoseconds) =>
    timeNs >= window.startNs && timeNs < window.endNs && isThreadSelected(tid, cpu);
  const passed = passedPoints(points, await callsAtPoints(traceWaits, points), trace.samples, isSelected);
  return summarizeStages(waits, passed, points);
}

async function callsAtPoints(traceWaits: TraceWaits, points: readonly Point[]): Promise<ThreadCalls | null> {
  const { calls, window } = traceWaits;
  const sets = points.flatMap((point) => (point.kind === 'function' ? [point.functions] : []));
  if (calls === null || sets.length === 0) return null;
  const functions = sets[0].map((_, symbol) => Number(sets.some((set) => set[symbol] === 1)));
  return callsBegunWithin(await callsOfFunctions(calls, functions, tracedTids(traceWaits)), window);
}

/** Sums up the stages between points that threads passed in a given order. */
interface StagesSummary {
  /** Times that a thread passed all points. */
  readonly passes: number;
  /** Begun, but not followed to the last point. */
  readonly incomplete: number;
  /** From each point to the next; the last is from the first point to the last. */
  readonly stages: readonly Stage[];
  readonly points: readonly Point[];
}

interface Stage {
  readonly fromPoint: number;
  readonly toPoint: number;
  readonly durations: Distribution;
  readonly sums: WaitSums;
}

function summarizeStages(waits: Waits, passed: PassedPoints, points: readonly Point[]): StagesSummary {
  const { length } = points;
  const stages = stageSums(length);
  let passes = 0;
  let incomplete = 0;
  for (const { tid, from, to } of threadsOf(passed)) {
    const own = { timeNs: passed.timeNs.subarray(from, to), point: passed.point.subarray(from, to) };
    const found = stagesOf(own, length);
    passes += found.passes;
    incomplete += found.incomplete;
    for (let at = 0; at < found.passes * length; at += length)
      for (const { fromPoint, toPoint, durations, sums } of stages) {
        const [fromNs, toNs] = [found.timeNs[at + fromPoint], found.timeNs[at + toPoint]];
        durations.push(toNs - fromNs);
        addWaitsWithin(waits, tid, fromNs, toNs, sums);
      }
  }
  return { passes, incomplete, points, stages: stages.map(built) };
}

interface StageSums extends Pick<Stage, 'fromPoint' | 'toPoint'> {
  readonly durations: ReturnType<typeof float64Column>;
  readonly sums: WaitSummer;
}

/** From each point to the next, then from the first to the last. */
function stageSums(points: number): StageSums[] {
  const stage = (fromPoint: number, toPoint: number) => {
    return { fromPoint, toPoint, durations: float64Column(), sums: new WaitSummer() };
  };
  const steps = Array.from({ length: points - 1 }, (_, point) => stage(point, point + 1));
  return points > 2 ? [...steps, stage(0, points - 1)] : steps;
}

function built({ fromPoint, toPoint, durations, sums }: StageSums): Stage {
  return { fromPoint, toPoint, durations: distributionOf(durations.view()), sums: sums.build() };
}

interface ThreadRows {
  readonly tid: Tid;
  readonly from: number;
  readonly to: number;
}

function threadsOf({ tid, length }: PassedPoints): ThreadRows[] {
  const found: ThreadRows[] = [];
  for (let from = 0, to = 0; from < length; from = to) {
    while (to < length && tid[to] === tid[from]) to++;
    found.push({ tid: tid[from], from, to });
  }
  return found;
}
