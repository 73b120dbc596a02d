/**
 * Adds time to the strip of a thread.
 */
import { ACTIVITIES, type Activity, type Strip } from '../../model/timeline/activity.js';
import type { Nanoseconds } from '../../model/units.js';

/** Adds an interval to each slice that it is in. */
export function addToStrip(
  strip: Strip,
  sliceNs: Nanoseconds,
  activity: Activity,
  fromNs: Nanoseconds,
  toNs: Nanoseconds,
): void {
  let startNs = fromNs;
  while (startNs < toNs) {
    const slice = Math.floor(startNs / sliceNs);
    const endNs = Math.min(toNs, (slice + 1) * sliceNs);
    strip[slice * ACTIVITIES + activity] += endNs - startNs;
    startNs = endNs;
  }
}
