/**
 * What all answers share: names of symbols, times as text, and a summary of the trace.
 */

import type { DurationRange, DurationStats } from '../analysis/tree/functions.js';
import { type FunctionSums, functionsOf } from '../analysis/tree/functions.js';
import { onCpuNs, recordsSwitches, timeSums, timeSumsAt } from '../analysis/tree/outside.js';
import { type CallTree, ROOT } from '../model/calls/call-tree.js';
import { type FunctionDurations, mergeDurations } from '../model/calls/durations.js';
import { eachPercentile, type PercentileKey, type Percentiles } from '../model/percentiles.js';
import type { Profile, TraceMeta } from '../model/profile/profile.js';
import { withRemedies } from '../model/profile/profile.js';
import { dsoOf, lineOf, type SourceLine, type SymbolTable } from '../model/symbol-table.js';
import { perfTimeText } from '../model/trace/perf-time.js';
import type { Nanoseconds, SymbolId } from '../model/units.js';
import { PTFLAME_VERSION } from '../model/version.js';
import type { Stacks } from './stacks/schema.js';

/** The first fields of an answer. */
export function headOf<Format extends string>(format: Format) {
  return { format, version: 2, producer: { name: 'ptflame', version: PTFLAME_VERSION } } as const;
}

/** What a question finds: its answer without the head, and the profile; null: nothing is known of calls. */
export type Found<Answer> = Omit<Answer, 'format' | 'version' | 'producer' | 'quality'> & {
  readonly profile: Profile | null;
};

export interface Named {
  readonly name: string;
  readonly dso: string | null;
  /** Where it begins in source code; absent: unknown. */
  readonly srcline?: SourceLine | undefined;
}

export function named(symbols: SymbolTable, symbol: SymbolId): Named {
  const srcline = lineOf(symbols, symbol);
  return { name: symbols.name[symbol], dso: dsoOf(symbols, symbol), ...(srcline && { srcline }) };
}

/** Rounds to thousandths. JSON has no NaN or infinity: they become null. */
export function finiteOrNull(value: number): number | null {
  return Number.isFinite(value) ? rounded(value) : null;
}

export function rangeOrNulls({ avgNs, minNs, maxNs, longestCutNs }: DurationRange) {
  return {
    avgNs: finiteOrNull(avgNs),
    minNs: finiteOrNull(minNs),
    maxNs: finiteOrNull(maxNs),
    longestCutNs: finiteOrNull(longestCutNs),
  };
}

export function statsOrNulls(stats: DurationStats) {
  return { ...rangeOrNulls(stats), ...percentilesOrNulls(stats) };
}

export function percentilesOrNulls(stats: Percentiles): Record<PercentileKey, number | null> {
  return eachPercentile(({ key }) => finiteOrNull(stats[key]));
}

export function rounded(value: number): number {
  return Math.round(value * 1000) / 1000;
}

/** perf's clock at time 0 of a trace. */
export function originOf({ originSeconds }: { readonly originSeconds: number | null }): bigint {
  return BigInt(originSeconds ?? 0) * 1_000_000_000n;
}

/** Formats a time as perf prints it. */
export function clockText({ originNs }: Pick<TraceMeta, 'originNs'>, ns: Nanoseconds): string {
  const time = originNs + BigInt(Math.round(ns));
  const seconds = time / 1_000_000_000n;
  return perfTimeText({ seconds: Number(seconds), ns: Number(time - seconds * 1_000_000_000n) });
}

/** Returns the durations of the complete calls of all threads; null: unknown. */
export function durationsOfAllThreads({ together, durations, threads }: Profile): FunctionDurations | null {
  return together === null ? mergeDurations(threads) : durations;
}

/** `tree`: of all threads. */
export function traceSummary(profile: Profile, tree: CallTree) {
  const { meta, threads } = profile;
  const hasSwitches = recordsSwitches(tree, meta.hasSwitches);
  const { totalNs, outsideNs, offCpuNs } = treeTimes(profile, tree, hasSwitches);
  return {
    start: clockText(meta, meta.startNs),
    durationNs: meta.endNs - meta.startNs,
    threads: threads.length,
    totalNs,
    outsideNs,
    offCpuNs,
    hasSwitches,
    part: meta.part,
    ...(meta.merged && { merged: meta.merged }),
    ...(meta.isBlockedTime && { isBlockedTime: true as const }),
  };
}

/** How far to trust the trace, and what would help. */
export function qualityOf({ quality, meta }: Profile): Stacks['quality'] {
  return withRemedies(quality, meta) as Stacks['quality'];
}

/** Sums of a tree of the profile. `hasSwitches`: the trace records when threads lost their CPU. */
export function treeTimes({ meta }: Profile, tree: CallTree, hasSwitches: boolean) {
  const sums = timeSumsAt(timeSums(tree), ROOT);
  return { ...sums, onCpuNs: onCpuNs(sums, hasSwitches), ...(meta.isBlockedTime && offCpu(sums)) };
}

/** Sums of the functions of a tree of the profile. */
export function functionSums(
  { meta, symbols }: Profile,
  tree: CallTree,
  durations: FunctionDurations | null,
  hasSwitches: boolean,
): FunctionSums[] {
  if (!meta.isBlockedTime) return functionsOf(tree, durations, hasSwitches, symbols);
  const rows = functionsOf(tree, durations, hasSwitches);
  return rows.map((row) => ({ ...row, ...offCpu(row), outsideSelfNs: row.selfNs }));
}

/** Blocked time is off the CPU, wherever its paths lead. */
function offCpu({ totalNs }: { readonly totalNs: Nanoseconds }) {
  return { outsideNs: totalNs, offCpuNs: totalNs, onCpuNs: 0 };
}
