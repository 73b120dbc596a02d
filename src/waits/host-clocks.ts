/**
 * Relates the clocks of several hosts to that of the first: directly, or through other hosts, where errors add up.
 */
import { type Nanoseconds, NONE } from '../model/units.js';
import { hasKey, type Moments } from './moments.js';

/** How far a host's clock is ahead of the common one. */
export interface HostOffset extends OffsetRange {
  /** The host whose clock is the common one. */
  readonly to: number;
  /** How many hand-offs bound it, on the way with the fewest, and how many contradict those; 0 for the common clock. */
  readonly handOffs: number;
  readonly contradictions: number;
}

interface Link {
  /** The host to which the offset is known; NONE: its own clock is the common one. */
  readonly to: number;
  readonly offset: ClockOffset | null;
}

export class HostClocks {
  private readonly links: readonly Link[];

  /** `sent`: by sender, then taker. */
  constructor(sent: readonly (readonly SentIds[])[]) {
    this.links = linkHosts(sent);
  }

  /** Returns a time of a host on the common clock, in whole nanoseconds if the clocks differ. */
  common(host: number, ns: Nanoseconds): Nanoseconds {
    return this.links[host].offset === null ? ns : Math.round(this.walk(host, ns).ns);
  }

  commonTimes(host: number, times: Float64Array): Float64Array {
    return this.links[host].offset === null ? times : times.map((ns) => this.common(host, ns));
  }

  /** Returns the time on the clock of a host at a time of the common clock, to the nanosecond. */
  own(host: number, commonNs: Nanoseconds): Nanoseconds {
    if (this.links[host].offset === null) return commonNs;
    const nearNs = commonNs + this.aheadNs(host);
    return Math.round(commonNs + nearNs - this.walk(host, nearNs).ns);
  }

  /** Returns the host on whose clock the common time of a host is; those with the same are related. */
  rootOf(host: number): number {
    const { to } = this.links[host];
    return to === NONE ? host : this.rootOf(to);
  }

  /** Returns how wrong a time of a host may be on another's clock; infinite: bounded from one side only. */
  errorNs(host: number, other: number, ns: Nanoseconds): Nanoseconds {
    if (host === other) return 0;
    const { range, ns: commonNs } = this.walk(host, ns);
    const back = this.links[other].offset === null ? NO_RANGE : this.walk(other, commonNs + this.aheadNs(other)).range;
    return (range.highNs - range.lowNs) / 2 + (back.highNs - back.lowNs) / 2;
  }

  /** Returns the offset of a host in the middle of its hand-offs. */
  offsetOf(host: number): HostOffset {
    const to = this.rootOf(host);
    const { range, handOffs, contradictions } = this.walk(host, this.links[host].offset?.middleNs ?? 0);
    return { to, ...range, handOffs: Number.isFinite(handOffs) ? handOffs : 0, contradictions };
  }

  private aheadNs(host: number): Nanoseconds {
    return middleOf(this.offsetOf(host));
  }

  private walk(host: number, atNs: Nanoseconds) {
    let [ns, range, handOffs, contradictions] = [atNs, NO_RANGE, Number.POSITIVE_INFINITY, 0];
    for (let { to, offset } = this.links[host]; offset !== null; { to, offset } = this.links[to]) {
      const own = offset.at(ns);
      ns -= middleOf(own);
      range = { lowNs: range.lowNs + own.lowNs, highNs: range.highNs + own.highNs };
      handOffs = Math.min(handOffs, offset.bounds);
      contradictions += offset.contradictions;
    }
    return { ns, range, handOffs, contradictions };
  }
}

const NO_RANGE: OffsetRange = { lowNs: 0, highNs: 0 };

/** Each host is linked to the one that gives it the smallest error; those without a link have a clock of their own. */
function linkHosts(sent: readonly (readonly SentIds[])[]): Link[] {
  const links: Link[] = sent.map(() => ({ to: NONE, offset: null }));
  const errorNs: Nanoseconds[] = sent.map(() => Number.POSITIVE_INFINITY);
  const isDone = sent.map(() => false);
  for (let count = 0; count < sent.length; count++) {
    const host = nextHost(errorNs, isDone);
    isDone[host] = true;
    if (errorNs[host] === Number.POSITIVE_INFINITY) errorNs[host] = 0;
    for (let other = 0; other < sent.length; other++) {
      if (isDone[other]) continue;
      const offset = offsetBetween(sent[host][other], sent[other][host]);
      if (offset === null) continue;
      const { lowNs, highNs } = offset.at(offset.middleNs);
      const throughNs = errorNs[host] + Math.min(highNs - lowNs, ONE_SIDED_NS);
      if (throughNs >= errorNs[other]) continue;
      errorNs[other] = throughNs;
      links[other] = { to: host, offset };
    }
  }
  return links;
}

