/**
 * Computes how long the calls of some functions took and what they did meanwhile, by searching all calls and intervals
 * of time: the reference for `latencyOf`.
 */
import type { Bounds } from '../../../src/model/units.js';
import {
  type AskedFunctions,
  folded,
  isLostName,
  isOffCpuName,
  isStopName,
  largest,
  longestCutOf,
  look,
  NO_FILTER,
  nearestRank,
  type ReferenceFilter,
  type SeenCall,
  type SeenTime,
  smallest,
  sum,
  sumNs,
} from './reference-answers.js';
import { pathOf, type ReferenceCall, type ReferenceThread } from './reference-calls.js';

/** Groups by displayed name; null comes first. */
export type CompareNames = (a: string | null, b: string | null) => number;

interface AskedCall extends SeenCall {
  /** null: no caller. */
  readonly caller: string | null;
  /** Of its whole duration, the time outside traced code and off the CPU. */
  readonly outsideNs: number;
  /** The part of it in stops directly on the call. */
  readonly outsideSelfNs: number;
  readonly offCpuNs: number;
}

interface TimedCall {
  readonly tid: number;
  readonly startNs: number;
  readonly durationNs: number;
  readonly isInferred: boolean;
}

/** Longest first, then earliest; of equal ones, the complete ones. */
export function byDuration(a: TimedCall, b: TimedCall): number {
  const byTime = b.durationNs - a.durationNs || a.startNs - b.startNs || a.tid - b.tid;
  return byTime || Number(a.isInferred) - Number(b.isInferred);
}

export class ReferenceLatency {
  /** In the order in which they began. */
  private readonly complete: readonly AskedCall[];
  private readonly inferred: readonly AskedCall[];
  private readonly asked: ReadonlySet<ReferenceCall>;
  private readonly window: { readonly calls: readonly SeenCall[]; readonly times: readonly SeenTime[] };
  private readonly filter: ReferenceFilter;
  private readonly compare: CompareNames;

  constructor(
    threads: readonly ReferenceThread[],
    filter: ReferenceFilter,
    asked: AskedFunctions,
    compare: CompareNames,
  ) {
    const { minNs, maxNs } = asked.durations ?? { minNs: 0, maxNs: Infinity };
    const { calls } = look(threads, filter);
    const { times } = look(threads, NO_FILTER);
    const all = calls.filter(({ call }) => asked.functions.has(call.fn)).map((seen) => withTimes(seen, times, filter));
    this.complete = all.filter(({ why, ns }) => why === null && ns >= minNs && ns <= maxNs);
    this.inferred = asked.durations ? [] : all.filter(({ why }) => why !== null);
    this.asked = new Set([...this.complete, ...this.inferred].map(({ call }) => call));
    this.window = look(threads, { ...NO_FILTER, window: filter.window });
    this.filter = filter;
    this.compare = compare;
  }

  answer(slowest: number) {
    return {
      stats: this.stats(),
      histogram: this.histogram(),
      children: this.childrenOf(this.reported),
      isOfParts: this.isOfParts,
      callers: this.callers(),
      chains: this.chains(),
      chainsLeftOut: 0,
      slowest: this.slowest(slowest),
    };
  }

  /** Each call by itself, and each cell by comparing every call with its borders. */
  overTime({ startNs: fromNs, endNs: toNs }: Bounds) {
    const listed = [...this.complete, ...this.inferred]
      .map((seen) => ({
        tid: seen.tid,
        startNs: Math.max(fromNs, seen.call.startNs),
        durationNs: seen.why === null ? seen.ns : Math.min(seen.ns, seen.call.knownNs),
        isInferred: seen.why !== null,
      }))
      .sort(byDuration);
    const cells = new Map<string, { column: number; row: number; calls: number; inferred: number }>();
    for (const { startNs, durationNs, isInferred } of listed) {
      let [column, row] = [0, 0];
      while (column < 255 && (startNs - fromNs) * 256 >= (column + 1) * Math.max(1, toNs - fromNs)) column++;
      while (BigInt(durationNs) ** 2n >= 2n ** BigInt(row)) row++;
      const cell = cells.get(`${column} ${row}`) ?? { column, row, calls: 0, inferred: 0 };
      cells.set(`${column} ${row}`, { ...cell, calls: cell.calls + 1, inferred: cell.inferred + (isInferred ? 1 : 0) });
    }
    return { listed, cells: [...cells.values()].sort((a, b) => a.column - b.column || a.row - b.row) };
  }

