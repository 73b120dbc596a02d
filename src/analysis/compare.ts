/**
 * Compares two recordings: merges two call trees into one shape (functions match by exact name, stops only match stops),
 * scales their numbers, and judges which differences may be chance.
 */
import { type CallTree, CallTreeBuilder, ROOT, selectNodes } from '../model/calls/call-tree.js';
import { bucketStart, type Histogram, percentile } from '../model/calls/durations.js';
import { nodeOrder } from '../model/calls/tree-view.js';
import { PtflameError } from '../model/errors.js';
import { compareUtf8 } from '../model/symbol-table.js';
import { type Nanoseconds, NONE, type NodeId, type SymbolId } from '../model/units.js';
import type { FunctionSums } from './tree/functions.js';
import { isStop } from './tree/outside.js';

/** A call tree, with the names of its symbols. */
export interface NamedSide {
  readonly tree: CallTree;
  readonly names: readonly string[];
}

/** A function or a kind of stop, with a symbol of it on each side; NONE: not known there. */
export interface MatchedName {
  readonly name: string;
  readonly before: SymbolId;
  readonly after: SymbolId;
}

/**
 * Two trees of equal shape: each node is one call path on both sides, with zeros where a side does not have it. In pre-order,
 * siblings by name. Symbols are rows of `names`.
 */
export interface MatchedTrees {
  readonly before: CallTree;
  readonly after: CallTree;
  readonly names: readonly MatchedName[];
}

export function matchTrees(before: NamedSide, after: NamedSide): MatchedTrees {
  const names = new MatchedNames();
  const [rowsBefore, rowsAfter] = [names.rowsOf(before, 'before'), names.rowsOf(after, 'after')];
  const shape = new CallTreeBuilder();
  const nodesBefore = shape.addPaths(before.tree, ROOT, (symbol) => rowsBefore[symbol]);
  const nodesAfter = shape.addPaths(after.tree, ROOT, (symbol) => rowsAfter[symbol]);
  const ranks = names.ranks();
  const { parent, symbol } = shape.build();
  const order = nodeOrder(
    { length: parent.length, parent },
    symbol.map((row) => ranks[row] ?? NONE),
  );
  const side = ({ tree }: NamedSide, nodes: Int32Array) => selectNodes(summed(parent, symbol, tree, nodes), order);
  return { before: side(before, nodesBefore), after: side(after, nodesAfter), names: names.all };
}

/** Returns a tree of this shape with the numbers of another one. */
function summed(parent: Int32Array, symbol: Int32Array, tree: CallTree, nodes: Int32Array): CallTree {
  const builder = new CallTreeBuilder();
  builder.addPaths({ length: parent.length, parent, symbol });
  for (let node: NodeId = ROOT; node < tree.length; node++) {
    builder.addCalls(nodes[node], tree, node);
    builder.addTime(nodes[node], tree, node);
  }
  return builder.build();
}

class MatchedNames {
  readonly all: { name: string; before: SymbolId; after: SymbolId; isStop: boolean }[] = [];
  private readonly rows = new Map<string, number>();

  /** Returns the row of each symbol of a side that its tree has. */
  rowsOf({ tree, names }: NamedSide, side: 'before' | 'after'): Int32Array {
    const rows = new Int32Array(names.length).fill(NONE);
    for (const symbol of tree.symbol)
      if (symbol !== NONE && rows[symbol] === NONE) rows[symbol] = this.rowOf(names[symbol] as string, symbol, side);
    return rows;
  }

  ranks(): Int32Array {
    const order = this.all.map((_, row) => row);
    order.sort((a, b) => compareUtf8(this.nameOf(a), this.nameOf(b)) || this.stopAt(a) - this.stopAt(b));
    const ranks = new Int32Array(order.length);
    order.forEach((row, rank) => {
      ranks[row] = rank;
    });
    return ranks;
  }

  private nameOf(row: number): string {
    return this.all[row]?.name ?? '';
  }

  private stopAt(row: number): number {
    return Number(this.all[row]?.isStop);
  }

  private rowOf(name: string, symbol: SymbolId, side: 'before' | 'after'): number {
    const key = `${isStop(symbol)} ${name}`; // a function may have the name of a stop
    let row = this.rows.get(key);
    if (row === undefined) {
      row = this.all.push({ name, before: NONE, after: NONE, isStop: isStop(symbol) }) - 1;
      this.rows.set(key, row);
    }
    const known = this.all[row] as (typeof this.all)[number];
    if (known[side] === NONE) known[side] = symbol;
    return row;
  }
}

