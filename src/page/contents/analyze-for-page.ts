/**
 * Analyzes inputs for outputs over time: the profile, the timeline, single calls, and the waits if the trace has samples
 * that tell about them.
 */

import type { LongestCalls } from '../../model/calls/call-events.js';
import { assert } from '../../model/errors.js';
import type { Profile } from '../../model/profile/profile.js';
import { type Timeline, WAKING_SLICES, type WakingRows, type Wakings } from '../../model/profile/timeline.js';
import type { WaitsByPath } from '../../model/profile/waits-by-path.js';
import { tableOf } from '../../model/sample-table.js';
import { type Bounds, NONE, type Tid } from '../../model/units.js';
import type { AnalyzeOptions } from '../../pipeline/analyze.js';
import type { AnalyzedInput } from '../../pipeline/read/read-trace.js';
import type { Trace } from '../../pipeline/read/trace.js';
import type { LineCalls } from '../../pipeline/replay/name-functions.js';
import { replayTrace } from '../../pipeline/replay-trace.js';
import { withTrace } from '../../pipeline/with-trace.js';
import { type CallsOfWaits, type CallsToList, type TraceWaits, traceWaitsOf } from '../../questions/waits/ask-waits.js';
import { blockedTimeOf } from '../../questions/waits/blocked-by.js';
import { EndedBy, endedBy } from '../../questions/waits/wait-facts.js';
import { longestBySlice } from '../../waits/longest-by-slice.js';
import { OffState } from '../../waits/schedule.js';
import type { ShownWaits } from '../../waits/summary/window.js';
import type { PageRequests } from '../data/requests.js';
import type { BlockedTime } from '../data/write.js';
import { locksForPage } from './page-locks.js';
import { AskedIntervals, type KeyedPiece, PlaceWriter } from './place-writer.js';
import { groupWaits, type PlaceGroups, piecesOf, WaitBlockers } from './waiting-places.js';

export interface PageContents {
  readonly profile: Profile;
  /** null: nothing is known of them, or the profile is of some calls only. */
  readonly waits: WaitsByPath | null;
  /** null: not requested, the trace has no times, or the profile is of some calls only. */
  readonly timeline: Timeline | null;
  /** null: not requested. */
  readonly longestCalls: LongestCalls | null;
  /** Absent, null: not requested. */
  readonly lineCalls?: readonly LineCalls[] | null;
  /** Absent, null: not requested. */
  readonly requests?: PageRequests | null;
  /** Blocked time, by the threads waited for. Absent, null: nobody waited, or it is not known for whom. */
  readonly blocked?: BlockedTime | null;
}

/** Asks for requests, in the replay that the profile comes from. */
export type AskForRequests = (options: AnalyzeOptions) => {
  readonly callsToList: CallsToList;
  readonly find: (traced: TraceWaits, calls: CallsOfWaits) => Promise<PageRequests>;
};

/**
 * Returns the profile of `analyze`, and what a page shows besides. `askForRequests`: null: not for requests.
 *
 * @throws PtflameError as `analyze`, and as `askForRequests`
 */
export function analyzeForPage(
  inputs: readonly AnalyzedInput[],
  options: AnalyzeOptions = {},
  askForRequests: AskForRequests | null = null,
): Promise<PageContents> {
  const withOptions = { ...options, byCalls: options.byCalls ?? false, isPart: options.window !== undefined };
  return withTrace(inputs, withOptions, async (trace, resources) => {
    const hasWakings = recordsWakings(trace);
    const showsWaits = hasWakings && isOfAllCalls(options);
    if (!hasWakings && askForRequests === null) {
      const { profile, timeline, longestCalls, lineCalls } = await replayTrace(trace, options, {}, resources);
      return { profile, waits: null, timeline, longestCalls, lineCalls };
    }
    const { timelineBytes = 0 } = options;
    const forWakings = showsWaits ? wakingBytes(trace, timelineBytes) : 0;
    const asked = askForRequests?.(options) ?? null;
    const withoutWakings = {
      ...options,
      timelineBytes: timelineBytes - forWakings,
      asksAgain: hasWakings || asked !== null,
    };
    const traceWaits = await traceWaitsOf(trace, withoutWakings, resources, asked?.callsToList ?? null);
    const { calls } = traceWaits;
    assert(calls !== null, 'a profile has threads');
    const { profile, timeline, longestCalls, lineCalls } = calls;
    const wakings = showsWaits && timeline ? wakingsOf(traceWaits, calls, timeline, forWakings) : null;
    const waits = showsWaits ? await waitsByPath(traceWaits, calls) : null;
    const requests = asked && (await asked.find(traceWaits, calls));
    const blocked = hasWakings ? boundedBlocked(await blockedTimeOf(traceWaits, calls, options)) : null;
    return {
      profile,
      waits,
      timeline: timeline && { ...timeline, wakings },
      longestCalls,
      lineCalls,
      requests,
      blocked,
    };
  });
}

