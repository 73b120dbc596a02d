/**
 * Rebuilds the profile that the page data was written from.
 */

import type { Shape } from '../../model/calls/overlay.js';
import type { Profile, ThreadProfile } from '../../model/profile/profile.js';
import { callerRows } from './caller-rows.js';
import type { PageData, PageThread } from './page-data.js';

/** Unused symbols are missing and nodes are reordered, but the profile file has the same bytes. */
export function profileOf({ meta, symbols, quality, shape, threads }: PageData): Profile {
  const nodes = threads.map(({ node }) => node);
  const parents = callerRows(shape, nodes);
  return {
    meta,
    symbols,
    quality,
    threads: threads.map((thread, row) => threadOf(thread, shape, parents[row])),
    together: null,
    durations: null,
  };
}

function threadOf(thread: PageThread, shape: Shape, parent: Int32Array): ThreadProfile {
  const { tid, pid, comm, startNs, endNs, hiddenNs, durations, node, ...columns } = thread;
  const symbol = node.map((inShape) => shape.symbol[inShape]);
  return {
    tid,
    pid,
    comm,
    startNs,
    endNs,
    hiddenNs,
    durations,
    tree: { length: node.length, parent, symbol, ...columns },
  };
}
