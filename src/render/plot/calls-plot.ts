/**
 * Describes calls and counts of calls in words.
 */

import type { Nanoseconds, Tid } from '../../model/units.js';
import { formatAtLeast, formatCount, formatDuration, formatMany } from '../format.js';
import { visibleText } from '../visible-text.js';

/** Returns "≥ 1.5 ms" for an inferred call. */
export function callDuration({ durationNs, isInferred }: Pick<PlottedCall, 'durationNs' | 'isInferred'>): string {
  return isInferred ? formatAtLeast(durationNs) : formatDuration(durationNs);
}

/** Returns "1.5 ms, thread 12 main, from 12345.678992352". */
export function callText(call: PlottedCall): string {
  const { tid, comm, start } = call;
  return `${callDuration(call)}, thread ${tid}${comm === null ? '' : ` ${visibleText(comm)}`}, from ${start}`;
}

/** Returns "12 calls of 1.02 µs up to 1.45 µs, 3 of them lasted longer or unknown". */
export function cellText(
  cell: PlottedCell,
  { durationNs, columns }: Pick<CallsPlot, 'durationNs' | 'columns'>,
): string {
  const { column, fromNs, toNs, calls, inferred } = cell;
  const [start, end] = [column, column + 1].map((at) => `+${formatDuration((at * durationNs) / columns)}`);
  const atLeast = inferred === 0 ? '' : `, ${formatCount(inferred)} of them at least this long: start or end not seen`;
  return `${formatMany(calls, 'call')} of ${formatDuration(fromNs)} to ${formatDuration(toNs)}, from ${start} to ${end}${atLeast}`;
}

/** Returns the title of a picture, and what it shows of the calls. */
export function titleOfCalls(
  { calls, callsLeftOut }: Pick<CallsPlot, 'calls' | 'callsLeftOut'>,
  name: string,
  bounds: string | null,
  isHeatMap: boolean,
): { readonly title: string; readonly shown: string } {
  const count = formatMany(calls.length + callsLeftOut, 'call');
  const kind = isHeatMap ? 'number of calls by time and duration' : 'a dot for each call';
  const only = bounds === null ? '' : `; only ${bounds}`;
  const isLimited = !isHeatMap && callsLeftOut > 0;
  const left = isLimited ? `; ${formatMany(callsLeftOut, 'shorter call')} not drawn` : '';
  return { title: `${name}: ${count} over time`, shown: `${kind}${only}${left}` };
}

/**
 * What a picture of calls over time shows, and where: time to the right, duration upwards on a logarithmic scale.
 */
export interface PlottedCall {
  readonly tid: Tid;
  readonly comm: string | null;
  /** On perf's clock. */
  readonly start: string;
  /** Since the start of the time axis. */
  readonly startNs: Nanoseconds;
  readonly durationNs: Nanoseconds;
  /** It lasted at least this long. */
  readonly isInferred: boolean;
}

/** Calls that began in a column and took at least `fromNs` and less than `toNs`. */
export interface PlottedCell {
  readonly column: number;
  readonly fromNs: Nanoseconds;
  readonly toNs: Nanoseconds;
  readonly calls: number;
  readonly inferred: number;
}

interface Percentile {
  readonly name: string;
  readonly ns: Nanoseconds | null;
  /** It stands for a bucket of durations (`isAbout`). Default: it is exact. */
  readonly isAbout?: boolean;
}

/** Returns "p99 ≈ 1.53 ms". */
export function percentileText(name: string, ns: Nanoseconds, isAbout = false): string {
  return `${name} ${isAbout ? '≈ ' : ''}${formatDuration(ns)}`;
}

export interface CallsPlot {
  readonly durationNs: Nanoseconds;
  /** Longest first. */
  readonly calls: readonly PlottedCall[];
  readonly callsLeftOut: number;
  /** Of equal time. */
  readonly columns: number;
  readonly cells: readonly PlottedCell[];
  /** "p50", "p99", …; null: unknown. */
  readonly percentiles: readonly Percentile[];
}

