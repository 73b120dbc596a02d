/**
 * Sums up a profile by name, as one side of a comparison.
 */
import { selfVariance, variance } from '../../analysis/diff/noise.js';
import { type Per, scaleOf } from '../../analysis/diff/scale.js';
import { treeOfAllThreads } from '../../analysis/tree/all-threads.js';
import type { FunctionSums } from '../../analysis/tree/functions.js';
import { isStop } from '../../analysis/tree/outside.js';
import { type Histogram, histogramsOf } from '../../model/calls/durations.js';
import type { SourceLine } from '../../model/names/symbol-table.js';
import type { Profile } from '../../model/profile/profile.js';
import { durationsOfAllThreads, functionSums, named, traceSummary } from '../common.js';

const ADDED = [
  'calls',
  'inferred',
  'unwound',
  'totalNs',
  'selfNs',
  'outsideNs',
  'outsideSelfNs',
  'completeNs',
] as const satisfies readonly (keyof FunctionSums)[];

/** What is known of a name. If several functions have it, they are summed up, and p99 is NaN. */
export interface NameSums
  extends Pick<FunctionSums, (typeof ADDED)[number] | 'minNs' | 'maxNs' | 'p99Ns' | 'longestCutNs'> {
  readonly name: string;
  /** Of the function with most time. */
  readonly dso: string | null;
  /** Of the same function; absent: unknown. */
  readonly srcline?: SourceLine | undefined;
  readonly isStop: boolean;
  /** null: unknown, or several functions have the name. */
  readonly histogram: Histogram | null;
}

export interface DiffSide {
  readonly summary: ReturnType<typeof traceSummary>;
  /** Factor for times and numbers of calls. */
  readonly scale: number;
  /** By kind and name. */
  readonly functions: ReadonlyMap<string, NameSums>;
}

export function diffSide(profile: Profile, per: Per | null): DiffSide {
  const tree = treeOfAllThreads(profile);
  const summary = traceSummary(profile, tree);
  const durations = durationsOfAllThreads(profile);
  const histograms = durations && histogramsOf(durations);
  const functions = new Map<string, NameSums>();
  const rows = functionSums(profile, tree, durations, summary.hasSwitches).sort((a, b) => b.totalNs - a.totalNs);
  for (const row of rows) {
    const { name, ...where } = named(profile.symbols, row.symbol);
    const key = `${isStop(row.symbol)} ${name}`; // a function may have the name of a stop
    const known = functions.get(key);
    const histogram = histograms?.get(row.symbol) ?? null;
    functions.set(key, known ? added(known, row) : { ...row, name, ...where, isStop: isStop(row.symbol), histogram });
  }
  return { summary, scale: scaleOf(tree, summary.durationNs, per), functions };
}

function added(a: NameSums, b: FunctionSums): NameSums {
  const sums = Object.fromEntries(ADDED.map((key) => [key, a[key] + b[key]])) as Pick<NameSums, (typeof ADDED)[number]>;
  const minNs = -largerOf(-a.minNs, -b.minNs);
  const [maxNs, longestCutNs] = [largerOf(a.maxNs, b.maxNs), largerOf(a.longestCutNs, b.longestCutNs)];
  return { ...a, ...sums, minNs, maxNs, longestCutNs, p99Ns: Number.NaN, histogram: null };
}

/** Returns the larger number; NaN: no value. */
function largerOf(a: number, b: number): number {
  return Number.isNaN(a) || b > a ? b : a;
}

/** What a side has of a name that only the other side has. */
export const ABSENT: Omit<NameSums, 'name' | 'isStop'> = {
  dso: null,
  calls: 0,
  inferred: 0,
  unwound: 0,
  totalNs: 0,
  selfNs: 0,
  outsideNs: 0,
  outsideSelfNs: 0,
  completeNs: 0,
  minNs: Number.NaN,
  maxNs: Number.NaN,
  p99Ns: Number.NaN,
  longestCutNs: Number.NaN,
  histogram: null,
};

/** The variances of the numbers of a function: of one call, and of sums over all of them. */
export function variancesOf(sums: Pick<NameSums, keyof typeof ABSENT>, scale: number) {
  const complete = sums.calls - sums.inferred;
  const sample = { ...sums, complete };
  const ofCall = variance(sample, sums.histogram);
  const ofSelf = selfVariance(sample, sums.selfNs, ofCall);
  const ofSum = (variance: number) => ({ variance: variance * complete * scale ** 2, calls: complete });
  return {
    sample,
    avgNs: { variance: ofCall / complete, calls: complete },
    totalNs: ofSum(ofCall),
    selfNs: ofSum(ofSelf),
  };
}
