/**
 * Formats numbers for people.
 */
import { type CountedCalls, havePercentile } from '../model/percentiles.js';
import type { MergedBy, TraceMeta } from '../model/profile/profile.js';

/** Returns "1,234,567". Not with toLocaleString: loading ICU's locale data takes 15 ms. */
export function formatCount(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ',');
}

/** Returns "3 threads" or "1 thread". */
export function formatMany(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`;
}

const GROUPS: Readonly<Record<MergedBy, string>> = { comm: 'command name', host: 'host', build: 'build' };

/** Returns what the threads of a profile are: "thread", or of a merged one, "command name". */
export function threadNoun({ merged }: Pick<TraceMeta, 'merged'>): string {
  return merged === undefined ? 'thread' : GROUPS[merged.by];
}

export function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Returns three significant digits with a unit: "94 ns", "1.53 ms". */
export function formatDuration(ns: number): string {
  for (const [unit, size] of [
    ['s', 1e9],
    ['ms', 1e6],
    ['µs', 1e3],
  ] as const) {
    if (ns < 0.999 * size) continue;
    const rounded = Number((ns / size).toPrecision(3));
    if (rounded >= 1) return `${rounded} ${unit}`; // 999.9 µs are 1 ms
  }
  return `${Number(ns.toPrecision(3))} ns`;
}

/** Returns "≥ 182 µs": rounded down, as it is a lower bound. */
export function formatAtLeast(ns: number): string {
  const step = 10 ** Math.max(0, String(Math.floor(ns)).length - 3);
  return `≥ ${formatDuration(step * Math.floor(ns / step))}`;
}

/** Returns "4 of 5" if four of five calls are complete; "5" if all are. */
export function formatCalls(calls: number, inferred: number): string {
  if (calls === 0) return '–'; // of inlined functions
  return inferred === 0 ? formatCount(calls) : `${formatCount(calls - inferred)} of ${formatCount(calls)}`;
}

/**
 * Returns a lower bound for the longest call if that is an inferred one, else null. `maxNs`: the longest complete call; null, NaN
 * or infinite if there is none or it is unknown, like `longestCutNs`.
 */
export function longestInferredNs(maxNs: number | null, longestCutNs: number | null): number | null {
  if (longestCutNs === null || !(longestCutNs > 0)) return null;
  return maxNs !== null && maxNs >= longestCutNs ? null : longestCutNs;
}

/** Returns the duration of the longest call: "3 ms"; "≥ 182 µs" if it is inferred; "–" if unknown. See `longestInferredNs`. */
export function formatLongest(maxNs: number | null, longestCutNs: number | null): string {
  const boundNs = longestInferredNs(maxNs, longestCutNs);
  if (boundNs !== null) return formatAtLeast(boundNs);
  return maxNs === null || Number.isNaN(maxNs) ? '–' : formatDuration(maxNs);
}

/** What a total is compared with. Unknown durations are null or NaN. */
export interface TotalOfCalls {
  readonly calls: number;
  readonly inferred: number;
  readonly totalNs: number;
  /** Of complete calls. */
  readonly avgNs: number | null;
  readonly longestCutNs: number | null;
  /** How much longer the complete calls lasted than the total has; traced kernels only. */
  readonly asideNs?: number | undefined;
}

/** Returns "3 ms", an average of calls; "(3 ms)" if they lasted longer than their total has. */
export function formatAverage(text: string, { asideNs = 0 }: Pick<TotalOfCalls, 'asideNs'>): string {
  return asideNs > 0 ? `(${text})` : text;
}

/**
 * Whether a total has time (over 1 %) in which its calls are not known to have gone on, as after losses: that counts in the
 * total, but not in the longest call.
 */
export function isTotalInferred({ calls, inferred, totalNs, avgNs, longestCutNs }: TotalOfCalls): boolean {
  const knownNs = (calls - inferred) * (avgNs || 0) + inferred * (longestCutNs || 0);
  return inferred > 0 && totalNs > 1.01 * knownNs;
}

/** Returns "3 ms"; "≈ 3 ms" if calls are not known to have lasted as long. */
export function formatTotal(sums: TotalOfCalls): string {
  return `${isTotalInferred(sums) ? '≈ ' : ''}${formatDuration(sums.totalNs)}`;
}

/** Shorter durations have a bucket each in the histograms of calls (`model/calls/durations.ts`). */
export const EXACT_NS = 64;

/** The shortest and the longest of the calls that percentiles are of; unknown if there are none. */
export interface PercentileRange extends CountedCalls {
  readonly minNs: number | null;
  readonly maxNs: number | null;
}

/** Whether a percentile of calls stands for a bucket of durations, and is accurate to 1.6 %. */
export function isAbout(ns: number, { minNs, maxNs }: PercentileRange): boolean {
  return ns >= EXACT_NS && minNs !== maxNs;
}

/** Returns a percentile of calls: "40 ns", "≈ 1.53 ms" for a bucket of durations, "–" if unknown, or if there are too few. */
export function formatPercentile(ns: number | null, range: PercentileRange, part: number): string {
  if (ns === null || Number.isNaN(ns) || !havePercentile(range, part)) return '–';
  return isAbout(ns, range) ? `≈ ${formatDuration(ns)}` : formatDuration(ns);
}

/** Returns "1 ms or more, 2 ms or less"; either bound may be absent. */
export function formatBounds({ minNs, maxNs }: { readonly minNs?: number; readonly maxNs?: number }): string {
  const min = minNs === undefined ? [] : [`${formatDuration(minNs)} or more`];
  const max = maxNs === undefined ? [] : [`${formatDuration(maxNs)} or less`];
  return [...min, ...max].join(', ');
}

/** Returns "12.4 MB". */
export function formatBytes(bytes: number): string {
  for (const [unit, size] of [
    ['GB', 1e9],
    ['MB', 1e6],
    ['kB', 1e3],
  ] as const) {
    const rounded = (bytes / size).toFixed(1);
    if (bytes >= 0.9995 * size && Number(rounded) >= 1) return `${rounded} ${unit}`; // 999.96 kB are 1.0 MB
  }
  return `${bytes} B`;
}

/**
 * Returns "12.3 %" or "0.04 %": at most three digits, at most two of them decimals. A part above zero is never "0 %" but "<0.01 %";
 * a part below all is never "100 %" but ">99.9 %".
 */
export function formatShare(part: number, all: number): string {
  const percent = (100 * part) / Math.max(all, 1);
  if (percent > 0 && percent < 0.01) return '<0.01 %';
  if (percent > 99.9 && part < all) return '>99.9 %';
  return `${Number(percent < 1 ? percent.toFixed(2) : percent.toPrecision(3))} %`;
}

/** Returns "+1.5 ms", "−20 ns". */
export function formatDifference(ns: number): string {
  const text = formatDuration(Math.abs(ns));
  return ns === 0 ? '0 ns' : ns > 0 ? `+${text}` : `−${text}`;
}

/** Returns "+54.5 %", relative to the number before, which is not zero. */
export function formatPercentChange(before: number, after: number): string {
  if (before === after) return '0 %';
  const percent = Math.abs((100 * (after - before)) / before);
  const digits = percent < 1 ? percent.toFixed(2) : percent.toPrecision(3);
  const text = percent < 0.01 ? '<0.01' : percent < 1000 ? String(Number(digits)) : formatCount(Math.round(percent));
  return `${after > before ? '+' : '−'}${text} %`;
}

/** Returns "1.3" or "1,204": an average number of calls. */
export function formatAverageCount(count: number): string {
  return count >= 100 || Number.isInteger(count)
    ? formatCount(Math.round(count))
    : String(Number(count.toPrecision(2)));
}
