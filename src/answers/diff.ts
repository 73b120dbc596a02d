/**
 * Compares two profiles function by function.
 */
import { type FunctionSums, functionsOf } from '../analysis/tree/functions.js';
import { isStop } from '../analysis/tree/outside.js';
import type { CallTree } from '../model/calls/call-tree.js';
import { compareUtf8 } from '../model/names/utf8-order.js';
import type { Profile } from '../model/profile/profile.js';
import {
  durationsOfAllThreads,
  finiteOrNull,
  named,
  PRODUCER,
  qualityOf,
  traceSummary,
  treeOfAllThreads,
} from './common.js';
import type { Diff, DiffRow } from './schema.js';

export type DiffKey = 'self' | 'total' | 'calls' | 'avg';

export interface DiffOptions {
  /** The largest change comes first. Default: self. */
  readonly sort?: DiffKey;
  /** The maximum number of rows. Default: all. */
  readonly top?: number;
  /** Only functions whose name matches: `nameMatcher`. */
  readonly match?: (name: string) => boolean;
}

/** Functions are matched by name: files may have another path on another machine, or be another build. */
export function diffOf(before: Profile, after: Profile, options: DiffOptions = {}): Diff {
  const { sort = 'self', match } = options;
  const trees = [treeOfAllThreads(before), treeOfAllThreads(after)] as const;
  const summaries = [traceSummary(before, trees[0]), traceSummary(after, trees[1])] as const;
  const old = sumsByName(before, trees[0], summaries[0].hasSwitches);
  const now = sumsByName(after, trees[1], summaries[1].hasSwitches);
  const found = [...new Map([...old, ...now])].filter(([, { name }]) => !match || match(name));
  const rows = found.map(([key, row]) => diffRow(row, old.get(key) ?? ABSENT, now.get(key) ?? ABSENT));
  rows.sort(
    (a, b) =>
      changeOf(b, sort) - changeOf(a, sort) || compareUtf8(a.name, b.name) || Number(a.isStop) - Number(b.isStop),
  );
  return {
    format: 'ptflame-diff',
    version: 2,
    producer: PRODUCER,
    before: summaries[0],
    after: summaries[1],
    functions: rows.slice(0, options.top ?? rows.length),
    quality: { before: qualityOf(before), after: qualityOf(after) },
  };
}

const SUMMED = [
  'calls',
  'inferred',
  'unwound',
  'totalNs',
  'selfNs',
  'outsideNs',
  'outsideSelfNs',
  'completeNs',
] as const;

interface NamedSums extends Pick<FunctionSums, (typeof SUMMED)[number] | 'p99Ns' | 'maxNs' | 'longestCutNs'> {
  readonly name: string;
  readonly dso: string | null;
  readonly isStop: boolean;
}

type FunctionTotals = Omit<NamedSums, 'name' | 'isStop'>;

const ABSENT: FunctionTotals = {
  dso: null,
  calls: 0,
  inferred: 0,
  unwound: 0,
  totalNs: 0,
  selfNs: 0,
  outsideNs: 0,
  outsideSelfNs: 0,
  completeNs: 0,
  p99Ns: Number.NaN,
  maxNs: Number.NaN,
  longestCutNs: Number.NaN,
};

/** By kind and name. Functions with the same name are summed: the one with most time gives the file, and p99 is NaN. */
function sumsByName(profile: Profile, tree: CallTree, hasSwitches: boolean): Map<string, NamedSums> {
  const sums = new Map<string, NamedSums>();
  const { symbols } = profile;
  const rows = functionsOf(tree, durationsOfAllThreads(profile), hasSwitches).sort((a, b) => b.totalNs - a.totalNs);
  for (const row of rows) {
    const { name, dso } = named(symbols, row.symbol);
    const key = `${isStop(row.symbol)} ${name}`; // a function may have the name of a stop
    const known = sums.get(key);
    if (known === undefined) sums.set(key, { ...row, name, dso, isStop: isStop(row.symbol) });
    else sums.set(key, addSums(known, row));
  }
  return sums;
}

function addSums(a: NamedSums, b: FunctionSums): NamedSums {
  const { name, dso } = a;
  const sums = Object.fromEntries(SUMMED.map((key) => [key, a[key] + b[key]])) as Pick<
    NamedSums,
    (typeof SUMMED)[number]
  >;
  const [maxNs, longestCutNs] = [largerOf(a.maxNs, b.maxNs), largerOf(a.longestCutNs, b.longestCutNs)];
  return { name, dso, isStop: a.isStop, ...sums, p99Ns: Number.NaN, maxNs, longestCutNs };
}

/** Returns the larger number; NaN: no value. */
function largerOf(a: number, b: number): number {
  return Number.isNaN(a) || b > a ? b : a;
}

function diffRow({ name, isStop }: NamedSums, old: FunctionTotals, now: FunctionTotals): DiffRow {
  const change = (key: (typeof SUMMED)[number]) => ({ before: old[key], after: now[key] });
  const knownChange = (key: 'p99Ns' | 'maxNs' | 'longestCutNs') => ({
    before: finiteOrNull(old[key]),
    after: finiteOrNull(now[key]),
  });
  return {
    name,
    dso: now.dso ?? old.dso,
    isStop,
    calls: change('calls'),
    inferred: change('inferred'),
    unwound: change('unwound'),
    totalNs: change('totalNs'),
    selfNs: change('selfNs'),
    outsideNs: change('outsideNs'),
    outsideSelfNs: change('outsideSelfNs'),
    avgNs: { before: averageOf(old), after: averageOf(now) },
    p99Ns: knownChange('p99Ns'),
    maxNs: knownChange('maxNs'),
    longestCutNs: knownChange('longestCutNs'),
  };
}

/** Returns the size of a change, up or down. */
function changeOf({ selfNs, totalNs, calls, avgNs }: DiffRow, key: DiffKey): number {
  const numbers = { self: selfNs, total: totalNs, calls, avg: avgNs }[key];
  return Math.abs((numbers.after ?? 0) - (numbers.before ?? 0));
}

function averageOf({ calls, inferred, completeNs }: FunctionTotals): number | null {
  return finiteOrNull(completeNs / (calls - inferred));
}