/** Any offset with two bounds is better than one with a single bound. */
const ONE_SIDED_NS = 1e18;

function nextHost(errorNs: readonly Nanoseconds[], isDone: readonly boolean[]): number {
  let next = NONE;
  for (let host = 0; host < errorNs.length; host++)
    if (!isDone[host] && (next === NONE || errorNs[host] < errorNs[next])) next = host;
  return next;
}

/** `out`: what went to the host whose offset it is; `back`: what came from it. */
function offsetBetween(out: SentIds, back: SentIds): ClockOffset | null {
  if (out.sentNs.length + back.sentNs.length === 0) return null;
  return clockOffsetOf({
    atNs: [...out.takenNs, ...back.sentNs],
    offsetNs: [
      ...out.takenNs.map((takenNs, row) => takenNs - out.sentNs[row]),
      ...back.sentNs.map((sentNs, row) => sentNs - back.takenNs[row]),
    ],
    isUpper: [...out.takenNs.map(() => true), ...back.sentNs.map(() => false)],
  });
}

/** Each bounds the offset at a time. */
interface OffsetBounds {
  readonly atNs: readonly Nanoseconds[]; // on the clock that is ahead by the offset
  readonly offsetNs: readonly Nanoseconds[];
  /** The offset is at most this; otherwise at least. */
  readonly isUpper: readonly boolean[];
}

/** Infinite: not bounded from this side. */
interface OffsetRange {
  readonly lowNs: Nanoseconds;
  readonly highNs: Nanoseconds;
}

interface ClockOffset {
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

/**
 * Bounds how far the clock of one host is ahead of another's. What one host sent and the other received bounds it from one
 * side, what came back from the other side: nothing is received before it was sent.
 *
 * Clocks run at slightly different speeds, so the offset is a line: all lines that no bound contradicts are a convex polygon
 * of their heights and slopes.
 */
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
function middleOf({ lowNs, highNs }: OffsetRange): Nanoseconds {
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

/** What one host handed on, and another took; each time is of its host's clock. */
interface SentIds {
  readonly sentNs: Nanoseconds[];
  readonly takenNs: Nanoseconds[];
}

/**
 * Finds what one host sent to another, by ids that the one handed on once and the other took once. Ids that are seen more
 * often, such as those of repeated requests, do not say which was which before the clocks are known.
 *
 * `pushes`, `pops`: by host. Adds to `sent`: by sender, then taker.
 */
export function addSentIds(pushes: readonly Moments[], pops: readonly Moments[], sent: SentIds[][]): void {
  const sentOnce = pushes.map(onlyTimes);
  const takenOnce = pops.map(onlyTimes);
  sentOnce.forEach((own, sender) => {
    takenOnce.forEach((others, taker) => {
      if (sender === taker) return;
      for (const [id, takenNs] of others) {
        const sentNs = own.get(id) ?? Number.NaN;
        if (Number.isNaN(sentNs) || Number.isNaN(takenNs)) continue;
        sent[sender][taker].sentNs.push(sentNs);
        sent[sender][taker].takenNs.push(takenNs);
      }
    });
  });
}

/** By id: when it was seen; NaN: more than once. Numbers are not ids. */
function onlyTimes(moments: Moments): Map<string, Nanoseconds> {
  const times = new Map<string, Nanoseconds>();
  for (let row = 0; row < moments.length; row++) {
    const id = moments.key[row];
    if (typeof id === 'string' && hasKey(moments, row)) times.set(id, times.has(id) ? Number.NaN : moments.timeNs[row]);
  }
  return times;
}

export function noSentIds(hosts: number): SentIds[][] {
  return Array.from({ length: hosts }, () => Array.from({ length: hosts }, () => ({ sentNs: [], takenNs: [] })));
}
