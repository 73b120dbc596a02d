/**
 * Cuts calls at the borders of the time that their thread's profile has, so that sums over them are those of the profile:
 * of a selected part, single calls are otherwise whole, but what they called outside of it is missing.
 */
import type { CallEvents } from '../model/calls/call-events.js';
import type { ThreadProfile } from '../model/profile/profile.js';

export function withinThread(
  { timeNs, node, kind }: CallEvents,
  { startNs, endNs }: Pick<ThreadProfile, 'startNs' | 'endNs'>,
): CallEvents {
  return { timeNs: timeNs.map((ns) => Math.min(Math.max(ns, startNs), endNs)), node, kind };
}
