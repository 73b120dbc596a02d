/**
 * The data of a page in a range of its time, as `ptflame report --window` has it.
 */
import type { Bounds } from '../../../../analysis/questions.js';
import { noNumbers, numbersWithin } from '../../../../analysis/timeline/thread-sums.js';
import type { TimedThread, Timeline } from '../../../../model/timeline/timeline.js';
import type { PageData, PageThread } from '../../data/page-data.js';

/**
 * Returns the data of a range that begins and ends at borders of slices. Durations and waits are not known by time. Threads
 * that were not observed in the range have no calls and times.
 */
export function rangeData(data: PageData, timeline: Timeline, range: Bounds): PageData {
  const timed = new Map(timeline.threads.map((thread) => [thread.tid, thread]));
  const bounds = { startNs: timeline.startNs + range.startNs, endNs: timeline.startNs + range.endNs };
  const threads = data.threads.map((thread) => ({
    ...within(thread, bounds),
    ...numbersOf(thread, timed.get(thread.tid), timeline, range),
  }));
  return { ...data, meta: { ...data.meta, ...bounds }, threads, waits: null };
}

function within({ tid, pid, comm, node, startNs, endNs, hiddenNs }: PageThread, bounds: Bounds) {
  const fromNs = Math.min(Math.max(startNs, bounds.startNs), bounds.endNs);
  return {
    ...{ tid, pid, comm, node, hiddenNs },
    startNs: fromNs,
    endNs: Math.max(fromNs, Math.min(endNs, bounds.endNs)),
    durations: null,
  };
}

function numbersOf({ node }: PageThread, timed: TimedThread | undefined, { sumsSliceNs }: Timeline, range: Bounds) {
  if (timed?.sums == null || sumsSliceNs === null) return noNumbers(node.length);
  return numbersWithin(timed.sums, sumsSliceNs, range, node.length);
}
