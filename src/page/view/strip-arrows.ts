/**
 * Chooses the wakings that are arrows between strips: all of a range, if they are few enough to be told apart.
 */

import type { Bounds, Tid } from '../../model/units.js';
import type { Waking, WakingIndex } from './waking-index.js';

export interface StripArrows {
  /** Empty: none, or too many. */
  readonly arrows: readonly Waking[];
  /** Wakings in the range between threads that have a strip. */
  readonly count: number;
  /** More are not drawn. */
  readonly most: number;
}

const MAX_ARROWS = 60;
const PX_PER_ARROW = 8;

/** `widthPx`: of the range. */
export function stripArrows(
  index: WakingIndex,
  hasStrip: ReadonlySet<Tid>,
  { startNs, endNs }: Bounds,
  widthPx: number,
): StripArrows {
  const { threads, rows } = index.wakings;
  const isShown = threads.map(({ tid }) => hasStrip.has(tid));
  const most = Math.min(MAX_ARROWS, Math.ceil(widthPx / PX_PER_ARROW));
  const found: number[] = [];
  let count = 0;
  for (const [row, wakeNs] of rows.wakeNs.entries()) {
    if (wakeNs < startNs || wakeNs > endNs || !isShown[rows.waiter[row]] || !isShown[rows.waker[row]]) continue;
    if (count++ < most) found.push(row);
  }
  return { arrows: count > most ? [] : found.map((row) => index.at(row)), count, most };
}
