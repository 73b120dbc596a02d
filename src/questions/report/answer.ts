/**
 * Turns a profile into the table of functions that `ptflame report` prints.
 */

import type { FunctionSums } from '../../analysis/tree/functions.js';
import { longestNs } from '../../analysis/tree/functions.js';
import { type InterruptSums, interruptsOf } from '../../analysis/tree/interrupts.js';
import { isStop } from '../../analysis/tree/outside.js';
import { treeOfAllThreads } from '../../analysis/tree/reshape.js';
import type { CallTree } from '../../model/calls/call-tree.js';
import { kernelEntryOf } from '../../model/kernel-code.js';
import type { Profile } from '../../model/profile/profile.js';
import { compareSymbols, dsoOf, lineOf, SymbolKind, type SymbolTable } from '../../model/symbol-table.js';
import { NONE, type SymbolId } from '../../model/units.js';
import {
  durationsOfAllThreads,
  finiteOrNull,
  functionSums,
  headOf,
  named,
  qualityOf,
  rounded,
  traceSummary,
  treeTimes,
} from '../common.js';
import type { FunctionRow, InterruptRow, Report, ThreadReport } from './schema.js';

export type SortKey = 'total' | 'self' | 'outside' | 'calls' | 'avg' | 'max' | 'p99' | 'name';

export interface ReportOptions {
  /** Largest first; names in ascending order. Default: total. */
  readonly sort?: SortKey;
  /** The maximum number of rows in each table. Default: all. */
  readonly top?: number;
  /** Only functions whose name matches: `nameMatcher`. */
  readonly match?: (name: string) => boolean;
  /** Adds a table of interrupts, by what they interrupted. */
  readonly interrupts?: boolean;
  /** Adds a table for each thread: the profile must have the trees of its threads. */
  readonly threads?: boolean;
}

/** A report that sums up a thread when it is read, so that many threads take neither memory nor a long time at once. */
export type StreamedReport = Omit<Report, 'threads'> & { readonly threads?: Iterable<ThreadReport> | undefined };

export function reportOf(profile: Profile, options: ReportOptions = {}): Report {
  const { threads, ...report } = streamedReport(profile, options);
  return threads === undefined ? report : { ...report, threads: [...threads] };
}

export function streamedReport(profile: Profile, options: ReportOptions = {}): StreamedReport {
  const { symbols } = profile;
  const durations = durationsOfAllThreads(profile);
  const tree = treeOfAllThreads(profile);
  const trace = traceSummary(profile, tree);
  return {
    ...headOf('ptflame-report'),
    trace,
    functions: functionRows(functionSums(profile, tree, durations, trace.hasSwitches), symbols, options),
    ...(options.interrupts && { interrupts: interruptRows(tree, symbols, options) }),
    ...(options.threads && {
      threads: { [Symbol.iterator]: () => threadReports(profile, trace.hasSwitches, options) },
    }),
    quality: qualityOf(profile),
  };
}

/** Those with the most time first. */
function* threadReports(
  profile: Profile,
  hasSwitches: boolean,
  options: ReportOptions,
): Generator<ThreadReport, void, void> {
  const timed = profile.threads.map((thread) => ({ thread, times: treeTimes(profile, thread.tree, hasSwitches) }));
  timed.sort((a, b) => b.times.totalNs - a.times.totalNs || a.thread.tid - b.thread.tid);
  for (const { thread, times } of timed) {
    const { tid, pid, comm, tree, durations } = thread;
    const { totalNs, outsideNs, onCpuNs } = times;
    const sums = functionSums(profile, tree, durations, hasSwitches);
    yield {
      ...{ tid, pid, comm, totalNs, outsideNs, onCpuNs, functions: functionRows(sums, profile.symbols, options) },
      ...(options.interrupts && { interrupts: interruptRows(tree, profile.symbols, options) }),
    };
  }
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

/** What rows of interrupts are sorted by: anything else is their total time. */
const INTERRUPT_KEYS: Readonly<Partial<Record<SortKey, (row: InterruptSums) => number>>> = {
  calls: ({ calls }) => calls,
  avg: ({ calls, totalNs }) => totalNs / Math.max(1, calls),
  max: ({ maxNs }) => maxNs,
};

/** Those of a function, or of an interrupt, whose name matches. */
function interruptRows(tree: CallTree, symbols: SymbolTable, options: ReportOptions): InterruptRow[] {
  const { sort = 'total', top, match = () => true } = options;
  const isMatch = (symbol: SymbolId) => symbol !== NONE && match(symbols.name[symbol]);
  const found = interruptsOf(tree, symbols).filter((row) =>
    [row.symbol, row.interrupted, ...row.handlers].some(isMatch),
  );
  const byName = (a: InterruptSums, b: InterruptSums) =>
    compareSymbols(symbols, a.symbol, b.symbol) || compareSymbols(symbols, a.interrupted, b.interrupted);
  const key = INTERRUPT_KEYS[sort] ?? (({ totalNs }) => totalNs);
  found.sort((a, b) => (sort === 'name' ? byName(a, b) : key(b) - key(a) || b.totalNs - a.totalNs || byName(a, b)));
  return found.slice(0, top).map(({ symbol, interrupted, calls, totalNs, maxNs, handlers }) => ({
    ...named(symbols, symbol),
    entry: kernelEntryOf(symbols, symbol) as InterruptRow['entry'],
    interrupted: interrupted === NONE ? null : named(symbols, interrupted),
    calls,
    totalNs,
    avgNs: calls > 0 ? rounded(totalNs / calls) : null,
    maxNs: finiteOrNull(maxNs),
    handlers: handlers.map((handler) => named(symbols, handler)),
  }));
}

/** A literal, as there are as many rows as threads have functions: spread objects take three times as long. */
export function functionRow(sums: FunctionSums, symbols: SymbolTable): FunctionRow {
  const { symbol, inferredNs } = sums;
  return {
    name: symbols.name[symbol],
    dso: dsoOf(symbols, symbol),
    srcline: lineOf(symbols, symbol) ?? undefined,
    isStop: isStop(symbol),
    entry: kernelEntryOf(symbols, symbol) ?? undefined,
    isInlined: symbols.kind[symbol] === SymbolKind.Inlined ? true : undefined,
    calls: sums.calls,
    inferred: sums.inferred,
    unwound: sums.unwound,
    totalNs: sums.totalNs,
    selfNs: sums.selfNs,
    outsideNs: sums.outsideNs,
    outsideSelfNs: sums.outsideSelfNs,
    onCpuNs: sums.onCpuNs,
    userNs: sums.userNs,
    kernelNs: sums.kernelNs,
    interruptNs: sums.interruptNs,
    offCpuNs: sums.userNs === undefined ? undefined : sums.offCpuNs,
    asideNs: sums.asideNs,
    inferredNs,
    inferredBy: inferredNs > 0 ? sums.inferredBy : undefined,
    avgNs: finiteOrNull(sums.avgNs),
    minNs: finiteOrNull(sums.minNs),
    maxNs: finiteOrNull(sums.maxNs),
    longestCutNs: finiteOrNull(sums.longestCutNs),
    p50Ns: finiteOrNull(sums.p50Ns),
    p90Ns: finiteOrNull(sums.p90Ns),
    p99Ns: finiteOrNull(sums.p99Ns),
  };
}
