/**
 * Turns times of a request into the nanoseconds since 1970 that OTLP has.
 */
import type { Nanoseconds } from '../../model/units.js';
import type { FoundHost } from '../../questions/requests/found-hosts.js';
import { wallClock } from '../recorded-at.js';

/** Of one host. */
export interface UnixClock {
  /** `wall`: the recording says when it began, which is taken for its first event. Else perf's clock stands for 1970. */
  readonly kind: 'wall' | 'perf';
  /** Decimal digits. */
  readonly text: (ns: Nanoseconds) => string;
}

export function unixClock({ profile: { meta }, shiftNs }: Pick<FoundHost, 'profile' | 'shiftNs'>): UnixClock {
  const wall = wallClock(meta);
  const perf = (ns: Nanoseconds) => meta.originNs + BigInt(Math.round(ns));
  return { kind: wall ? 'wall' : 'perf', text: (ns) => String((wall ?? perf)(ns - shiftNs)) };
}
