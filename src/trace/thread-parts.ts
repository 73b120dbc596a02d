/**
 * Cuts a thread into parts that workers replay at the same time: each with all of its own events, and of the others only
 * those that matter for it.
 */

import type { PackedBlock, PackedOutline } from '../codec/block-head.js';
import { firstThat } from '../model/columns.js';
import { sharableBytes } from '../model/shared-memory.js';
import { type Nanoseconds, NONE } from '../model/units.js';
import type { SharedEvents } from './event-memory.js';
import { type LaneRuns, startOfRun } from './lanes/lane.js';
import { type LaneEnds, MAX_SKEW_NS } from './lanes/merge-lanes.js';
import type { SwitchTimes } from './records/switch-log.js';
import { type EventRows, NO_ROWS, type ThreadSource } from './store-contents.js';

/** More would take longer to put together than to replay. */
const MAX_PARTS = 256;

/** Returns how many events fill a part: of a very large thread more, so that there are not too many parts. */
function mostEvents({ events }: ThreadSource, partEvents: number): number {
  return Math.max(partEvents, events / MAX_PARTS);
}

/** Where a thread can be cut. */
export class ThreadCut {
  private readonly lanes: readonly TimedRuns[];
  /** When the parts begin. */
  private starts: readonly Nanoseconds[];

  private constructor(
    private readonly source: ThreadSource,
    shared: SharedEvents,
    partEvents: number,
  ) {
    this.lanes = source.lanes.map(([runs]) => timedRuns(runs as LaneRuns, shared));
    this.starts = firstTimes(this.lanes, partEvents);
  }

  /**
   * Cuts a thread into parts of about so many events; null: it cannot be cut. Only runs of one input are in order without a
   * look at them.
   */
  static of(source: ThreadSource, shared: SharedEvents, partEvents: number): ThreadCut | null {
    const { lanes, packed, unownedGaps } = source;
    if (packed !== null || unownedGaps.length > 0 || lanes.some(({ length }) => length !== 1)) return null;
    const cut = new ThreadCut(source, shared, mostEvents(source, partEvents));
    return cut.lanes.every(({ starts }) => isAscending(starts)) ? cut : null;
  }

  /** Returns the parts, with nothing around them. */
  parts(): ThreadSource[] {
    return this.starts.map((startNs, part) => this.part(startNs, this.starts[part + 1] ?? Number.POSITIVE_INFINITY));
  }

  private part(startNs: Nanoseconds, endNs: Nanoseconds): ThreadSource {
    const { source, lanes } = this;
    const isOne = lanes.length === 1;
    const own = lanes.map((lane) => runsWithin(lane, startNs, endNs, isOne)).filter(({ events }) => events.length > 0);
    const within = isOne ? null : { startNs, endNs };
    return {
      ...withSwitchesIn(source, startNs, endNs),
      lanes: own.map((runs) => [runs]),
      events: own.reduce((sum, { events }) => sum + sumOf(events), 0),
      around: { ...NOTHING, within },
    };
  }

  /**
   * Joins parts that the thread did not do one after the other: times step back where they meet, or it may be on two CPUs, so
   * that lanes would be merged in another order. Returns the outlines of the parts that there are then; null: of a new one.
   */
  join(outlines: readonly PartOutline[]): (PartOutline | null)[] {
    const kept: (PartOutline | null)[] = [];
    this.starts = this.starts.filter((startNs, part) => {
      const isCut = part === 0 || this.isCut(startNs, part, outlines);
      if (isCut) kept.push(outlines[part] as PartOutline);
      else kept[kept.length - 1] = null;
      return isCut;
    });
    return kept;
  }

  private isCut(startNs: Nanoseconds, part: number, outlines: readonly PartOutline[]): boolean {
    const [before, own] = outlines.slice(part - 1, part + 1) as [PartOutline, PartOutline];
    const isLater = (before.timeNs.at(-1) as Nanoseconds) <= (own.timeNs[0] as Nanoseconds);
    return isLater && (this.lanes.length === 1 || isOnOneCpu(startNs, part, this.source.lanes, outlines));
  }

