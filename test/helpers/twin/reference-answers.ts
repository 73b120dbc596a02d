/**
 * Answers questions about calls by searching lists of all calls and all intervals of time: the slow reference for
 * src/analysis.
 */
import { type CallSpan, count, type PathRow, rowOf } from './path-rows.js';
import {
  pathOf,
  pathOfInterval,
  type ReferenceCall,
  type ReferenceInterval,
  type ReferenceThread,
} from './reference-calls.js';

export interface AskedFunctions {
  readonly functions: ReadonlySet<string>;
  readonly durations: { readonly minNs: number; readonly maxNs: number } | null;
}

export interface ReferenceFilter {
  readonly window: { readonly startNs: number; readonly endNs: number } | null;
  readonly inside: readonly AskedFunctions[];
  readonly root: ReadonlySet<string> | null;
  readonly foldsRecursion: boolean;
}

export const NO_FILTER: ReferenceFilter = { window: null, inside: [], root: null, foldsRecursion: false };

/** A call as a question sees it. */
export interface SeenCall {
  readonly tid: number;
  readonly call: ReferenceCall;
  readonly path: readonly string[];
  /** How much of it is in the selection. */
  readonly ns: number;
  /** null: it is complete. */
  readonly why: ReferenceCall['why'];
}

export interface SeenTime {
  readonly tid: number;
  readonly interval: ReferenceInterval;
  readonly path: readonly string[];
  readonly ns: number;
}

/** The selection: parts of some threads. */
export interface Seen {
  readonly calls: readonly SeenCall[];
  readonly times: readonly SeenTime[];
}

