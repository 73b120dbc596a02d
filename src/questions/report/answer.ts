/**
 * Turns a profile into the table of functions that `ptflame report` prints.
 */

import type { FunctionSums } from '../../analysis/tree/functions.js';
import { longestNs } from '../../analysis/tree/functions.js';
import { isStop } from '../../analysis/tree/outside.js';
import { treeOfAllThreads } from '../../analysis/tree/reshape.js';
import type { Profile } from '../../model/profile/profile.js';
import { compareSymbols, SymbolKind, type SymbolTable } from '../../model/symbol-table.js';
import {
  durationsOfAllThreads,
  functionSums,
  headOf,
  named,
  qualityOf,
  statsOrNulls,
  traceSummary,
  treeTimes,
} from '../common.js';
import type { FunctionRow, Report } from './schema.js';

export type SortKey = 'total' | 'self' | 'outside' | 'calls' | 'avg' | 'max' | 'p99' | 'name';

export interface ReportOptions {
  /** Largest first; names in ascending order. Default: total. */
  readonly sort?: SortKey;
  /** The maximum number of rows in each table. Default: all. */
  readonly top?: number;
  /** Only functions whose name matches: `nameMatcher`. */
  readonly match?: (name: string) => boolean;
  /** Adds a table for each thread: the profile must have the trees of its threads. */
  readonly threads?: boolean;
}

export function reportOf(profile: Profile, options: ReportOptions = {}): Report {
  const { symbols } = profile;
  const durations = durationsOfAllThreads(profile);
  const tree = treeOfAllThreads(profile);
  const trace = traceSummary(profile, tree);
  const { hasSwitches } = trace;
  const rowsOf = (sums: FunctionSums[]) => functionRows(sums, symbols, options);
  const threads = profile.threads.map(({ tid, pid, comm, tree: own, durations: took }) => {
    const { totalNs, outsideNs, onCpuNs } = treeTimes(profile, own, hasSwitches);
    return {
      tid,
      pid,
      comm,
      totalNs,
      outsideNs,
      onCpuNs,
      functions: rowsOf(functionSums(profile, own, took, hasSwitches)),
    };
  });
  return {
    ...headOf('ptflame-report'),
    trace,
    functions: rowsOf(functionSums(profile, tree, durations, hasSwitches)),
    ...(options.threads && { threads: threads.sort((a, b) => b.totalNs - a.totalNs || a.tid - b.tid) }),
    quality: qualityOf(profile),
  };
}

/** The value that rows are sorted by; NaN sorts last. */
const KEYS: Readonly<Record<Exclude<SortKey, 'name'>, (row: FunctionSums) => number>> = {
  total: ({ totalNs }) => totalNs,
  self: ({ selfNs }) => selfNs,
  outside: ({ outsideNs }) => outsideNs,
  calls: ({ calls }) => calls,
  avg: ({ avgNs }) => avgNs,
  max: longestNs,
  p99: ({ p99Ns }) => p99Ns,
};

/** Ties by total time, then by name. */
function functionRows(rows: readonly FunctionSums[], symbols: SymbolTable, options: ReportOptions): FunctionRow[] {
  const { sort = 'total', top = rows.length, match } = options;
  const found = match ? rows.filter(({ symbol }) => match(symbols.name[symbol])) : [...rows];
  const byName = (a: FunctionSums, b: FunctionSums) => compareSymbols(symbols, a.symbol, b.symbol);
  const key = sort === 'name' ? () => 0 : KEYS[sort];
  const value = (row: FunctionSums) => (Number.isNaN(key(row)) ? -1 : key(row));
  const bySize = (a: FunctionSums, b: FunctionSums) => value(b) - value(a) || b.totalNs - a.totalNs;
  found.sort((a, b) => (sort === 'name' ? byName(a, b) : bySize(a, b) || byName(a, b)));
  return found.slice(0, top).map((row) => functionRow(row, symbols));
}

export function functionRow(sums: FunctionSums, symbols: SymbolTable): FunctionRow {
  const {
    symbol,
    calls,
    inferred,
    unwound,
    totalNs,
    selfNs,
    outsideNs,
    outsideSelfNs,
    onCpuNs,
    inferredNs,
    inferredBy,
  } = sums;
  return {
    ...named(symbols, symbol),
    isStop: isStop(symbol),
    ...(symbols.kind[symbol] === SymbolKind.Inlined && { isInlined: true }),
    ...{ calls, inferred, unwound, totalNs, selfNs, outsideNs, outsideSelfNs, onCpuNs, inferredNs },
    ...(inferredBy && inferredNs > 0 && { inferredBy }),
    ...statsOrNulls(sums),
  };
}