  private get isOfParts(): boolean {
    return this.complete.length === 0;
  }

  /** The calls that are reported: the complete ones, if there are any. */
  private get reported(): readonly AskedCall[] {
    return this.isOfParts ? this.inferred : this.complete;
  }

  private stats() {
    return statsOf(this.complete, this.inferred);
  }

  /** From the shortest to the longest. */
  private histogram() {
    const columns = (['ns', 'outsideNs', 'offCpuNs'] as const).map((key) => this.complete.map((call) => call[key]));
    const all = columns.flat();
    const rows: object[] = [];
    for (let [fromNs, toNs] = [0, 1]; all.length > 0 && fromNs <= largest(all); [fromNs, toNs] = [toNs, 2 * toNs]) {
      const counts = columns.map((column) => column.filter((ns) => ns >= fromNs && ns < toNs).length);
      const [calls, outsideCalls, offCpuCalls] = counts;
      if (toNs > smallest(all)) rows.push({ fromNs, toNs, calls, outsideCalls, offCpuCalls });
    }
    return rows;
  }

  private callers() {
    const callers = new Set([...this.complete, ...this.inferred].map(({ caller }) => caller));
    const rows = [...callers].map((caller) => {
      const [complete, inferred] = [this.complete, this.inferred].map((calls) =>
        calls.filter((call) => call.caller === caller),
      );
      const reported = this.reported.filter((call) => call.caller === caller);
      const children = reported.length === 0 ? [] : this.childrenOf(reported);
      return { caller, stats: statsOf(complete, inferred), children };
    });
    return rows.sort(
      (a, b) => b.stats.totalNs - a.stats.totalNs || b.stats.calls - a.stats.calls || this.compare(a.caller, b.caller),
    );
  }

  private chains() {
    const shown = ({ call }: AskedCall) => this.underRoot(this.shown(pathOf(call))).join('\n');
    const rows = [...new Set([...this.complete, ...this.inferred].map(shown))].map((path) => {
      const [complete, inferred] = [this.complete, this.inferred].map((calls) =>
        calls.filter((call) => shown(call) === path),
      );
      const { calls, unwound, avgNs, minNs, maxNs, longestCutNs } = statsOf(complete, inferred);
      const totalNs = sumNs(this.isOfParts ? inferred : complete);
      const range = { avgNs, minNs, maxNs, longestCutNs };
      return { path: path.split('\n'), calls, inferred: inferred.length, unwound, totalNs, ...range };
    });
    return rows.sort((a, b) => b.totalNs - a.totalNs || b.calls - a.calls || this.comparePaths(a.path, b.path));
  }

  /** A root has no caller. */
  private underRoot(path: readonly string[]): readonly string[] {
    const { root } = this.filter;
    return root === null ? path : path.slice(path.findIndex((fn) => root.has(fn)));
  }

  /** The longest calls: of equal ones the earlier, then those of the thread with the lower id. */
  private slowest(most: number) {
    const byTime = (a: AskedCall, b: AskedCall) => b.ns - a.ns || a.call.startNs - b.call.startNs || a.tid - b.tid;
    return this.complete
      .toSorted(byTime)
      .slice(0, most)
      .map((one) => {
        const { tid, call, ns: durationNs, outsideNs, offCpuNs } = one;
        const { startNs, isUnwound } = call;
        return { tid, startNs, durationNs, isUnwound, outsideNs, offCpuNs, differences: this.differences(one) };
      });
  }

  private shown(path: readonly string[]): string[] {
    return this.filter.foldsRecursion ? folded(path) : [...path];
  }

