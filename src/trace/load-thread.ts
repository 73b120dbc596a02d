/**
 * Loads one thread from the store: its events in chronological order, and its records among them.
 */
import { assert, PtflameError } from '../model/errors.js';
import { pagesOf } from '../model/trace/pages.js';
import { EVENT_BYTES, type EventSpace, ThreadEvents } from '../model/trace/thread-events.js';
import { type Nanoseconds, NONE } from '../model/units.js';
import { packedEvents, partEvents } from './blocks.js';
import { isInMemory, type SharedEvents } from './event-memory.js';
import {
  type Lane,
  LaneReader,
  type LaneRuns,
  OutOfOrder,
  type SiteEdges,
  type Slices,
  slicesWithin,
  type ThreadSlice,
} from './lanes/lane.js';
import { type LaneEnds, laneEnds, MergedLanes } from './lanes/merge-lanes.js';
import { byTimeThenContent, type GapRecord, GapsAmong } from './records/gap-records.js';
import type { RareRecord } from './records/switch-log.js';
import { EventReader, pagedRows, placedRecords, RowReader } from './rows.js';
import { type EventRows, NO_ROWS, type ThreadSource } from './store-contents.js';

/** What is known about a thread in addition to its events. */
export interface ThreadFacts {
  /** perf's errors among the events, in order. */
  readonly gaps: readonly GapRecord[];
  /** It was created during the recording. */
  readonly createdInside: boolean;
  /** It is a process that was created during the recording: it began with its parent's calls. */
  readonly isForked: boolean;
  /** It is the idle task of a CPU. */
  readonly isIdleTask: boolean;
  /** Infinity if its end was not recorded. */
  readonly exitNs: Nanoseconds;
  /** Number of times that stepped back. */
  readonly clockSteps: number;
}

export interface LoadedThread extends ThreadFacts {
  readonly events: ThreadEvents;
  /** Of each lane, if a part of a thread on several CPUs was loaded; else empty. */
  readonly ends: readonly LaneEnds[];
}

/**
 * Loads a thread into a buffer, of at least two pages of events; what does not fit goes to a file. The events are valid
 * until the buffer is reused or the file is closed.
 *
 * @throws OutOfOrder if a part of a thread cannot be read alone
 */
export function loadThread(
  source: ThreadSource,
  shared: SharedEvents,
  sites: SiteEdges,
  memory: ThreadMemory,
): LoadedThread {
  if (rowsOf(source) > MAX_ROWS) throw tooManyEvents(source);
  try {
    return load(source, shared, sites, memory, true);
  } catch (error) {
    if (!(error instanceof OutOfOrder) || source.around !== null) throw error;
    return load(source, shared, sites, memory, false);
  }
}

/** `isInOrder`: as for `LaneReader`. @throws OutOfOrder */
function load(
  source: ThreadSource,
  shared: SharedEvents,
  sites: SiteEdges,
  memory: ThreadMemory,
  isInOrder: boolean,
): LoadedThread {
  const { records: own, switches, unownedGaps, recordingStartNs, isIdleTask } = source;
  const layout = layoutOf(source, memory, memory.buffer.byteLength);
  const ends: LaneEnds[] = [];
  const slices = slicesOf(source, shared, sites, memory, layout, isInOrder, ends);
  const records = [...own, ...gapsAmong(unownedGaps, slices)];
  const exitAfter = (lastNs: Nanoseconds) => exitOf(own, lastNs);
  const reader = new RowReader(slices, placedRecords(records, switches), sites, recordingStartNs, exitAfter);
  const events = pagedRows(source.tid, rowsOf(source), { ...memory, ...layout.events }, reader, layout.areReadAgain);
  const { clockSteps } = reader;
  const exitNs = exitAfter(reader.lastNs);
  const gaps = records.filter((record) => record.what === 'gap').sort(byTimeThenContent);
  const createdInside = records.some(({ what }) => what === 'fork');
  const isForked = records.some((record) => record.what === 'fork' && record.pid !== record.parentPid);
  return { events, ends, gaps, createdInside, isForked, isIdleTask, exitNs, clockSteps };
}

/** Rows are numbers of 32 bits, and others than rows are negative. */
const MAX_ROWS = 2 ** 31 - 1;

function tooManyEvents({ tid, events }: ThreadSource): PtflameError {
  return new PtflameError('TOO_LARGE', `thread ${tid} has ${events} events: more than ${MAX_ROWS}`, {
    hint: 'read less of it: --cpu, or a part of its time (perf script --time FROM,TO)',
  });
}

/** Returns the errors without a thread that concern this one. */
function gapsAmong(unowned: ThreadSource['unownedGaps'], slices: Slices): readonly GapRecord[] {
  if (unowned.length === 0) return [];
  const gaps = new GapsAmong(unowned);
  for (const slice of slices.from()) gaps.add(slice);
  gaps.take(Number.POSITIVE_INFINITY);
  return gaps.found;
}