// Scales the numbers of a recording, so that two recordings of different load or length can be compared.

/** Per call of the outermost functions, which `--root` chooses; per second of the recording. */
export type Per = 'call' | 'second';

const NS_PER_SECOND = 1e9;

/**
 * Returns the factor for times and numbers of calls; null: absolute numbers.
 *
 * @throws PtflameError BAD_OPTION if there is nothing to divide by
 */
export function scaleOf(tree: CallTree, durationNs: Nanoseconds, per: Per | null): number {
  if (per === null) return 1;
  const divisor = per === 'second' ? durationNs / NS_PER_SECOND : rootCalls(tree);
  if (divisor > 0) return 1 / divisor;
  throw new PtflameError(
    'BAD_OPTION',
    `--per ${per}: BEFORE or AFTER has no ${per === 'call' ? 'calls' : 'duration'}`,
    {
      hint: 'leave out --per',
    },
  );
}

/** Scales a number; what only rounding distinguishes is equal. */
export function scaled(value: number, scale: number): number {
  return scale === 1 ? value : Number((value * scale).toPrecision(12));
}

function rootCalls({ length, parent, symbol, calls }: CallTree): number {
  let sum = 0;
  for (let node = ROOT + 1; node < length; node++)
    if (parent[node] === ROOT && !isStop(symbol[node])) sum += calls[node];
  return sum;
}

// Judges whether two times may differ by chance: by the number of calls, and by how much their durations vary.
//
// Numbers of calls are exact and have no noise. Of durations, a difference is noise up to three standard errors (99.7 %), by
// Welch's test: few calls widen it by Student's factor. The variance is never underestimated: it is an upper bound from the
// histogram, or from the shortest, longest and average call.

/** Sums over calls, of which `complete` have a known duration. */
interface DurationSample {
  readonly complete: number;
  readonly completeNs: Nanoseconds;
  readonly minNs: Nanoseconds;
  readonly maxNs: Nanoseconds;
}

/** Returns an upper bound for the variance of durations, in ns²; NaN for fewer than two calls. */
export function variance({ complete, completeNs, minNs, maxNs }: DurationSample, histogram: Histogram | null): number {
  if (!(complete > 1) || !(maxNs >= minNs)) return Number.NaN;
  const avgNs = completeNs / complete;
  const byRange = Math.max(0, maxNs - avgNs) * Math.max(0, avgNs - minNs); // Bhatia and Davis, 2000
  const byHistogram = histogram ? farthestSquares(histogram, avgNs, minNs, maxNs) / complete : Number.POSITIVE_INFINITY;
  return (Math.min(byRange, byHistogram) * complete) / (complete - 1);
}

/** Sums the squared distances from the average, each call at the end of its bucket that is farther away. */
function farthestSquares({ bucket, calls }: Histogram, avgNs: number, minNs: number, maxNs: number): number {
  let sum = 0;
  for (let row = 0; row < calls.length; row++) {
    const from = Math.max(minNs, bucketStart(bucket[row]));
    const to = Math.min(maxNs, bucketStart(bucket[row] + 1) - 1);
    sum += calls[row] * Math.max((from - avgNs) ** 2, (to - avgNs) ** 2);
  }
  return sum;
}

/**
 * Returns an upper bound for the variance of self times, whose range is not recorded: from zero to the longest call. They are
 * assumed to vary no more than the durations of the calls.
 */
export function selfVariance({ complete, maxNs }: DurationSample, selfNs: Nanoseconds, ofCalls: number): number {
  if (Number.isNaN(ofCalls)) return Number.NaN;
  const avgNs = selfNs / complete;
  return Math.min(ofCalls, (Math.max(0, maxNs - avgNs) * avgNs * complete) / (complete - 1));
}

/** The variance of a number that is one side of a difference, estimated from this many calls. */
interface Uncertainty {
  readonly variance: number;
  readonly calls: number;
}

/** Returns the largest difference that may be chance; NaN if unknown, as one side has fewer than two calls. */
export function noiseOf(before: Uncertainty, after: Uncertainty): number {
  const sum = before.variance + after.variance;
  if (Number.isNaN(sum) || !(before.calls > 1 && after.calls > 1)) return Number.NaN;
  if (sum === 0) return 0;
  const [a, b] = [before.variance / sum, after.variance / sum];
  const freedom = 1 / (a ** 2 / (before.calls - 1) + b ** 2 / (after.calls - 1)); // Welch and Satterthwaite
  return studentFactor(freedom) * Math.sqrt(sum);
}