  /** Whether these are all events of the thread. */
  isWhole(outlines: readonly PartOutline[]): boolean {
    return sumOf(outlines.map(({ events }) => events)) === this.source.events;
  }
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

/** Returns when parts begin: with runs, the first one with all that comes before. */
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

/** Returns the source with its switches of a time only: other records are looked at once, with all parts. */
function withSwitchesIn(source: ThreadSource, startNs: Nanoseconds, endNs: Nanoseconds): ThreadSource {
  return { ...source, records: [], switches: switchesIn(source.switches, startNs, endNs) };
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

/** Whether no more than one lane has events near the beginning of a part, or a stay that it is in. */
function isOnOneCpu(
  atNs: Nanoseconds,
  part: number,
  lanes: ThreadSource['lanes'],
  outlines: readonly PartOutline[],
): boolean {
  const near = lanes.filter(([runs]) => {
    const endsOf = ({ ends }: PartOutline) => ends.find(({ cpu }) => cpu === runs?.cpu);
    const before = endsOf(outlines.slice(0, part).findLast(endsOf) ?? NO_PART);
    const after = endsOf(outlines.slice(part).find(endsOf) ?? NO_PART);
    const isBefore = before && (!before.endsStay || atNs - before.endNs <= NEAR_NS);
    const isAfter = after && (!after.beginsStay || after.startNs - atNs <= NEAR_NS);
    return isBefore || isAfter;
  });
  return near.length <= 1;
}

const NO_PART: PartOutline = { ...NO_ROWS, events: 0, ends: [], clockSteps: 0 };
/** So far from an event, the clocks of CPUs agree which comes first. */
const NEAR_NS = 2 * MAX_SKEW_NS;

/** A part of a thread of a trace file. */
interface PackedPart {
  readonly part: ThreadSource;
  /** The events that the file's outline has of it, without the others. */
  readonly outline: ThreadSource;
}

/**
 * Cuts a thread of a trace file into parts of about so many events: whole blocks, which are in order. Empty: it cannot be cut.
 */
export function packedParts(source: ThreadSource, outline: PackedOutline, partEvents: number): PackedPart[] {
  const { packed, unownedGaps } = source;
  if (packed === null || unownedGaps.length > 0) return [];
  const { blocks } = packed.thread;
  const most = mostEvents(source, partEvents);
  const firsts: number[] = [];
  let open = most;
  let events = 0;
  blocks.forEach((block, at) => {
    if (open >= most) firsts.push(at);
    open = open >= most ? block.events : open + block.events;
    events += block.events;
  });
  if (events !== source.events) return [];
  let row = 0;
  return firsts.map((first, part) => {
    const end = firsts[part + 1] ?? blocks.length;
    const start = part === 0 ? Number.NEGATIVE_INFINITY : (blocks[first] as PackedBlock).startNs;
    const own = withSwitchesIn(source, start, blocks[end]?.startNs ?? Number.POSITIVE_INFINITY);
    const ownBlocks = blocks.slice(first, end);
    const events = sumOf(ownBlocks.map((block) => block.events));
    const rows = rowsOf(outline, row, (row += sumOf(outline.lengths.slice(first, end))));
    const thread = { ...packed.thread, blocks: ownBlocks };
    const ofThread = { ...packed, thread, part: { first: 0, last: end - first - 1, outline: NO_OUTLINE, events } };
    return { part: { ...own, packed: ofThread, events, around: NOTHING }, outline: outlineOf(own, [rows]) };
  });
}

const NO_OUTLINE: PackedOutline = { tid: NONE, lengths: [], ...NO_ROWS, jumps: [] };
const NOTHING = { before: NO_ROWS, after: NO_ROWS, within: null };

/** What matters of all parts together, as if they were one part without events of its own. */
export function outlineOf(source: ThreadSource, outlines: readonly EventRows[]): ThreadSource {
  const before = joinedRows(outlines);
  return { ...source, lanes: [], packed: null, events: before.site.length, around: { ...NOTHING, before } };
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
