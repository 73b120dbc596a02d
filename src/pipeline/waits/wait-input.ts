/**
 * Extracts from a trace what waits are concluded from: switches, samples, and when threads existed.
 */
import type { LostSpan } from '../../model/samples/sample-account.js';
import type { TraceRecord } from '../../model/trace/trace-chunk.js';
import type { Nanoseconds, Tid } from '../../model/units.js';
import type { ThreadSpan, WaitInput } from '../../waits/input/wait-input.js';
import type { Trace } from '../read/trace.js';

export function waitInputOf({ store, samples, account }: Trace): WaitInput {
  const switches = store.switches();
  const bounds = boundsOf([store.bounds.startNs, store.bounds.endNs], switches.timeNs, ...samples.map(timesOf));
  const threads = threadSpans(store.allRecords().records, bounds);
  return { switches, samples, threads, lost: account.samples.lostSpans };
}

function timesOf({ timeNs }: { readonly timeNs: Float64Array }): Float64Array {
  return timeNs;
}

/** Times are not sorted among columns; infinite ones do not count. */
function boundsOf(...columns: ArrayLike<number>[]): LostSpan {
  let fromNs = Number.POSITIVE_INFINITY;
  let toNs = Number.NEGATIVE_INFINITY;
  for (const times of columns)
    for (let row = 0; row < times.length; row++) {
      if (!Number.isFinite(times[row])) continue;
      fromNs = Math.min(fromNs, times[row]);
      toNs = Math.max(toNs, times[row]);
    }
  return { fromNs, toNs };
}

/** A thread whose beginning or end was not recorded existed from the start, or until the end, of the recording. */
function threadSpans(records: readonly TraceRecord[], bounds: LostSpan): ThreadSpan[] {
  const starts = new Map<Tid, Nanoseconds>();
  const ends = new Map<Tid, Nanoseconds>();
  for (const { tid, timeNs, what } of records) {
    if (tid < 0) continue;
    if (what === 'fork') starts.set(tid, timeNs);
    if (what === 'exit') ends.set(tid, timeNs);
    if (!starts.has(tid)) starts.set(tid, bounds.fromNs);
  }
  return [...starts].map(([tid, startNs]) => ({
    tid,
    startNs,
    endNs: Math.max(startNs, ends.get(tid) ?? bounds.toNs),
  }));
}
