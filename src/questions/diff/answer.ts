/**
 * Compares two profiles function by function.
 */
import {
  isWithinNoise,
  mayShareQuantile,
  type NoiseOfSums,
  noiseOfSums,
  type Per,
  type QuantileRange,
  scaleOf,
} from '../../analysis/compare.js';
import type { FunctionSums } from '../../analysis/tree/functions.js';
import { isStop } from '../../analysis/tree/outside.js';
import { treeOfAllThreads } from '../../analysis/tree/reshape.js';
import { type Histogram, histogramsOf } from '../../model/calls/durations.js';
import type { Profile } from '../../model/profile/profile.js';
import type { SourceLine } from '../../model/symbol-table.js';
import { compareUtf8 } from '../../model/symbol-table.js';
import {
  durationsOfAllThreads,
  finiteOrNull,
  functionSums,
  headOf,
  named,
  qualityOf,
  traceSummary,
} from '../common.js';
import type { Diff, DiffRow } from './schema.js';

export type DiffKey = 'self' | 'total' | 'calls' | 'avg';

export interface DiffOptions {
  /** The largest change comes first. Default: self. */
  readonly sort?: DiffKey;
  /** The maximum number of rows. Default: all. */
  readonly top?: number;
  /** Only functions whose name matches: `nameMatcher`. */
  readonly match?: (name: string) => boolean;
  /** Divides times and calls by the calls of the outermost functions, or by the seconds of the recording. Default: null. */
  readonly per?: Per | null;
}

/** Functions are matched by name: files may have another path on another machine, or be another build. */
export function diffOf(before: Profile, after: Profile, options: DiffOptions = {}): Diff {
  const { sort = 'self', match, per = null } = options;
  const sides = [diffSide(before, per), diffSide(after, per)] as const;
  const [old, now] = sides;
  const found = [...new Map([...old.functions, ...now.functions])].filter(([, { name }]) => !match || match(name));
  const rows = found.map(([key, row]) => diffRow(key, row, sides));
  rows.sort(
    (a, b) =>
      changeOf(b, sort) - changeOf(a, sort) || compareUtf8(a.name, b.name) || Number(a.isStop) - Number(b.isStop),
  );
  return {
    ...headOf('ptflame-diff'),
    per,
    before: old.summary,
    after: now.summary,
    changed: rows.filter(isChanged).length,
    functions: rows.slice(0, options.top ?? rows.length),
    quality: { before: qualityOf(before), after: qualityOf(after) },
  };
}

/** Whether a function is new or gone, or has other times or calls. */
export function isChanged(row: DiffRow): boolean {
  const { isNew, isGone, calls, inferred, unwound, totalNs, selfNs, outsideNs, outsideSelfNs, avgNs, maxNs } = row;
  const changes = [calls, inferred, unwound, totalNs, selfNs, outsideNs, outsideSelfNs, avgNs, maxNs];
  return isNew || isGone || changes.some(({ before, after }) => before !== after);
}

const SCALED = ['calls', 'inferred', 'unwound', 'totalNs', 'selfNs', 'outsideNs', 'outsideSelfNs'] as const;
const UNSCALED = ['p99Ns', 'maxNs', 'longestCutNs'] as const;

function diffRow(key: string, { name, isStop }: NameSums, [old, now]: readonly [DiffSide, DiffSide]): DiffRow {
  const [before, after] = [old.functions.get(key) ?? ABSENT, now.functions.get(key) ?? ABSENT];
  const columns = <Key extends string, Value>(keys: readonly Key[], value: (key: Key) => Value) =>
    Object.fromEntries(keys.map((column) => [column, value(column)])) as Record<Key, Value>;
  const scaled = columns(SCALED, (column) => ({
    before: before[column] * old.scale,
    after: after[column] * now.scale,
  }));
  const changes = {
    ...scaled,
    ...columns(UNSCALED, (column) => ({ before: finiteOrNull(before[column]), after: finiteOrNull(after[column]) })),
    avgNs: { before: averageOf(before), after: averageOf(after) },
  };
  const srcline = after.srcline ?? before.srcline;
  return {
    name,
    dso: after.dso ?? before.dso,
    ...(srcline && { srcline }),
    isStop,
    isNew: !old.functions.has(key),
    isGone: !now.functions.has(key),
    ...changes,
    complete: { before: completeCalls(before), after: completeCalls(after) },
    ...noiseOfRow(changes, noiseOfSums({ ...before, scale: old.scale }, { ...after, scale: now.scale })),
  };
}

function noiseOfRow(changes: Pick<DiffRow, NoisyColumn | 'p99Ns'>, { p99, ...noise }: NoiseOfSums) {
  const isNoise = (column: NoisyColumn) => {
    const { before, after } = changes[column];
    return before !== null && after !== null && isWithinNoise(before, after, noise[column]);
  };
  return {
    p99Range: { before: rangeOf(p99.before), after: rangeOf(p99.after) },
    noise: {
      totalNs: finiteOrNull(noise.totalNs),
      selfNs: finiteOrNull(noise.selfNs),
      avgNs: finiteOrNull(noise.avgNs),
    },
    withinNoise: {
      totalNs: isNoise('totalNs'),
      selfNs: isNoise('selfNs'),
      avgNs: isNoise('avgNs'),
      p99Ns: changes.p99Ns.before !== changes.p99Ns.after && mayShareQuantile(p99.before, p99.after),
    },
  };
}

function rangeOf(range: QuantileRange | null): DiffRow['p99Range']['before'] {
  return range && { lowNs: range.low, highNs: finiteOrNull(range.high) };
}

type NoisyColumn = 'totalNs' | 'selfNs' | 'avgNs';

/** Returns the size of a change, up or down. */
function changeOf({ selfNs, totalNs, calls, avgNs }: DiffRow, key: DiffKey): number {
  const numbers = { self: selfNs, total: totalNs, calls, avg: avgNs }[key];
  return Math.abs((numbers.after ?? 0) - (numbers.before ?? 0));
}

function averageOf(sums: Pick<NameSums, 'calls' | 'inferred' | 'completeNs'>): number | null {
  return finiteOrNull(sums.completeNs / completeCalls(sums));
}

function completeCalls({ calls, inferred }: Pick<NameSums, 'calls' | 'inferred'>): number {
  return calls - inferred;
}

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

/**
 * Sums up a profile by name, as one side of a comparison.
 *
 * What is known of a name. If several functions have it, they are summed up, and p99 is NaN.
 */
interface NameSums extends Pick<FunctionSums, (typeof ADDED)[number] | 'minNs' | 'maxNs' | 'p99Ns' | 'longestCutNs'> {
  readonly name: string;
  /** Of the function with most time. */
  readonly dso: string | null;
  /** Of the same function; absent: unknown. */
  readonly srcline?: SourceLine | undefined;
  readonly isStop: boolean;
  /** null: unknown, or several functions have the name. */
  readonly histogram: Histogram | null;
}

interface DiffSide {
  readonly summary: ReturnType<typeof traceSummary>;
  /** Factor for times and numbers of calls. */
  readonly scale: number;
  /** By kind and name. */
  readonly functions: ReadonlyMap<string, NameSums>;
}

function diffSide(profile: Profile, per: Per | null): DiffSide {
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
const ABSENT: Omit<NameSums, 'name' | 'isStop'> = {
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