  /** What happened in these calls, by what they did directly; null: themselves. */
  private childrenOf(calls: readonly AskedCall[]) {
    const within = calls.flatMap(({ call }) =>
      this.window.times.flatMap(({ interval, path, ns }) => {
        const at = interval.stack.indexOf(call);
        return at === -1 ? [] : [{ child: this.shown(path.slice(at))[1] ?? null, path, ns }];
      }),
    );
    const made = calls.flatMap(({ call }) => this.callsDirectlyIn(call));
    const allNs = sumNs(within);
    const rows = [...new Set([null, ...within.map(({ child }) => child), ...made.map(({ fn }) => fn)])].map((child) => {
      const own = within.filter((time) => time.child === child);
      const count = child === null ? calls.length : made.filter(({ fn }) => fn === child).length;
      const totalNs = sumNs(own);
      return {
        child,
        calls: count,
        inferred: made.filter(({ fn, isComplete }) => fn === child && !isComplete).length,
        totalNs,
        outsideNs: child === null ? 0 : sumNs(own.filter(isStopped)),
        offCpuNs: child === null ? 0 : sumNs(own.filter(isOffCpu)),
        lostNs: child === null ? 0 : sumNs(own.filter(isLost)),
        avgNs: count > 0 ? totalNs / count : Number.NaN,
        perCallNs: totalNs / calls.length,
        share: allNs > 0 ? totalNs / allNs : 0,
      };
    });
    return rows.sort((a, b) => b.totalNs - a.totalNs || b.calls - a.calls || this.compare(a.child, b.child));
  }

  private callsDirectlyIn(asked: ReferenceCall): { fn: string; isComplete: boolean }[] {
    return this.window.calls
      .filter(({ call }) => {
        const at = call.stack.indexOf(asked);
        return at !== -1 && !this.isFolded(call) && this.shown(pathOf(call).slice(at)).length === 2;
      })
      .map(({ call, why }) => ({ fn: call.fn, isComplete: why === null }));
  }

  private isFolded({ fn, below }: ReferenceCall): boolean {
    return this.filter.foldsRecursion && below.at(-1) === fn;
  }

  /** As in a walk through the tree: at each frame the largest difference first. */
  private differences(one: AskedCall) {
    const own = this.partsOf([one]);
    const all = this.partsOf(this.complete);
    const calls = this.complete.length;
    const number = (parts: readonly Part[], path: readonly string[], isSelf: boolean) => {
      const under = parts.filter((part) => isUnder(part.path, path) && (!isSelf || part.path.length === path.length));
      const counted = under.filter((part) => part.path.length === path.length);
      return { ns: sumNs(under), calls: isSelf ? 0 : sum(counted.map((part) => part.calls)) };
    };
    const rowOf = (path: readonly string[], isSelf: boolean) => {
      const [mine, theirs] = [number(own, path, isSelf), number(all, path, isSelf)];
      const averageNs = theirs.ns / calls;
      return {
        fn: isSelf ? null : (path.at(-1) ?? null),
        depth: path.length + (isSelf ? 1 : 0),
        calls: mine.calls,
        ns: mine.ns,
        averageCalls: theirs.calls / calls,
        averageNs,
        differenceNs: mine.ns - averageNs,
      };
    };
    const walk = (path: readonly string[]): ReturnType<typeof rowOf>[] => {
      const below = [...own, ...all].filter((part) => isUnder(part.path, path) && part.path.length > path.length);
      const names = [...new Set(below.map((part) => part.path[path.length]))];
      if (names.length === 0) return [rowOf(path, false)];
      const parts = [null, ...names].map((name) => {
        return { name, row: name === null ? rowOf(path, true) : rowOf([...path, name], false) };
      });
      parts.sort((a, b) => b.row.differenceNs - a.row.differenceNs || this.compare(a.name, b.name));
      return [rowOf(path, false), ...parts.flatMap(({ name, row }) => (name === null ? [row] : walk([...path, name])))];
    };
    return walk([]);
  }

