/**
 * Returns when something was, for tools that show dates.
 */
import type { TraceMeta } from '../model/profile/profile.js';
import type { Nanoseconds } from '../model/units.js';

const NS_PER_MS = 1_000_000n;

/**
 * From a time of the profile to ns since 1970, UTC; null: unknown. The recording says when it began, to the millisecond,
 * which is taken for its first event.
 */
export function wallClock({
  recorded,
  startNs,
  firstNs = startNs,
}: Pick<TraceMeta, 'recorded' | 'startNs' | 'firstNs'>): ((ns: Nanoseconds) => bigint) | null {
  const startedMs = Date.parse(recorded?.startedAt ?? '');
  if (!(startedMs > 0)) return null;
  const firstAtNs = BigInt(startedMs) * NS_PER_MS;
  return (ns) => firstAtNs + BigInt(Math.round(ns - firstNs));
}
