/**
 * Chooses where a reader goes on the page of a profile.
 */
import { totalTimes } from '../../src/model/calls/tree-view.js';
import type { Profile } from '../../src/model/profile/profile.js';
import type { Places } from './in-page.js';

/** A frame that is zoomed to has this share of the width. */
const MIN_SHARE = 0.1;

/** Addresses have functions by number. */
export function placesOf({ threads }: Pick<Profile, 'threads'>): Places {
  const largest = threads.reduce((most, thread) => (thread.tree.length > most.tree.length ? thread : most));
  const { parent, symbol } = largest.tree;
  const total = totalTimes(largest.tree);
  let node = 0;
  for (let next = 1; next < parent.length; next++)
    if (parent[next] === node && total[next] > MIN_SHARE * total[0]) node = next;
  const path: number[] = [];
  for (let at = node; at !== 0; at = parent[at]) path.unshift(symbol[at]);
  return {
    zoomed: `#zoom=${path.join('.')}`,
    chosen: `#function=${path[0]}`,
    thread: `#threads=tid%3A${largest.tid}`,
  };
}
