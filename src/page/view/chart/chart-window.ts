/**
 * Moves the window of a stack chart: always within the recording, and never too short to be drawn.
 */

import type { Bounds, Nanoseconds } from '../../../model/units.js';

/** What is shorter has no detail left. */
const MIN_WINDOW_NS = 20;
/** Part of the window left free on either side of a call that is zoomed in on. */
const MARGIN = 0.1;

/** Returns the nearest window within the recording. */
export function clampedWindow({ startNs, endNs }: Bounds, durationNs: Nanoseconds): Bounds {
  const lengthNs = Math.min(durationNs, Math.max(MIN_WINDOW_NS, endNs - startNs));
  const from = Math.min(Math.max(0, startNs), durationNs - lengthNs);
  return { startNs: from, endNs: from + lengthNs };
}

/** Makes the window `factor` times as long; a moment stays where it is. */
export function zoomedWindow(window: Bounds, factor: number, atNs: Nanoseconds, durationNs: Nanoseconds): Bounds {
  const lengthNs = window.endNs - window.startNs;
  const newNs = Math.min(durationNs, Math.max(MIN_WINDOW_NS, factor * lengthNs));
  const startNs = atNs - ((atNs - window.startNs) * newNs) / lengthNs;
  return clampedWindow({ startNs, endNs: startNs + newNs }, durationNs);
}

export function movedWindow({ startNs, endNs }: Bounds, byNs: Nanoseconds, durationNs: Nanoseconds): Bounds {
  return clampedWindow({ startNs: startNs + byNs, endNs: endNs + byNs }, durationNs);
}

/** Returns a window in which a call is seen, with some of what was before and after it. */
export function windowAround({ startNs, endNs }: Bounds, durationNs: Nanoseconds): Bounds {
  const marginNs = Math.max(MARGIN * (endNs - startNs), (MIN_WINDOW_NS - (endNs - startNs)) / 2);
  const [from, to] = [Math.max(0, startNs - marginNs), Math.min(durationNs, endNs + marginNs)];
  return clampedWindow({ startNs: from, endNs: to }, durationNs);
}

/** Returns the window in whole nanoseconds, as addresses have it; null: it shows everything. */
export function addressedWindow({ startNs, endNs }: Bounds, durationNs: Nanoseconds): Bounds | null {
  const rounded = { startNs: Math.floor(startNs), endNs: Math.ceil(endNs) };
  return rounded.startNs <= 0 && rounded.endNs >= durationNs ? null : rounded;
}