const SIGMAS = 3;
/** Student's factors that correspond to three standard deviations, by degrees of freedom from 1. */
const FACTORS = [235.8, 19.21, 9.22, 6.62, 5.51, 4.9, 4.53, 4.28, 4.09, 3.96] as const;

/** Returns Student's factor; for more degrees of freedom than the table has, by the expansion of Cornish and Fisher. */
function studentFactor(freedom: number): number {
  const known = FACTORS[Math.max(1, Math.floor(freedom)) - 1];
  if (known !== undefined) return known;
  const z = SIGMAS;
  return z + (z ** 3 + z) / (4 * freedom) + (5 * z ** 5 + 16 * z ** 3 + 3 * z) / (96 * freedom ** 2);
}

/** Whether a difference may be chance. Equal numbers do not differ, and unknown noise excuses nothing. */
export function isWithinNoise(before: number, after: number, noise: number): boolean {
  return before !== after && Math.abs(after - before) <= noise;
}

/** The calls of a function, with their histogram. */
interface CountedSample extends DurationSample {
  readonly histogram: Histogram | null;
}

/** Where a percentile is to be expected, in nanoseconds: `high` is infinite if no call is certainly beyond it. */
export interface QuantileRange {
  readonly low: Nanoseconds;
  readonly high: Nanoseconds;
}

/** Whether two percentiles may differ by chance: whether their ranges overlap. False if they are not known. */
export function mayShareQuantile(a: QuantileRange | null, b: QuantileRange | null): boolean {
  return a !== null && b !== null && a.low <= b.high && b.low <= a.high;
}

/** Returns the range by the number of calls alone; null: the durations are not known. */
export function quantileRange(sample: CountedSample, part: number): QuantileRange | null {
  const { complete, histogram, minNs, maxNs } = sample;
  if (histogram === null || complete === 0) return null;
  const error = SIGMAS * Math.sqrt(complete * part * (1 - part));
  const [first, last] = [Math.floor(complete * part - error), Math.ceil(complete * part + error)];
  const valueAt = (rank: number) => percentile(histogram, rank / complete, minNs, maxNs);
  return { low: first < 1 ? 0 : valueAt(first), high: last > complete ? Number.POSITIVE_INFINITY : valueAt(last) };
}

/** The sums of one side of a comparison. */
export interface ComparedSums
  extends Pick<FunctionSums, 'calls' | 'inferred' | 'completeNs' | 'minNs' | 'maxNs' | 'selfNs'> {
  /** null: unknown. */
  readonly histogram: Histogram | null;
  /** What times and numbers of calls are multiplied by, which these are not. */
  readonly scale: number;
}

/** The largest differences that may be chance; NaN if unknown. Where p99 is to be expected; null: unknown. */
export interface NoiseOfSums extends Readonly<Record<'totalNs' | 'selfNs' | 'avgNs', Nanoseconds>> {
  readonly p99: { readonly before: QuantileRange | null; readonly after: QuantileRange | null };
}

export function noiseOfSums(before: ComparedSums, after: ComparedSums): NoiseOfSums {
  const [old, now] = [uncertaintiesOf(before), uncertaintiesOf(after)];
  return {
    totalNs: noiseOf(old.totalNs, now.totalNs),
    selfNs: noiseOf(old.selfNs, now.selfNs),
    avgNs: noiseOf(old.avgNs, now.avgNs),
    p99: { before: quantileRange(old.sample, 0.99), after: quantileRange(now.sample, 0.99) },
  };
}

/** Returns by how much the average duration of complete calls may differ by chance; NaN for fewer than two. */
export function averageNoise(
  sums: Omit<ComparedSums, 'scale' | 'histogram'>,
  histogram: Histogram | null,
): Nanoseconds {
  const { avgNs } = uncertaintiesOf({ ...sums, histogram, scale: 1 });
  return noiseOf(avgNs, { variance: 0, calls: Number.POSITIVE_INFINITY });
}

/** Of the duration of one call, and of sums over all of them. */
function uncertaintiesOf({ scale, selfNs, ...sums }: ComparedSums) {
  const complete = sums.calls - sums.inferred;
  const sample = { ...sums, complete };
  const ofCall = variance(sample, sums.histogram);
  const ofSum = (variance: number) => ({ variance: variance * complete * scale ** 2, calls: complete });
  return {
    sample,
    avgNs: { variance: ofCall / complete, calls: complete },
    totalNs: ofSum(ofCall),
    selfNs: ofSum(selfVariance(sample, selfNs, ofCall)),
  };
}
