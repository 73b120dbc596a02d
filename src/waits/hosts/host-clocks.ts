/**
 * Relates the clocks of several hosts to that of the first: directly, or through other hosts, where errors add up.
 */
import { type Nanoseconds, NONE } from '../../model/units.js';
import { type ClockOffset, clockOffsetOf, middleOf, type OffsetRange } from './clock-offset.js';
import type { SentIds } from './sent-ids.js';

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
