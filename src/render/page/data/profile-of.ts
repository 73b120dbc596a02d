/**
 * The page's data → the profile that it was written from.
 */
import { addedDurations } from '../../../model/durations.js';
import type { Profile, ThreadProfile } from '../../../model/profile.js';
import { callerRows } from './caller-rows.js';
import type { PageData } from './page-data.js';

/** Symbols that nothing uses are missing, and nodes stand in another order: its file has the same bytes. */
export function profileOf({ meta, symbols, quality, shape, threads }: PageData): Profile {
  const parents = callerRows(
    shape,
    threads.map(({ node }) => node),
  );
  return {
    meta,
    symbols,
    quality,
    threads: threads.map(
      ({ node, durations, tid, pid, comm, startNs, endNs, hiddenNs, ...columns }, row): ThreadProfile => {
        const symbol = node.map((place) => shape.symbol[place]);
        const tree = { length: node.length, parent: parents[row] as Int32Array, symbol, ...columns };
        return { tid, pid, comm, startNs, endNs, hiddenNs, tree, durations };
      },
    ),
    together: null,
    durations: addedDurations(threads),
  };
}
