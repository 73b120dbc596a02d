/**
 * The time that questions are about.
 */

import { boundsOfQuestions } from '../../../analysis/log/answer-thread.js';
import type { Bounds } from '../../../model/units.js';
import { type AskedThreads, NOTHING_ASKED, type Questions } from '../replay-setup.js';

/**
 * Returns the time that the questions are about; null: all of it, or they need the call paths of all of it. Rows of calls
 * are handed on at once, so they cannot wait for skeletons to turn out not to be enough. `asked`: the questions to single
 * threads.
 */
export function spanOf({ filter, stackAtNs, callRows }: Questions, asked: AskedThreads = NOTHING_ASKED): Bounds | null {
  if (!filter?.window || callRows !== null) return null;
  const stackBounds = stackAtNs === null ? [] : [{ startNs: stackAtNs, endNs: stackAtNs + 1 }];
  return spanAround([filter.window, ...stackBounds, ...boundsOfAll(asked)]);
}

/** Returns the time that questions to single threads are about; null: all of it. */
export function spanOfAsked(asked: AskedThreads): Bounds | null {
  return spanAround(boundsOfAll(asked));
}

function boundsOfAll(asked: AskedThreads): Bounds[] {
  return [...asked.values()].map(boundsOfQuestions);
}

/** Returns null if it is all of the time. */
function spanAround(all: readonly Bounds[]): Bounds | null {
  const startNs = all.reduce((first, bounds) => Math.min(first, bounds.startNs), Number.POSITIVE_INFINITY);
  const endNs = all.reduce((last, bounds) => Math.max(last, bounds.endNs), Number.NEGATIVE_INFINITY);
  return startNs === Number.NEGATIVE_INFINITY && endNs === Number.POSITIVE_INFINITY ? null : { startNs, endNs };
}
