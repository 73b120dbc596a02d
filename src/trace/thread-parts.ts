/**
 * Cuts a thread into parts that workers replay at the same time: each with all of its own events, and of the others only
 * those that matter for it.
 */
import { sharableBytes } from '../model/shared-memory.js';
import type { Nanoseconds } from '../model/units.js';
import type { SharedEvents } from './event-memory.js';
import { type LaneRuns, startOfRun } from './lanes/lane.js';
import type { SwitchTimes } from './records/switch-log.js';
import { type EventRows, NO_ROWS, type ThreadSource } from './store-contents.js';

/** More would take longer to put together than to replay. */
const MAX_PARTS = 256;

/**
 * Returns parts of about so many events, with their own records, and nothing around them; fewer than two: the thread cannot
 * be cut. Only runs of one input on one CPU are in order without a look at them.
 */
export function cutThread(source: ThreadSource, shared: SharedEvents, partEvents: number): ThreadSource[] {
  const [inputs, other] = source.lanes;
  const [runs, another] = inputs ?? [];
  if (runs === undefined || other || another || source.packed || source.unownedGaps.length > 0) return [];
  const firsts = firstRuns(runs, Math.max(partEvents, source.events / MAX_PARTS));
  const starts = firsts.map((run, part) => (part === 0 ? Number.NEGATIVE_INFINITY : startOfRun(runs, run, shared)));
  return firsts.map((run, part) => {
    const own = runsOf(runs, run, firsts[part + 1]);
    const [startNs, endNs] = [starts[part] as Nanoseconds, starts[part + 1] ?? Number.POSITIVE_INFINITY];
    return {
      ...source,
      lanes: [[own]],
      events: own.events.reduce((sum, events) => sum + events, 0),
      around: { before: NO_ROWS, after: NO_ROWS },
      records: source.records.filter(({ timeNs }) => startNs <= timeNs && timeNs < endNs),
      switches: switchesIn(source.switches, startNs, endNs),
    };
  });
}

/** Returns the first run of each part. */
function firstRuns({ events }: LaneRuns, partEvents: number): number[] {
  const firsts: number[] = [];
  let open = Number.POSITIVE_INFINITY;
  for (let run = 0; run < events.length; run++) {
    if (open >= partEvents) {
      firsts.push(run);
      open = 0;
    }
    open += events[run] as number;
  }
  return firsts;
}

function runsOf({ addresses, lengths, events, ...lane }: LaneRuns, first: number, end?: number): LaneRuns {
  return {
    ...lane,
    addresses: addresses.slice(first, end),
    lengths: lengths.slice(first, end),
    events: events.slice(first, end),
  };
}

function switchesIn({ length, timeNs, kind }: SwitchTimes, startNs: Nanoseconds, endNs: Nanoseconds): SwitchTimes {
  const isIn = (_: number, row: number) => row < length && startNs <= timeNs[row] && timeNs[row] < endNs;
  const own = kind.filter(isIn);
  return { length: own.length, kind: own, timeNs: timeNs.filter(isIn) };
}

/** What matters of all parts together, as if they were one part without events of its own. */
export function outlineOf(source: ThreadSource, outlines: readonly EventRows[]): ThreadSource {
  const before = joinedRows(outlines);
  return { ...source, lanes: [], events: before.site.length, around: { before, after: NO_ROWS } };
}

/** Puts the outlines of all parts around each part. The records are all those of the thread. */
export function withOutlines(
  { records, switches, around }: ThreadSource,
  parts: readonly ThreadSource[],
  outlines: readonly EventRows[],
): ThreadSource[] {
  const all = around?.before ?? NO_ROWS;
  let at = 0;
  return parts.map((part, row) => {
    const before = rowsOf(all, 0, at);
    at += (outlines[row] as EventRows).site.length;
    const after = rowsOf(all, at);
    const events = before.site.length + part.events + after.site.length;
    return { ...part, events, around: { before, after }, records, switches };
  });
}

function rowsOf({ site, timeNs }: EventRows, start: number, end?: number): EventRows {
  return { site: site.subarray(start, end), timeNs: timeNs.subarray(start, end) };
}

/** In memory that workers share, if they share any. */
function joinedRows(all: readonly EventRows[]): EventRows {
  const length = all.reduce((sum, { site }) => sum + site.length, 0);
  const site = new Uint32Array(sharableBytes(Uint32Array.BYTES_PER_ELEMENT * length));
  const timeNs = new Float64Array(sharableBytes(Float64Array.BYTES_PER_ELEMENT * length));
  let at = 0;
  for (const rows of all) {
    site.set(rows.site, at);
    timeNs.set(rows.timeNs, at);
    at += rows.site.length;
  }
  return { site, timeNs };
}
