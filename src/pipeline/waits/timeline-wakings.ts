/**
 * Lists the wakings of a timeline: which thread ended which wait, as many as a number of bytes permits.
 */
import { tableOf } from '../../model/samples/sample-table.js';
import type { Timeline } from '../../model/timeline/timeline.js';
import { WAKING_SLICES, type WakingRows, type Wakings } from '../../model/timeline/wakings.js';
import { type Nanoseconds, NONE, type Tid } from '../../model/units.js';
import { longestBySlice } from '../../waits/wakers/longest-by-slice.js';
import type { Trace } from '../read/trace.js';
import type { CallsOfWaits, TraceWaits } from './ask-waits.js';
import { shownRows } from './by-path/waits-by-path.js';
import { EndedBy, endedBy } from './wait-facts.js';

/** What a waking takes, deflated. */
const WAKING_BYTES = 10;
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
  timeline: Timeline,
  maxBytes: number,
): Wakings | null {
  const all = allWakings(traceWaits, shownRows(traceWaits, calls), timeline.startNs + calls.shiftNs, timeline);
  if (all.waiter.length === 0) return null;
  const { kept, leftOut } = longest(all, timeline.durationNs, Math.floor(maxBytes / WAKING_BYTES));
  const tids = [...new Set([...kept.waiter, ...kept.waker])].sort((a, b) => a - b);
  const place = new Map(tids.map((tid, at) => [tid, at]));
  const places = (column: Int32Array) => column.map((tid) => place.get(tid) as number);
  const traced = new Set(calls.profile.threads.map(({ tid }) => tid));
  return {
    threads: tids.map((tid) => ({ tid, comm: traceWaits.threads.of(tid).comm, isTraced: traced.has(tid) })),
    rows: { ...kept, waiter: places(kept.waiter), waker: places(kept.waker) },
    leftOut,
  };
}

/** Returns the wakings within the timeline; threads are tids. Of a wait, only the part within it. */
function allWakings(
  { shown }: TraceWaits,
  waits: Uint32Array,
  originNs: Nanoseconds,
  { durationNs }: Pick<Timeline, 'durationNs'>,
): WakingRows {
  const isWaking = (wait: number) => {
    const atNs = shown.wakeNs[wait] - originNs;
    const isByThread = endedBy(shown, wait) === EndedBy.Thread || endedBy(shown, wait) === EndedBy.MaybeThread;
    return isByThread && shown.waker[wait] !== NONE && atNs >= 0 && atNs <= durationNs;
  };
  const rows = waits.filter(isWaking);
  const within = (times: Float64Array) =>
    Float64Array.from(rows, (wait) => Math.min(durationNs, Math.max(0, times[wait] - originNs)));
  const tids = (column: Int32Array): Int32Array => Int32Array.from(rows, (wait): Tid => column[wait]);
  return {
    waiter: tids(shown.tid),
    waker: tids(shown.waker),
    startNs: within(shown.outNs),
    wakeNs: within(shown.wakeNs),
    runNs: within(shown.inNs),
    isMaybe: Uint8Array.from(rows, (wait) => Number(endedBy(shown, wait) === EndedBy.MaybeThread)),
  };
}

function longest(rows: WakingRows, durationNs: Nanoseconds, most: number) {
  const sliceNs = Math.max(1, durationNs / WAKING_SLICES);
  const slice = Int32Array.from(rows.wakeNs, (ns) => Math.min(WAKING_SLICES - 1, Math.floor(ns / sliceNs)));
  const ns = rows.runNs.map((ns, row) => ns - rows.startNs[row]);
  const isKept = longestBySlice({ slice, ns, slices: WAKING_SLICES }, most);
  const leftOut = new Array<number>(WAKING_SLICES).fill(0);
  isKept.forEach((kept, row) => {
    if (kept === 0) leftOut[slice[row]]++;
  });
  const keptOf = <Column extends Int32Array | Float64Array | Uint8Array>(column: Column): Column =>
    column.filter((_: number, row: number) => isKept[row] === 1) as Column;
  const { waiter, waker, startNs, wakeNs, runNs, isMaybe } = rows;
  return {
    kept: {
      waiter: keptOf(waiter),
      waker: keptOf(waker),
      startNs: keptOf(startNs),
      wakeNs: keptOf(wakeNs),
      runNs: keptOf(runNs),
      isMaybe: keptOf(isMaybe),
    },
    leftOut,
  };
}