/** Returns the events on the selected CPUs, in order, without records. The memory is reused, as that of `loadThread`. */
export function threadSlices(
  source: ThreadSource,
  shared: SharedEvents,
  sites: SiteEdges,
  memory: ThreadMemory,
): Slices {
  return slicesOf(source, shared, sites, memory, layoutOf(source, memory, memory.buffer.byteLength), false);
}

function slicesOf(
  source: ThreadSource,
  shared: SharedEvents,
  sites: SiteEdges,
  memory: ThreadMemory,
  { areReadAgain, lanes: ofLanes }: Layout,
  isInOrder: boolean,
  ends: LaneEnds[] = [],
): Slices {
  const laneSpace: EventSpace = { ...memory, ...ofLanes };
  const { tid, lanes, events } = source;
  if (source.around !== null) {
    const own = partSlices(source, shared, sites, laneSpace, ends);
    return { from: () => eventsAround(source, own), isValid: () => true };
  }
  if (lanes.length === 1) return new LaneReader(lanes[0], shared, isInOrder);
  const all = { from: () => batchesOf(source, shared, isInOrder), isValid: () => true };
  if (isOneLane(source)) return all;
  if (!areReadAgain)
    return new MergedLanes(readLanes(source, all.from(), new ThreadEvents(tid, events, laneSpace)), sites);
  const byteLength = laneSpace.byteLength / lanes.length;
  const readLane = (inputs: readonly LaneRuns[], at: number): Lane => {
    const space = { ...laneSpace, byteOffset: laneSpace.byteOffset + at * byteLength, byteLength };
    const own = pagedRows(tid, events, space, new EventReader(new LaneReader(inputs, shared, isInOrder)), true);
    return { cpu: inputs[0].cpu, events: own, start: 0, length: own.length };
  };
  return new MergedLanes(lanes.map(readLane), sites, true);
}

/** Returns the events of a part in order. */
function partSlices(
  source: ThreadSource,
  shared: SharedEvents,
  sites: SiteEdges,
  space: EventSpace,
  ends: LaneEnds[],
): Iterable<ThreadSlice> {
  const batches = batchesOf(source, shared, true);
  if (isOneLane(source)) return batches;
  const lanes = readLanes(source, batches, new ThreadEvents(source.tid, source.events, space));
  ends.push(...lanes.map((lane) => laneEnds(lane, sites)));
  return new MergedLanes(lanes, sites).from();
}

/** Yields the events of a part, and before and after them those that matter of the others. */
function* eventsAround({ around }: ThreadSource, own: Iterable<ThreadSlice>): Generator<ThreadSlice> {
  const rows = (own?: EventRows): ThreadSlice => {
    const { site, timeNs } = own ?? NO_ROWS;
    return { cpu: NONE, place: null, site, siteAt: 0, timeNs, timeAt: 0, length: site.length };
  };
  yield rows(around?.before);
  yield* own;
  yield rows(around?.after);
}

/** Yields the events on the selected CPUs: those of each CPU in order. */
function* batchesOf(
  { lanes, packed, around }: ThreadSource,
  shared: SharedEvents,
  isInOrder: boolean,
): Generator<ThreadSlice> {
  for (const inputs of lanes) {
    const slices = new LaneReader(inputs, shared, isInOrder).from();
    yield* around?.within ? slicesWithin(slices, around.within) : slices;
  }
  if (packed === null) return;
  assert(shared.packed !== null, 'a packed thread without its file');
  const { thread, cpus, part } = packed;
  const batches = part ? partEvents(thread, part, shared.packed) : packedEvents(thread, shared.packed);
  for (const batch of batches)
    if (part || cpus.includes(batch.cpu)) yield { ...batch, place: null, siteAt: 0, timeAt: 0 };
}

/** Reads all lanes, one after another. Those of a trace file are read at the same time, and have known lengths. */
function readLanes(source: ThreadSource, batches: Iterable<ThreadSlice>, events: ThreadEvents): Lane[] {
  const lanes = new Map<number, { cpu: number; events: ThreadEvents; start: number; length: number }>();
  let end = 0;
  const addLane = (cpu: number) => {
    const lane = { cpu, events, start: end, length: 0 };
    lanes.set(cpu, lane);
    return lane;
  };
  for (const { cpu, events } of source.packed?.thread.lanes ?? []) {
    addLane(cpu);
    end += events;
  }
  for (const slice of batches) {
    const lane = lanes.get(slice.cpu) ?? addLane(slice.cpu);
    events.put(lane.start + lane.length, slice);
    lane.length += slice.length;
    end += slice.length;
  }
  return [...lanes.values()];
}

/** Returns the time of the last exit; Infinity if a branch or a new thread with the same id follows. */
function exitOf(records: readonly RareRecord[], lastNs: Nanoseconds): Nanoseconds {
  const last = records.reduce<RareRecord | null>(
    (last, record) => (isTask(record) && (last === null || isLater(record, last)) ? record : last),
    null,
  );
  const isOver = last?.what === 'exit' && last.timeNs >= lastNs;
  return isOver ? last.timeNs : Number.POSITIVE_INFINITY;
}