/** Of all threads together. A path takes a few bytes, so that this is less than what the timeline may take. */
const MAX_BLOCKED_PATHS = 2 ** 18;

function boundedBlocked(blocked: Profile): BlockedTime | null {
  const paths = blocked.threads.reduce((sum, { tree }) => sum + tree.length, 0);
  if (paths > MAX_BLOCKED_PATHS) return 'too large';
  return paths === 0 ? null : blocked;
}

/** Switches alone say that threads waited, but not for whom. */
function recordsWakings({ samples, account }: Trace): boolean {
  return tableOf(samples, 'sched:sched_waking') !== null && account.timeless === 0;
}

/** What threads did while others waited cannot be cut to what happens inside calls. */
function isOfAllCalls({ inside = [], root }: AnalyzeOptions): boolean {
  return inside.length === 0 && root === undefined;
}

/** What a waking takes, deflated. */
const WAKING_BYTES = 9;
/** Calls and sums show more. */
const MAX_SHARE = 1 / 8;

/**
 * Lists the wakings of a timeline: which thread ended which wait, as many as a number of bytes permits.
 *
 * Returns how many of the bytes of a timeline wakings may take.
 */
function wakingBytes({ samples }: Pick<Trace, 'samples'>, timelineBytes: number): number {
  const wakings = tableOf(samples, 'sched:sched_waking')?.length ?? 0;
  return Math.min(wakings * WAKING_BYTES, timelineBytes * MAX_SHARE);
}

/** Returns the wakings of the waits that the profile has; null: no thread woke another one. */
function wakingsOf(
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

function isWaking(shown: ShownWaits, wait: number, { startNs, endNs }: Bounds): boolean {
  const end = endedBy(shown, wait);
  const isByThread = end === EndedBy.Thread || end === EndedBy.MaybeThread;
  return isByThread && shown.waker[wait] !== NONE && shown.wakeNs[wait] >= startNs && shown.wakeNs[wait] <= endNs;
}

/** Returns the waits to keep, and by part of the time how many others there are. */
function longest({ wakeNs, outNs, inNs }: ShownWaits, waits: Uint32Array, { startNs, endNs }: Bounds, most: number) {
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
function rowsOf(shown: ShownWaits, kept: Uint32Array, { startNs, endNs }: Bounds, tids: readonly Tid[]): WakingRows {
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

/**
 * Sums up the waits of a trace by call path: for whom, why, what that thread did meanwhile, and the longest wait.
 *
 * Waits count as far as they are in the selected time. Returns null if there are none.
 */
async function waitsByPath(traceWaits: TraceWaits, calls: CallsOfWaits): Promise<WaitsByPath | null> {
  const { shown } = traceWaits;
  const rows = shownRows(traceWaits, calls);
  if (rows.length === 0) return null;
  const blockers = new WaitBlockers(traceWaits);
  const groups = groupWaits(shown, calls, blockers, rows);
  const pieces = keyedPieces(traceWaits, groups);
  const asked = new AskedIntervals(calls.askable);
  for (const wait of rows) {
    const key = groups.blockerOf[wait];
    if (key !== NONE) blockers.forEachInterval(wait, (tid, fromNs, toNs) => asked.add(tid, fromNs, toNs, key));
  }
  for (const { kind, tid, fromNs, toNs, key } of pieces.flat())
    if (kind === 'running') asked.add(tid, fromNs, toNs, key);
  const times = await asked.ask();
  const places = new PlaceWriter(traceWaits, calls, blockers, times).write({ groups, pieces });
  return { ...places, ...(await locksForPage(traceWaits)) };
}

/** Their keys come after the rows of blockers. */
function keyedPieces(traceWaits: TraceWaits, { places }: PlaceGroups): KeyedPiece[][] {
  let key = places.reduce((sum, { blockers }) => sum + blockers.length, 0);
  return places.map(({ longest }) => piecesOf(traceWaits, longest).map((piece) => ({ ...piece, key: key++ })));
}

/** Returns the waits that the profile has. Where switches are missing, the thread may have run. */
function shownRows({ shown }: TraceWaits, { profile, waiterNode }: CallsOfWaits): Uint32Array {
  const tids = new Set(profile.threads.map(({ tid }) => tid));
  const isShown = (wait: number) => {
    const isWait = shown.state[wait] !== OffState.Unknown && shown.inNs[wait] > shown.outNs[wait];
    return isWait && waiterNode[wait] !== NONE && tids.has(shown.tid[wait]);
  };
  return Uint32Array.from(shown.tid.keys()).filter(isShown);
}