  /**
   * What happened in calls, by the path from there on. A selected call inside another one is one frame there, with its
   * stops on top.
   */
  private partsOf(calls: readonly AskedCall[]): Part[] {
    return calls.flatMap(({ call: asked }) => {
      const times = this.window.times.flatMap(({ interval: { stack }, path, ns }) => {
        const at = stack.indexOf(asked);
        return at === -1 ? [] : [{ path: this.cut(stack, path, at), calls: 0, ns }];
      });
      const made = this.window.calls.flatMap(({ call }) => {
        const at = call.stack.indexOf(asked);
        const isOfNested = call.stack.slice(at + 1, -1).some((other) => this.asked.has(other));
        if (at === -1 || isOfNested || (call !== asked && this.isFolded(call))) return [];
        return [{ path: this.cut(call.stack, pathOf(call), at), calls: 1, ns: 0 }];
      });
      return [...times, ...made];
    });
  }

  private cut(stack: readonly ReferenceCall[], path: readonly string[], at: number): string[] {
    const nested = stack.findIndex((call, index) => index > at && this.asked.has(call));
    if (nested === -1 || nested === stack.length - 1) return this.shown(path.slice(at)).slice(1);
    const leaf = this.shown(path.slice(at, nested + 1)).slice(1);
    return isStopName(path.at(-1) as string) ? [...leaf, path.at(-1) as string] : leaf;
  }

  private comparePaths(a: readonly string[], b: readonly string[]): number {
    const differs = a.findIndex((name, index) => name !== b[index]);
    return differs === -1 || differs >= b.length ? a.length - b.length : this.compare(a[differs], b[differs]);
  }
}

interface Part {
  readonly path: readonly string[];
  readonly calls: number;
  readonly ns: number;
}

function isUnder(path: readonly string[], top: readonly string[]): boolean {
  return top.every((name, index) => path[index] === name);
}

const isStopped = ({ path }: { readonly path: readonly string[] }) => isStopName(path.at(-1) ?? '');
const isLost = ({ path }: { readonly path: readonly string[] }) => isLostName(path.at(-1) ?? '');
const isOffCpu = ({ path }: { readonly path: readonly string[] }) => isOffCpuName(path.at(-1) ?? '');

function withTimes(seen: SeenCall, times: readonly SeenTime[], { foldsRecursion }: ReferenceFilter): AskedCall {
  const within = times.filter(({ interval }) => interval.stack.includes(seen.call));
  const caller = seen.call.below.at(-1) ?? null;
  const stopped = within.filter(isStopped);
  const isDirect = ({ interval: { stack }, path }: SeenTime) => {
    const above = path.slice(stack.indexOf(seen.call) + 1);
    return above.every((fn) => isStopName(fn) || (foldsRecursion && fn === seen.call.fn));
  };
  const outsideSelfNs = sumNs(stopped.filter(isDirect));
  return { ...seen, caller, outsideNs: sumNs(stopped), outsideSelfNs, offCpuNs: sumNs(within.filter(isOffCpu)) };
}

function statsOf(complete: readonly AskedCall[], inferred: readonly AskedCall[]) {
  const lasted = complete.map(({ ns }) => ns).sort((a, b) => a - b);
  return {
    calls: complete.length + inferred.length,
    inferred: inferred.length,
    unwound: complete.filter(({ call }) => call.isUnwound).length,
    longestCutNs: longestCutOf(inferred),
    totalNs: sum(lasted),
    outsideNs: sumNs(complete.map(({ outsideNs: ns }) => ({ ns }))),
    outsideSelfNs: sumNs(complete.map(({ outsideSelfNs: ns }) => ({ ns }))),
    offCpuNs: sumNs(complete.map(({ offCpuNs: ns }) => ({ ns }))),
    avgNs: sum(lasted) / lasted.length,
    minNs: lasted[0] ?? Number.NaN,
    maxNs: lasted.at(-1) ?? Number.NaN,
    p50Ns: nearestRank(lasted, 0.5),
    p90Ns: nearestRank(lasted, 0.9),
    p99Ns: nearestRank(lasted, 0.99),
    p999Ns: nearestRank(lasted, 0.999),
  };
}
