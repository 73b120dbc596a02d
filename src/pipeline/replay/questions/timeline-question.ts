/**
 * Decides whether the timeline can be asked for, and how finely.
 */
import type { CallFilter } from '../../../analysis/questions.js';
import { reachedLevels, type TimelineQuestion } from '../../../analysis/timeline/question.js';
import { LISTED, levelWithSlices } from '../../../analysis/timeline/sums/resolution.js';
import type { Trace } from '../../read/trace.js';
import { boundsInWindow } from '../../read/trace-bounds.js';

/** Slices of all strips together. */
const STRIP_SLICES = 2 ** 18;
const MAX_STRIP_SLICES = 512;
const MIN_STRIP_SLICES = 32;
/** What the calls and times of an event take in a page. */
const EVENT_BYTES = 6;
/** What a thread takes in a page for each slice in which it runs, at least. */
const SLICE_BYTES = 64;
/** Sums of shorter slices are tried if threads may have run in few of them. */
const EVEN_SLICES = 512;

/**
 * Returns null if no bytes are allowed, if the trace has no times, or if only some calls are selected: sums of a range
 * would not be those of the selection.
 */
export function timelineQuestion(maxBytes: number, filter: CallFilter | null, trace: Trace): TimelineQuestion | null {
  if (maxBytes <= 0 || trace.account.timeless > 0) return null;
  if (filter && (filter.inside.length > 0 || filter.root !== null || filter.foldsRecursion)) return null;
  const { bounds, tids } = trace.store;
  const { startNs, endNs } = boundsInWindow(trace, filter?.window);
  return {
    window: { startNs, endNs },
    stripSlices: stripSlices(tids.length),
    reached: reachedLevels(
      firstSumsLevel(trace.store, (endNs - startNs) / (bounds.endNs - bounds.startNs), maxBytes / 2),
    ),
    maxBytes,
  };
}

function stripSlices(threads: number): number {
  const perThread = 2 ** Math.floor(Math.log2(STRIP_SLICES / Math.max(1, threads)));
  return Math.min(MAX_STRIP_SLICES, Math.max(MIN_STRIP_SLICES, perThread));
}

/** `part`: of the time of the trace. */
function firstSumsLevel(store: Trace['store'], part: number, maxBytes: number): number {
  const events = store.tids.reduce((sum, tid) => sum + store.eventCount(tid), 0);
  if (events * part * EVENT_BYTES <= 2 * maxBytes) return LISTED;
  return levelWithSlices(Math.max(EVEN_SLICES, maxBytes / SLICE_BYTES / store.tids.length));
}
