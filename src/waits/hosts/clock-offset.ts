/**
 * Bounds how far the clock of one host is ahead of another's. What one host sent and the other received bounds it from one
 * side, what came back from the other side: nothing is received before it was sent.
 *
 * Clocks run at slightly different speeds, so the offset is a line: all lines that no bound contradicts are a convex
 * polygon of their heights and slopes.
 */
import { type Nanoseconds, NONE } from '../../model/units.js';

/** Each bounds the offset at a time. */
export interface OffsetBounds {
  readonly atNs: readonly Nanoseconds[]; // on the clock that is ahead by the offset
  readonly offsetNs: readonly Nanoseconds[];
  /** The offset is at most this; otherwise at least. */
  readonly isUpper: readonly boolean[];
}

/** Infinite: not bounded from this side. */
export interface OffsetRange {
  readonly lowNs: Nanoseconds;
  readonly highNs: Nanoseconds;
}

export interface ClockOffset {
  /** How many bounds it is from, without those that contradict the others. */
  readonly bounds: number;
  /** Bounds that no line meets together with the others: a clock changed its speed, or these are wrong matches. */
  readonly contradictions: number;
  /** A time in the middle of the bounds. */
  readonly middleNs: Nanoseconds;
  /** `ns`: on the clock that is ahead. */
  at(ns: Nanoseconds): OffsetRange;
}

/** Quartz differs by less than 100 ppm, and the kernel slows down or speeds up a clock by no more than 500. */
const MAX_DRIFT = 600e-6;
/** Times are whole nanoseconds. */
const EPSILON_NS = 1e-3;

export function clockOffsetOf(bounds: OffsetBounds): ClockOffset {
  const start = Math.min(...extremes(bounds.atNs));
  const end = Math.max(...extremes(bounds.atNs));
  const frame = { middleNs: (start + end) / 2, halfNs: Math.max((end - start) / 2, 1) };
  const centerNs = (medianOf(bounds, true) + medianOf(bounds, false)) / 2;
  const first = linesWithin(bounds, frame, centerNs, () => centerNs);
  if (first.rejected.size === 0) return first;
  return linesWithin(bounds, frame, centerNs, (ns) => middleOf(first.at(ns)));
}

/** The offset that is assumed: in the middle, or the only bound. */
export function middleOf({ lowNs, highNs }: OffsetRange): Nanoseconds {
  if (!Number.isFinite(lowNs)) return highNs;
  return Number.isFinite(highNs) ? (lowNs + highNs) / 2 : lowNs;
}

interface Frame {
  readonly middleNs: Nanoseconds;
  readonly halfNs: Nanoseconds;
}

/** Loose bounds come first, so that of contradicting ones the tightest are left out. */
function linesWithin(
  { atNs, offsetNs, isUpper }: OffsetBounds,
  { middleNs, halfNs }: Frame,
  centerNs: Nanoseconds,
  expectedNs: (ns: Nanoseconds) => Nanoseconds,
): ClockOffset & { readonly rejected: ReadonlySet<number> } {
  const sign = (row: number) => (isUpper[row] ? 1 : -1);
  const slackNs = atNs.map((ns, row) => sign(row) * (offsetNs[row] - expectedNs(ns)));
  const order = [...atNs.keys()].sort((a, b) => slackNs[b] - slackNs[a] || a - b);
  const reachNs =
    offsetNs.reduce((most, ns) => Math.max(most, Math.abs(ns - centerNs)), 0) + 2 * MAX_DRIFT * halfNs + 1;
  const lines = new Lines(reachNs, MAX_DRIFT * halfNs);
  const rejected = new Set<number>();
  let [lowNs, highNs] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (const row of order) {
    const isKept = lines.cut((atNs[row] - middleNs) / halfNs, offsetNs[row] - centerNs, sign(row));
    if (!isKept) rejected.add(row);
    else if (isUpper[row]) highNs = Math.min(highNs, offsetNs[row]);
    else lowNs = Math.max(lowNs, offsetNs[row]);
  }
  const isBounded = Number.isFinite(lowNs) && Number.isFinite(highNs);
  const range = (ns: Nanoseconds): OffsetRange => {
    const { low, high } = lines.rangeAt((ns - middleNs) / halfNs);
    return { lowNs: low + centerNs, highNs: high + centerNs };
  };
  return {
    ...{ bounds: atNs.length - rejected.size, contradictions: rejected.size, rejected, middleNs },
    at: isBounded ? range : () => ({ lowNs, highNs }),
  };
}

/** A convex set of lines: the corners of a polygon of heights in the middle, and rises from there to the end. */
class Lines {
  private height: number[];
  private rise: number[];

  constructor(maxHeight: number, maxRise: number) {
    this.height = [-maxHeight, maxHeight, maxHeight, -maxHeight];
    this.rise = [-maxRise, -maxRise, maxRise, maxRise];
  }

  /** Keeps the lines at or below a point (sign 1), or above it (-1). False: none is; then they stay as they are. */
  cut(at: number, limit: number, sign: number): boolean {
    const excess = this.height.map((height, corner) => sign * (height + this.rise[corner] * at - limit));
    const last = excess.length - 1;
    if (excess.every((value) => value <= EPSILON_NS)) return true;
    if (excess.every((value) => value > EPSILON_NS)) return false;
    const [heights, rises]: [number[], number[]] = [[], []];
    for (let corner = 0, before = last; corner <= last; before = corner++) {
      const [from, to] = [excess[before], excess[corner]];
      if (from > EPSILON_NS !== to > EPSILON_NS) {
        const part = Math.min(1, Math.max(0, from / (from - to)));
        heights.push(this.height[before] + part * (this.height[corner] - this.height[before]));
        rises.push(this.rise[before] + part * (this.rise[corner] - this.rise[before]));
      }
      if (to > EPSILON_NS) continue;
      heights.push(this.height[corner]);
      rises.push(this.rise[corner]);
    }
    this.height = heights;
    this.rise = rises;
    return true;
  }

  rangeAt(at: number): { readonly low: number; readonly high: number } {
    let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (let corner = 0; corner < this.height.length; corner++) {
      const value = this.height[corner] + this.rise[corner] * at;
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
    return { low, high };
  }
}

function extremes(values: readonly number[]): [number, number] {
  return values.reduce(([low, high], value) => [Math.min(low, value), Math.max(high, value)], [
    Number.POSITIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
  ] as [number, number]);
}

/** Of one side; if it has none, of the other. */
function medianOf({ offsetNs, isUpper }: OffsetBounds, upper: boolean): Nanoseconds {
  const own = offsetNs.filter((_, row) => isUpper[row] === upper);
  const values = (own.length > 0 ? own : [...offsetNs]).sort((a, b) => a - b);
  return values[values.length >> 1] ?? NONE;
}
