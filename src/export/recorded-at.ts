/**
 * Returns when a recording began, for tools that show dates.
 */
import type { TraceMeta } from '../model/profile/profile.js';

const NS_PER_MS = 1_000_000n;

/** In ns since 1970, UTC, exact to the millisecond; null: unknown. It is the start of the recording, also for a part of it. */
export function recordedAtNs({ recorded }: Pick<TraceMeta, 'recorded'>): bigint | null {
  const ms = Date.parse(recorded?.startedAt ?? '');
  return ms > 0 ? BigInt(ms) * NS_PER_MS : null;
}
