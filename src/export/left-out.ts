/**
 * Says which calls a file of single calls does not have.
 */
import type { LongestCalls } from '../model/calls/call-events.js';
import { formatDuration, formatMany } from '../render/format.js';

/** Returns "1,234 calls shorter than 5 µs"; null: all calls are there. */
export function leftOutText({ leftOut, minNs }: Pick<LongestCalls, 'leftOut' | 'minNs'>): string | null {
  return leftOut === 0 ? null : `${formatMany(leftOut, 'call')} shorter than ${formatDuration(minNs)}`;
}