/** At equal times the exit is last. */
function isLater(record: RareRecord, last: RareRecord): boolean {
  return record.timeNs > last.timeNs || (record.timeNs === last.timeNs && record.what === 'exit');
}

function isTask({ what }: RareRecord): boolean {
  return what === 'fork' || what === 'exit';
}

/** Where a thread is loaded. */
export interface ThreadMemory extends Omit<EventSpace, 'byteOffset' | 'byteLength'> {
  /** Rows that would take more are read again, as far as that is possible. */
  readonly mostBytes: number;
}

/** Returns the bytes that the events of a thread take in memory, of those that are available. */
export function threadBytes(
  source: ThreadSource,
  sizes: Pick<ThreadMemory, 'pageRows' | 'mostBytes'>,
  availableBytes = Number.POSITIVE_INFINITY,
): number {
  const { events, lanes } = layoutOf(source, sizes, availableBytes);
  return events.byteLength + lanes.byteLength;
}

/** Returns what so many rows of a thread need at most, on however many CPUs. */
export function maxThreadBytes(rows: number, pageRows: number): number {
  return 2 * pageBytes(rows, pageRows);
}

/**
 * Blocks of a trace file would have to be inflated again. Of what went to a file, only one run is in memory, so lanes cannot
 * take turns.
 */
function canReadAgain({ lanes, packed, around }: ThreadSource): boolean {
  return (
    packed === null &&
    around === null &&
    (lanes.length === 1 || lanes.flat().every(({ addresses }) => addresses.every(isInMemory)))
  );
}

/** Where the events of a thread are in its memory: first the merged ones, then those of each CPU. */
interface Layout {
  readonly areReadAgain: boolean;
  readonly events: Pick<EventSpace, 'byteOffset' | 'byteLength'>;
  readonly lanes: Pick<EventSpace, 'byteOffset' | 'byteLength' | 'pageRows'>;
}

/** Pages of a lane in memory: that with the next event, and the next one, as stays are read to their ends. */
const LANE_PAGES = 2;
const LANE_PAGE_ROWS = 32_768;

/** Of pages that are read again, one after the other, so many stay in the CPU's cache. */
const CACHED_BYTES = 3 * 1024 * 1024;

/** Those that are not read again, and do not fit into what is available, are in a file. */
function layoutOf(
  source: ThreadSource,
  { pageRows, mostBytes }: Pick<ThreadMemory, 'pageRows' | 'mostBytes'>,
  availableBytes: number,
): Layout {
  const isOne = isOneLane(source);
  const allBytes = pageBytes(rowsOf(source), pageRows);
  if (!canReadAgain(source) || (isOne ? 1 : 2) * allBytes <= mostBytes) {
    const bytes = Math.min(allBytes, fullPages(isOne ? availableBytes : availableBytes / 2, pageRows));
    return layout(false, bytes, isOne ? 0 : bytes, pageRows);
  }
  if (isOne) return layout(true, fullPages(Math.min(mostBytes, CACHED_BYTES), pageRows), 0, pageRows);
  const laneRows = mostBytes / (2 * source.lanes.length * LANE_PAGES * EVENT_BYTES);
  const lanePageRows = 2 ** Math.floor(Math.log2(Math.max(2, Math.min(laneRows, LANE_PAGE_ROWS))));
  const laneBytes = source.lanes.length * LANE_PAGES * EVENT_BYTES * lanePageRows;
  return layout(true, fullPages(mostBytes / 2, pageRows), laneBytes, lanePageRows);
}

function layout(areReadAgain: boolean, eventBytes: number, laneBytes: number, pageRows: number): Layout {
  const lanes = { byteOffset: eventBytes, byteLength: laneBytes, pageRows };
  return { areReadAgain, events: { byteOffset: 0, byteLength: eventBytes }, lanes };
}

/** Returns as many bytes, or a little less: one page at least. */
function fullPages(bytes: number, pageRows: number): number {
  return EVENT_BYTES * pageRows * Math.max(1, Math.floor(bytes / (EVENT_BYTES * pageRows)));
}

function pageBytes(rows: number, pageRows: number): number {
  return EVENT_BYTES * pageRows * pagesOf(rows, pageRows);
}

/** A single lane needs no merging. */
function isOneLane({ lanes, packed, around }: ThreadSource): boolean {
  if (around !== null) return around.within === null;
  return packed?.part != null || (packed?.thread.lanes ?? lanes).length === 1;
}

function rowsOf({ events, records, switches, unownedGaps }: ThreadSource): number {
  const gaps = unownedGaps.reduce((sum, { timeNs }) => sum + Math.min(timeNs.length, events + 1), 0);
  return events + records.length + switches.length + gaps;
}
