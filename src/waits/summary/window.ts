/**
 * Cuts waits to a part of the time, as `report --window` cuts calls: a wait counts in each window that it overlaps, its
 * time counts where it is.
 */

import type { Nanoseconds } from '../../model/units.js';
import { type Bounds, UNBOUNDED } from '../../model/units.js';
import type { Waits } from '../waits.js';

/** Waits, and times of threads, within a window. Those outside of it last no time. */
export interface ShownWaits extends Waits {
  /** By wait; 1: a part of it is in the window. */
  readonly isWithin: Uint8Array;
  /** By wait; 1: it began before the window, or ended after it, so that its duration does not count. */
  readonly isCut: Uint8Array;
}

export function waitsWithin(waits: Waits, window: Bounds): ShownWaits {
  const { length, outNs, inNs, startNs, endNs } = waits;
  const isWithin = new Uint8Array(length);
  const isCut = new Uint8Array(length);
  for (let wait = 0; wait < length; wait++) {
    isWithin[wait] = Number(overlaps(window, outNs[wait], inNs[wait]));
    isCut[wait] = Number(outNs[wait] < window.startNs || inNs[wait] > window.endNs);
  }
  if (window === UNBOUNDED) return { ...waits, isWithin, isCut };
  const [shownOutNs, shownInNs, shownStartNs, shownEndNs] = [outNs, inNs, startNs, endNs].map((times) => {
    return times.map((ns) => Math.min(Math.max(ns, window.startNs), window.endNs));
  });
  return { ...waits, outNs: shownOutNs, inNs: shownInNs, startNs: shownStartNs, endNs: shownEndNs, isWithin, isCut };
}

/** Of two adjacent windows, an interval that neither cuts is in exactly one. */
export function overlaps({ startNs, endNs }: Bounds, fromNs: Nanoseconds, toNs: Nanoseconds): boolean {
  return fromNs < endNs && (fromNs >= startNs || toNs > startNs);
}

/** Returns how much of an interval is in a window. */
export function nsWithin({ startNs, endNs }: Bounds, fromNs: Nanoseconds, toNs: Nanoseconds): Nanoseconds {
  return Math.max(0, Math.min(toNs, endNs) - Math.max(fromNs, startNs));
}
