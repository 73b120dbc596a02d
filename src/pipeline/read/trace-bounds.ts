/**
 * Says when a trace begins and ends, also one without branches.
 */

import { endsOfSamples } from '../../model/sample-table.js';
import type { Bounds } from '../../model/units.js';
import type { Trace } from './trace.js';

/** Returns the bounds of the branches; without branches, those of the switches and samples; zeros if there are none. */
export function boundsOfTrace({ store, samples }: Pick<Trace, 'store' | 'samples'>): Bounds {
  if (store.bounds.startNs <= store.bounds.endNs) return store.bounds;
  const bounds = boundsOfTimes(store.switches().timeNs, endsOfSamples(samples));
  return bounds.startNs <= bounds.endNs ? bounds : { startNs: 0, endNs: 0 };
}

/** Returns the part of the branches' time that is in a window; null: all of it. */
export function boundsInWindow({ store }: Pick<Trace, 'store'>, window: Bounds | null | undefined): Bounds {
  const { bounds } = store;
  const startNs = Math.max(bounds.startNs, window?.startNs ?? bounds.startNs);
  return { startNs, endNs: Math.max(startNs, Math.min(bounds.endNs, window?.endNs ?? bounds.endNs)) };
}

/** Times are not sorted among columns; infinite ones do not count. Without any, the start is infinite. */
export function boundsOfTimes(...columns: readonly ArrayLike<number>[]): Bounds {
  let startNs = Number.POSITIVE_INFINITY;
  let endNs = Number.NEGATIVE_INFINITY;
  for (const times of columns)
    for (let row = 0; row < times.length; row++) {
      if (!Number.isFinite(times[row])) continue;
      startNs = Math.min(startNs, times[row]);
      endNs = Math.max(endNs, times[row]);
    }
  return { startNs, endNs };
}