export const STOPS = ['[syscall]', '[untraced]', '[off-cpu]', '[preempted]', '[lost]'];
export const isStopName = (fn: string) => STOPS.some((stop) => fn === stop || fn.startsWith(`${stop}#`));
export const isOffCpuName = (fn: string) => /^\[(?:off-cpu|preempted)\](?:#\d+)?$/.test(fn);

export const isLostName = (fn: string) => /^\[lost\](?:#\d+)?$/.test(fn);

export function look(threads: readonly ReferenceThread[], filter: ReferenceFilter): Seen {
  const calls = threads.flatMap(({ tid, calls: all }) => all.flatMap((call) => seenCall(tid, call, filter)));
  const times = threads.flatMap(({ tid, intervals }) =>
    intervals.flatMap((interval) => seenTime(tid, interval, filter)),
  );
  return { calls, times };
}

function seenCall(tid: number, call: ReferenceCall, filter: ReferenceFilter): SeenCall[] {
  const { startNs, endNs } = filter.window ?? { startNs: -Infinity, endNs: Infinity };
  const isBefore = call.endNs <= startNs && call.startNs < startNs;
  if (isBefore || call.startNs >= endNs) return [];
  if (!isInside(call.stack, pathOf(call), filter)) return [];
  if (filter.foldsRecursion && call.below.at(-1) === call.fn) return [];
  const why = call.why ?? (call.startNs < startNs ? 'OpenAtStart' : call.endNs > endNs ? 'OpenAtEnd' : null);
  const path = shownPath(pathOf(call), filter);
  return [{ tid, call, path, ns: Math.min(call.endNs, endNs) - Math.max(call.startNs, startNs), why }];
}

function seenTime(tid: number, interval: ReferenceInterval, filter: ReferenceFilter): SeenTime[] {
  const { startNs, endNs } = filter.window ?? { startNs: -Infinity, endNs: Infinity };
  const ns = Math.min(interval.toNs, endNs) - Math.max(interval.fromNs, startNs);
  if (ns <= 0 || !isInside(interval.stack, pathOfInterval(interval), filter)) return [];
  return [{ tid, interval, path: shownPath(pathOfInterval(interval), filter), ns }];
}

function isInside(stack: readonly ReferenceCall[], path: readonly string[], filter: ReferenceFilter): boolean {
  const { inside, root } = filter;
  if (root && !path.some((fn) => root.has(fn))) return false;
  return inside.every(({ functions, durations }) => {
    if (!durations) return path.some((fn) => functions.has(fn));
    return stack.some((call) => functions.has(call.fn) && !isFolded(call, filter) && tookTime(call, durations));
  });
}

const isFolded = ({ fn, below }: ReferenceCall, { foldsRecursion }: ReferenceFilter) =>
  foldsRecursion && below.at(-1) === fn;

function tookTime({ startNs, endNs, why }: ReferenceCall, { minNs, maxNs }: { minNs: number; maxNs: number }): boolean {
  return why === null && endNs - startNs >= minNs && endNs - startNs <= maxNs;
}

function shownPath(path: readonly string[], { root, foldsRecursion }: ReferenceFilter): string[] {
  const fromRoot = root ? path.slice(path.findIndex((fn) => root.has(fn))) : path;
  return foldsRecursion ? folded(fromRoot) : [...fromRoot];
}

export function folded(path: readonly string[]): string[] {
  return path.filter((fn, index) => index === 0 || path[index - 1] !== fn);
}

/** Returns the duration of a call, at most the part in the window. */
export function spanOf({ call, why, ns }: Pick<SeenCall, 'call' | 'why' | 'ns'>): CallSpan {
  return { ns, knownNs: why === null ? null : Math.min(call.knownNs, ns), isUnwound: call.isUnwound };
}

/** Returns the longest inferred call; none if the duration of no such call is known. */
export function longestCutOf(calls: readonly Pick<SeenCall, 'call' | 'why' | 'ns'>[]): number {
  const longest = calls.reduce((most, call) => Math.max(most, spanOf(call).knownNs ?? 0), 0);
  return longest > 0 ? longest : Number.NaN;
}

/** Groups by path: its functions, one per line. */
export function rowsByPath({ calls, times }: Seen): Map<string, PathRow> {
  const rows = new Map<string, PathRow>();
  for (const { path, call, why, ns } of calls) count(rowOf(rows, path.join('\n')), spanOf({ call, why, ns }));
  for (const { path, interval, ns } of times) {
    const row = rowOf(rows, path.join('\n'));
    row.selfNs += ns;
    if (interval.certainty !== 'certain') row.inferredNs += ns;
  }
  return rows;
}

/** Counts the inferred calls by reason; stops have none. */
export function inferredBy({ calls }: Seen): Record<string, number> {
  const reasons = { OpenAtStart: 0, OpenAtEnd: 0, CutByGap: 0, Unwound: 0, HiddenJump: 0 };
  for (const { call, why } of calls) if (why !== null && why !== 'stop' && !call.isStop) reasons[why]++;
  return reasons;
}

export function hiddenNs({ times }: Seen): number {
  return sum(times.filter(({ interval }) => interval.certainty === 'hidden').map(({ ns }) => ns));
}

/** Returns the duration that this share of the calls does not exceed. */
export function nearestRank(sorted: readonly number[], part: number): number {
  return sorted[Math.max(1, Math.ceil(part * sorted.length)) - 1] ?? Number.NaN;
}

export interface FunctionRow {
  calls: number;
  inferred: number;
  unwound: number;
  longestCutNs: number;
  totalNs: number;
  selfNs: number;
  outsideNs: number;
  outsideSelfNs: number;
  onCpuNs: number;
  offCpuNs: number;
  inferredNs: number;
  completeNs: number;
  avgNs: number;
  minNs: number;
  maxNs: number;
  p50Ns: number;
  p90Ns: number;
  p99Ns: number;
}

/** Returns a row of `report` for each function and each kind of stop. */
export function functionRows(seen: Seen): Record<string, FunctionRow> {
  const names = new Set([...seen.calls.flatMap(({ path }) => path), ...seen.times.flatMap(({ path }) => path)]);
  const knowsSwitches = [...names].some(isOffCpuName);
  return Object.fromEntries([...names].map((fn) => [fn, functionRow(fn, seen, knowsSwitches)]));
}

function functionRow(fn: string, { calls, times }: Seen, knowsSwitches: boolean): FunctionRow {
  const own = calls.filter(({ path }) => path.at(-1) === fn);
  const lasted = own.filter(({ why }) => why === null).map(({ call }) => call.endNs - call.startNs);
  lasted.sort((a, b) => a - b);
  const under = times.filter(({ path }) => path.includes(fn));
  const isAway = knowsSwitches ? (name: string) => isOffCpuName(name) || isLostName(name) : isStopName;
  const functionOf = (path: readonly string[]) => path.filter((name) => !isStopName(name)).at(-1);
  const itself = under.filter(({ path }) => (isStopName(fn) ? path.at(-1) : functionOf(path)) === fn);
  const isStopped = ({ path }: SeenTime) => isStopName(path.at(-1) as string);
  const isItsStop = (time: SeenTime) => isStopped(time) && (isStopName(fn) || functionOf(time.path) === fn);
  return {
    calls: own.length,
    inferred: own.length - lasted.length,
    unwound: own.filter(({ why, call }) => why === null && call.isUnwound).length,
    longestCutNs: longestCutOf(own),
    totalNs: sumNs(under),
    selfNs: sumNs(itself.filter(({ path }) => path.at(-1) === fn)),
    outsideNs: sumNs(under.filter(isStopped)),
    outsideSelfNs: sumNs(under.filter(isItsStop)),
    onCpuNs: sumNs(under.filter(({ path }) => !isAway(path.at(-1) as string))),
    offCpuNs: sumNs(under.filter(({ path }) => isOffCpuName(path.at(-1) as string))),
    inferredNs: sumNs(itself.filter(({ interval }) => interval.certainty !== 'certain')),
    completeNs: sum(lasted),
    avgNs: sum(lasted) / lasted.length,
    minNs: lasted[0] ?? Number.NaN,
    maxNs: lasted.at(-1) ?? Number.NaN,
    p50Ns: nearestRank(lasted, 0.5),
    p90Ns: nearestRank(lasted, 0.9),
    p99Ns: nearestRank(lasted, 0.99),
  };
}

/** Returns what is open at a moment, lowest first; null: nothing is known of the thread. */
export function stackOf({ intervals }: ReferenceThread, atNs: number) {
  const now = intervals.find(({ fromNs, toNs }) => fromNs <= atNs && atNs < toNs);
  if (now === undefined) return null;
  const path = pathOfInterval(now);
  const beganBefore = ({ why, startNs }: ReferenceCall) =>
    why === 'stop' ? startNs === intervals[0]?.fromNs : why === 'OpenAtStart' || why === 'CutByGap';
  return now.stack.map((call, index) => {
    return { fn: path[index], sinceNs: call.startNs, isStartSeen: !beganBefore(call) };
  });
}

export const sumNs = (times: readonly { readonly ns: number }[]) => sum(times.map(({ ns }) => ns));

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

export const smallest = (values: readonly number[]) => values.reduce((a, b) => Math.min(a, b));
export const largest = (values: readonly number[]) => values.reduce((a, b) => Math.max(a, b));
