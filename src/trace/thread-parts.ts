/**
 * Cuts a thread into parts that workers replay at the same time: each with all of its own events, and of the others only
 * those that matter for it.
 */

import { firstThat } from '../model/columns.js';
import { sharableBytes } from '../model/shared-memory.js';
import type { Nanoseconds } from '../model/units.js';
import type { SharedEvents } from './event-memory.js';
import { type LaneRuns, startOfRun } from './lanes/lane.js';
import { type LaneEnds, MAX_SKEW_NS } from './lanes/merge-lanes.js';
import type { SwitchTimes } from './records/switch-log.js';
import { type EventRows, NO_ROWS, type ThreadSource } from './store-contents.js';

/** More would take longer to put together than to replay. */
const MAX_PARTS = 256;

/**
 * Returns parts of about so many events, with their own records, and nothing around them; fewer than two: the thread cannot
 * be cut. Only runs of one input are in order without a look at them.
 */
export function cutThread(source: ThreadSource, shared: SharedEvents, partEvents: number): ThreadSource[] {
  const { lanes, packed, unownedGaps, events } = source;
  if (packed !== null || unownedGaps.length > 0 || lanes.some(({ length }) => length !== 1)) return [];
  const timed = lanes.map(([runs]) => timedRuns(runs as LaneRuns, shared));
  if (!timed.every(({ starts }) => isAscending(starts))) return [];
  const starts = firstTimes(timed, Math.max(partEvents, events / MAX_PARTS));
  const isOne = lanes.length === 1;
  return starts.map((startNs, part) => {
    const endNs = starts[part + 1] ?? Number.POSITIVE_INFINITY;
    const own = timed.map((lane) => runsWithin(lane, startNs, endNs, isOne)).filter(({ events }) => events.length > 0);
    const within = isOne ? null : { startNs, endNs };
    return {
      ...source,
      lanes: own.map((runs) => [runs]),
      events: own.reduce((sum, { events }) => sum + sumOf(events), 0),
      around: { before: NO_ROWS, after: NO_ROWS, within },
      records: source.records.filter(({ timeNs }) => startNs <= timeNs && timeNs < endNs),
      switches: switchesIn(source.switches, startNs, endNs),
    };
  });
}

/** The runs of a lane, and when each begins. */
interface TimedRuns {
  readonly runs: LaneRuns;
  readonly starts: Float64Array;
}

function timedRuns(runs: LaneRuns, shared: SharedEvents): TimedRuns {
  return { runs, starts: Float64Array.from(runs.addresses, (_, run) => startOfRun(runs, run, shared)) };
}

function isAscending(values: Float64Array): boolean {
  return values.every((value, at) => at === 0 || (values[at - 1] as number) <= value);
}

/** Returns when parts begin: with runs. */
function firstTimes(lanes: readonly TimedRuns[], partEvents: number): Nanoseconds[] {
  const all = lanes.flatMap(({ runs, starts }) =>
    runs.events.map((events, run) => ({ startNs: starts[run] as Nanoseconds, events })),
  );
  all.sort((a, b) => a.startNs - b.startNs);
  const first: Nanoseconds[] = [Number.NEGATIVE_INFINITY];
  let open = 0;
  let lastNs: Nanoseconds = Number.NEGATIVE_INFINITY;
  for (const { startNs, events } of all) {
    if (open >= partEvents && startNs > lastNs) {
      first.push(startNs);
      open = 0;
      lastNs = startNs;
    }
    open += events;
  }
  return first;
}

/** Returns the runs that may have events in a time; `areWhole`: those that begin in it. */
function runsWithin(
  { runs, starts }: TimedRuns,
  startNs: Nanoseconds,
  endNs: Nanoseconds,
  areWhole: boolean,
): LaneRuns {
  const { addresses, lengths, events, ...lane } = runs;
  const first = firstThat(0, starts.length, (run) => (starts[run] as Nanoseconds) >= startNs);
  const end = firstThat(first, starts.length, (run) => (starts[run] as Nanoseconds) >= endNs);
  const from = areWhole ? first : Math.max(0, first - 1);
  const own = <Value>(values: readonly Value[]) => values.slice(from, end);
  return { ...lane, addresses: own(addresses), lengths: own(lengths), events: own(events) };
}

