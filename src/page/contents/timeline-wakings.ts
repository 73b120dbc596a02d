/**
 * Lists the wakings of a timeline: which thread ended which wait, as many as a number of bytes permits.
 */
import { tableOf } from '../../model/samples/sample-table.js';
import type { Timeline } from '../../model/timeline/timeline.js';
import { WAKING_SLICES, type WakingRows, type Wakings } from '../../model/timeline/wakings.js';
import { NONE, type Tid } from '../../model/units.js';
import type { Trace } from '../../pipeline/read/trace.js';
import type { CallsOfWaits, TraceWaits } from '../../questions/waits/ask-waits.js';
import { EndedBy, endedBy } from '../../questions/waits/wait-facts.js';
import type { ShownWaits, TimeWindow } from '../../waits/summary/window.js';
import { longestBySlice } from '../../waits/wakers/longest-by-slice.js';
import { shownRows } from './waits-by-path.js';

/** What a waking takes, deflated. */
const WAKING_BYTES = 9;
/** Calls and sums show more. */
const MAX_SHARE = 1 / 8;

/** Returns how many of the bytes of a timeline wakings may take. */
export function wakingBytes({ samples }: Pick<Trace, 'samples'>, timelineBytes: number): number {
  const wakings = tableOf(samples, 'sched:sched_waking')?.length ?? 0;
  return Math.min(wakings * WAKING_BYTES, timelineBytes * MAX_SHARE);
}

/** Returns the wakings of the waits that the profile has; null: no thread woke another one. */
export function wakingsOf(
  traceWaits: TraceWaits,
  calls: CallsOfWaits,
  { startNs, durationNs }: Pick<Timeline, 'startNs' | 'durationNs'>,
  maxBytes: number,
): Wakings | null {
  const { shown, threads } = traceWaits;
  const within = { startNs: startNs + calls.shiftNs, endNs: startNs + calls.shiftNs + durationNs };
  const waits = shownRows(traceWaits, calls).filter((wait) => isWaking(shown, wait, within));
  if (waits.length === 0) return null;
  const { kept, leftOut } = longest(shown, waits, within, Math.floor(maxBytes / WAKING_BYTES));
  const tids = [...new Set([...kept].flatMap((wait) => [shown.tid[wait], shown.waker[wait]]))].sort((a, b) => a - b);
  const traced = new Set(calls.profile.threads.map(({ tid }) => tid));
  return {
    threads: tids.map((tid) => ({ tid, comm: threads.of(tid).comm, isTraced: traced.has(tid) })),
    rows: rowsOf(shown, kept, within, tids),
    leftOut,
  };
}

function isWaking(shown: ShownWaits, wait: number, { startNs, endNs }: TimeWindow): boolean {
  const end = endedBy(shown, wait);
  const isByThread = end === EndedBy.Thread || end === EndedBy.MaybeThread;
  return isByThread && shown.waker[wait] !== NONE && shown.wakeNs[wait] >= startNs && shown.wakeNs[wait] <= endNs;
}

/** Returns the waits to keep, and by part of the time how many others there are. */
function longest(
  { wakeNs, outNs, inNs }: ShownWaits,
  waits: Uint32Array,
  { startNs, endNs }: TimeWindow,
  most: number,
) {
  const slice = new Int32Array(waits.length);
  const ns = new Float64Array(waits.length);
  for (let row = 0; row < waits.length; row++) {
    const wait = waits[row];
    const part = (wakeNs[wait] - startNs) / Math.max(1, endNs - startNs);
    slice[row] = Math.min(WAKING_SLICES - 1, Math.floor(WAKING_SLICES * part));
    ns[row] = inNs[wait] - outNs[wait];
  }
  const isKept = longestBySlice({ slice, ns, slices: WAKING_SLICES }, most);
  const leftOut = new Array<number>(WAKING_SLICES).fill(0);
  for (let row = 0; row < waits.length; row++) if (isKept[row] === 0) leftOut[slice[row]]++;
  return { kept: waits.filter((_, row) => isKept[row] === 1), leftOut };
}

/** Times are cut to the timeline. */
function rowsOf(
  shown: ShownWaits,
  kept: Uint32Array,
  { startNs, endNs }: TimeWindow,
  tids: readonly Tid[],
): WakingRows {
  const place = new Map(tids.map((tid, at) => [tid, at]));
  const places = (column: Int32Array) => Int32Array.from(kept, (wait) => place.get(column[wait]) as number);
  const times = (column: Float64Array) =>
    Float64Array.from(kept, (wait) => Math.min(endNs, Math.max(startNs, column[wait])) - startNs);
  return {
    waiter: places(shown.tid),
    waker: places(shown.waker),
    startNs: times(shown.outNs),
    wakeNs: times(shown.wakeNs),
    runNs: times(shown.inNs),
    isMaybe: Uint8Array.from(kept, (wait) => Number(endedBy(shown, wait) === EndedBy.MaybeThread)),
  };
}
