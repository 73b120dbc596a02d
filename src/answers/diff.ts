/**
 * Two profiles in, what changed from one to the other out, function by function.
 */
import { type FunctionSums, functionsOf } from '../analysis/functions.js';
import type { CallTree } from '../model/call-tree.js';
import type { Profile } from '../model/profile.js';
import { compareUtf8 } from '../model/utf8-order.js';
import { aboutTrace, known, named, PRODUCER, wholeTree } from './common.js';
import type { Diff, DiffRow } from './schema.js';

export type DiffKey = 'self' | 'total' | 'calls' | 'avg';

export interface DiffOptions {
  /** What has changed most comes first. Default: self. */
  readonly sort?: DiffKey;
  /** So many at most. Default: all. */
  readonly top?: number;
  /** Only functions with such a name: `nameMatcher`. */
  readonly match?: (name: string) => boolean;
}

/** Functions are the same if their names are: files may lie elsewhere on another machine, or be another build. */
export function diffOf(before: Profile, after: Profile, options: DiffOptions = {}): Diff {
  const { sort = 'self', match } = options;
  const trees = [wholeTree(before), wholeTree(after)] as const;
  const [old, now] = [sumsByName(before, trees[0]), sumsByName(after, trees[1])];
  const names = [...new Set([...old.keys(), ...now.keys()])].filter((name) => !match || match(name));
  const rows = names.map((name) => diffRow(name, old.get(name) ?? NOTHING, now.get(name) ?? NOTHING));
  rows.sort((a, b) => changeOf(b, sort) - changeOf(a, sort) || compareUtf8(a.name, b.name));
  return {
    format: 'ptflame-diff',
    version: 1,
    producer: PRODUCER,
    before: aboutTrace(before, trees[0]),
    after: aboutTrace(after, trees[1]),
    functions: rows.slice(0, options.top ?? rows.length),
  };
}

interface Sums
  extends Pick<FunctionSums, 'calls' | 'inferred' | 'totalNs' | 'selfNs' | 'outsideNs' | 'completeNs' | 'p99Ns'> {
  readonly dso: string | null;
}

const NOTHING: Sums = {
  dso: null,
  calls: 0,
  inferred: 0,
  totalNs: 0,
  selfNs: 0,
  outsideNs: 0,
  completeNs: 0,
  p99Ns: Number.NaN,
};

/** Of several functions of one name the one with most time tells the file, and nobody the percentile. */
function sumsByName({ symbols, durations }: Profile, tree: CallTree): Map<string, Sums> {
  const sums = new Map<string, Sums>();
  const rows = functionsOf(tree, durations).sort((a, b) => b.totalNs - a.totalNs);
  for (const row of rows) {
    const { name, dso } = named(symbols, row.symbol);
    const known = sums.get(name);
    if (known === undefined) sums.set(name, { ...row, dso });
    else sums.set(name, added(known, row));
  }
  return sums;
}

function added(a: Sums, b: FunctionSums): Sums {
  return {
    dso: a.dso,
    calls: a.calls + b.calls,
    inferred: a.inferred + b.inferred,
    totalNs: a.totalNs + b.totalNs,
    selfNs: a.selfNs + b.selfNs,
    outsideNs: a.outsideNs + b.outsideNs,
    completeNs: a.completeNs + b.completeNs,
    p99Ns: Number.NaN,
  };
}

function diffRow(name: string, old: Sums, now: Sums): DiffRow {
  const change = (key: 'calls' | 'totalNs' | 'selfNs' | 'outsideNs') => ({ before: old[key], after: now[key] });
  return {
    name,
    dso: now.dso ?? old.dso,
    calls: change('calls'),
    totalNs: change('totalNs'),
    selfNs: change('selfNs'),
    outsideNs: change('outsideNs'),
    avgNs: { before: averageOf(old), after: averageOf(now) },
    p99Ns: { before: known(old.p99Ns), after: known(now.p99Ns) },
  };
}

/** How much it is, whichever way. */
function changeOf({ selfNs, totalNs, calls, avgNs }: DiffRow, key: DiffKey): number {
  const numbers = { self: selfNs, total: totalNs, calls, avg: avgNs }[key];
  return Math.abs((numbers.after ?? 0) - (numbers.before ?? 0));
}

function averageOf({ calls, inferred, completeNs }: Sums): number | null {
  return known(completeNs / (calls - inferred));
}