function sumOf(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}

function switchesIn({ length, timeNs, kind }: SwitchTimes, startNs: Nanoseconds, endNs: Nanoseconds): SwitchTimes {
  const isIn = (_: number, row: number) => row < length && startNs <= timeNs[row] && timeNs[row] < endNs;
  const own = kind.filter(isIn);
  return { length: own.length, kind: own, timeNs: timeNs.filter(isIn) };
}

/** What matters of a part for the other parts. */
export interface PartOutline extends EventRows {
  /** How many events the part has. */
  readonly events: number;
  /** By lane. */
  readonly ends: readonly LaneEnds[];
  /** Number of times that stepped back. */
  readonly clockSteps: number;
}

/**
 * Whether parts are what the thread did one after the other: no event is missing, and where they meet, the thread is on one
 * CPU at most, so that lanes are merged alike.
 */
export function arePartsOf(
  { events, lanes }: ThreadSource,
  parts: readonly ThreadSource[],
  outlines: readonly PartOutline[],
): boolean {
  let lastNs = Number.NEGATIVE_INFINITY;
  const isInOrder = outlines.every(({ timeNs }) => {
    const isLater = timeNs.length > 0 && (timeNs[0] as number) >= lastNs;
    lastNs = timeNs.at(-1) ?? lastNs;
    return isLater;
  });
  if (!isInOrder || sumOf(outlines.map((outline) => outline.events)) !== events) return false;
  return lanes.length === 1 || parts.every((part, at) => at === 0 || isOnOneCpu(part, at, lanes, outlines));
}

/** Whether no more than one lane has events near the beginning of a part, or a stay that it is in. */
function isOnOneCpu(
  { around }: ThreadSource,
  part: number,
  lanes: ThreadSource['lanes'],
  outlines: readonly PartOutline[],
): boolean {
  const atNs = around?.within?.startNs ?? 0;
  const near = lanes.filter(([runs]) => {
    const endsOf = ({ ends }: PartOutline) => ends.find(({ cpu }) => cpu === runs?.cpu);
    const before = endsOf(outlines.slice(0, part).findLast(endsOf) ?? NO_OUTLINE);
    const after = endsOf(outlines.slice(part).find(endsOf) ?? NO_OUTLINE);
    const isBefore = before && (!before.endsStay || atNs - before.endNs <= NEAR_NS);
    const isAfter = after && (!after.beginsStay || after.startNs - atNs <= NEAR_NS);
    return isBefore || isAfter;
  });
  return near.length <= 1;
}

const NO_OUTLINE: PartOutline = { ...NO_ROWS, events: 0, ends: [], clockSteps: 0 };
/** So far from an event, the clocks of CPUs agree which comes first. */
const NEAR_NS = 2 * MAX_SKEW_NS;

/** What matters of all parts together, as if they were one part without events of its own. */
export function outlineOf(source: ThreadSource, outlines: readonly EventRows[]): ThreadSource {
  const before = joinedRows(outlines);
  return { ...source, lanes: [], events: before.site.length, around: { before, after: NO_ROWS, within: null } };
}

/** Puts the outlines of all parts around each part. The records are all those of the thread. */
export function withOutlines(
  { records, switches, around }: ThreadSource,
  parts: readonly ThreadSource[],
  outlines: readonly PartOutline[],
): ThreadSource[] {
  const all = around?.before ?? NO_ROWS;
  let at = 0;
  return parts.map((part, row) => {
    const outline = outlines[row] as PartOutline;
    const before = rowsOf(all, 0, at);
    at += outline.site.length;
    const after = rowsOf(all, at);
    const events = before.site.length + outline.events + after.site.length;
    const within = part.around?.within ?? null;
    return { ...part, events, around: { before, after, within }, records, switches };
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