/** The slowest calls are marked by their rank. */
export const LABELLED = 3;

/** A mark on an axis, at a share of its length. */
interface Tick {
  readonly at: number;
  readonly ns: Nanoseconds;
}

/** Calls that took no time are drawn at the lower edge. */
const NO_TIME_NS = 0.5;

/** The logarithmic axis of durations. */
export class DurationAxis {
  private readonly low: number;
  private readonly high: number;

  /** Of all calls; without calls, any. */
  constructor({ cells }: Pick<CallsPlot, 'cells'>) {
    const fromNs = cells.reduce((least, cell) => Math.min(least, cell.fromNs), Number.POSITIVE_INFINITY);
    const toNs = cells.reduce((most, cell) => Math.max(most, cell.toNs), 0);
    this.low = Math.log2(Math.max(NO_TIME_NS, Math.min(fromNs, toNs)));
    this.high = Math.max(this.low + 1, Math.log2(Math.max(NO_TIME_NS, toNs)));
  }

  /** Returns 0 for the shortest, 1 for the longest. */
  at(ns: Nanoseconds): number {
    const share = (Math.log2(Math.max(NO_TIME_NS, ns)) - this.low) / (this.high - this.low);
    return Math.min(1, Math.max(0, share));
  }

  /** A duration that only calls outside of the axis have would be drawn at its edge. */
  includes(ns: Nanoseconds): boolean {
    const power = Math.log2(Math.max(NO_TIME_NS, ns));
    return power >= this.low && power <= this.high;
  }

  /** Returns powers of ten; over a short axis, twice and five times them, too; at most two more than `most`. */
  ticks(most: number): Tick[] {
    const [from, to] = [2 ** this.low, 2 ** this.high];
    const decades = Math.log10(to / from);
    const steps = decades * 3 <= most ? [1, 2, 5] : [1];
    const every = Math.max(1, Math.ceil(decades / most));
    const found: Tick[] = [];
    for (let power = 0; 10 ** power <= to; power += every)
      for (const step of steps) {
        const ns = step * 10 ** power;
        if (ns >= from && ns <= to) found.push({ at: this.at(ns), ns });
      }
    return found;
  }
}

/** Returns multiples of 1, 2 or 5 times a power of ten, at most `most` and one. */
export function timeTicks(durationNs: Nanoseconds, most: number): Tick[] {
  const least = Math.max(1, durationNs / Math.max(1, most));
  const power = 10 ** Math.floor(Math.log10(least));
  const stepNs = power * ([1, 2, 5].find((step) => step * power >= least) ?? 10);
  const count = Math.floor(durationNs / stepNs) + 1;
  return Array.from({ length: count }, (_, tick) => ({
    at: (tick * stepNs) / Math.max(1, durationNs),
    ns: tick * stepNs,
  }));
}

/** Returns the shades that a heat map needs, each with the smallest number of calls it stands for; from few to many. */
export function shadesOf(cells: readonly { readonly calls: number }[], shades: number): readonly number[] {
  const largest = cells.reduce((most, { calls }) => Math.max(most, calls), 0);
  const bounds = Array.from({ length: shades }, (_, shade) => Math.ceil(largest ** (shade / shades)));
  return largest === 0 ? [] : [...new Set(bounds)];
}

/** Returns the last shade that begins at or below a number of calls. */
export function shadeOf(shades: readonly number[], calls: number): number {
  return shades.findLastIndex((fewest) => fewest <= calls);
}

/** Returns "4–12", "4" or "13 or more" for a shade. */
export function shadeText(shades: readonly number[], shade: number, largest: number): string {
  const last = shade + 1 < shades.length ? shades[shade + 1] - 1 : largest;
  return last === shades[shade] ? String(last) : `${shades[shade]}–${last}`;
}
