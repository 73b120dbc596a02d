/**
 * Loads one thread from the store: its events in chronological order, and its records among them.
 */
import { assert, PtflameError } from '../model/errors.js';
import { pagesOf } from '../model/trace/pages.js';
import { EVENT_BYTES, type EventSpace, type RowSpace, ThreadEvents } from '../model/trace/thread-events.js';
import type { Nanoseconds } from '../model/units.js';
import { packedEvents } from './blocks.js';
import type { SharedEvents } from './event-memory.js';
import { type Lane, type LanePlace, LaneReader, OutOfOrder, type SiteEdges, type ThreadSlice } from './lanes/lane.js';
import { mergeLanes } from './lanes/merge-lanes.js';
import { byTimeThenContent, type GapRecord, GapsAmong } from './records/gap-records.js';
import type { RareRecord } from './records/switch-log.js';
import { placedRecords, RowReader } from './row-reader.js';
import type { ThreadSource } from './store-contents.js';

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
}

/**
 * Loads a thread into a buffer, of at least two pages of events; what does not fit goes to a file. The events are valid
 * until the buffer is reused or the file is closed.
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
    if (!(error instanceof OutOfOrder)) throw error;
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
  const [space, laneSpace] = spacesIn(memory, source);
  const slices = slicesOf(source, shared, sites, laneSpace, isInOrder);
  const records = [...own, ...gapsAmong(unownedGaps, slices)];
  const exitAfter = (lastNs: Nanoseconds) => exitOf(own, lastNs);
  const reader = new RowReader(slices, placedRecords(records, switches), sites, recordingStartNs, exitAfter);
  const events = readRows(source, space, reader);
  const { clockSteps } = reader;
  const exitNs = exitAfter(reader.lastNs);
  const gaps = records.filter((record) => record.what === 'gap').sort(byTimeThenContent);
  const createdInside = records.some(({ what }) => what === 'fork');
  const isForked = records.some((record) => record.what === 'fork' && record.pid !== record.parentPid);
  return { events, gaps, createdInside, isForked, isIdleTask, exitNs, clockSteps };
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
  for (const slice of slices()) gaps.add(slice);
  gaps.take(Number.POSITIVE_INFINITY);
  return gaps.found;
}

/**
 * Reads all rows. Those that do not fit are kept in the file if they cannot be read again: this is faster, and new memory
 * is slow, too.
 */
function readRows(source: ThreadSource, space: EventSpace, reader: RowReader): ThreadEvents {
  const { pageRows } = space;
  const marks = [reader.mark()];
  let next = 0;
  let length = 0;
  const read = (page: number, into: RowSpace) => {
    if (page !== next) reader.goTo(marks[page]);
    const rows = reader.read(into, pageRows);
    next = page + 1;
    if (next < marks.length) return;
    marks.push(reader.mark());
    length += rows;
  };
  const events = new ThreadEvents(source.tid, rowsOf(source), space, read);
  const { pages } = events;
  const unused = { site: new Uint32Array(0), siteAt: 0, timeNs: new Float64Array(0), timeAt: 0 };
  for (let page = 0; !reader.isDone; page++) {
    if (!isReadAgain(source)) pages.slotToChange(page * pageRows);
    else if (page < pages.slotCount) pages.slotAt(page * pageRows);
    else {
      if (page === pages.slotCount)
        Object.assign(unused, { site: new Uint32Array(pageRows), timeNs: new Float64Array(pageRows) });
      read(page, unused);
    }
  }
  events.length = length;
  return events;
}

type Slices = (place?: LanePlace) => IterableIterator<ThreadSlice>;

/** Returns what yields the events on the selected CPUs, in order. */
function slicesOf(
  source: ThreadSource,
  shared: SharedEvents,
  sites: SiteEdges,
  laneSpace: EventSpace,
  isInOrder: boolean,
): Slices {
  if (isReadAgain(source)) {
    const lane = new LaneReader(source.lanes[0], shared, isInOrder);
    return (place) => lane.batches(place);
  }
  if (isOneLane(source)) return () => batchesOf(source, shared, isInOrder);
  const lanes = readLanes(
    source,
    batchesOf(source, shared, isInOrder),
    new ThreadEvents(source.tid, source.events, laneSpace),
  );
  return () => mergeLanes(lanes, sites);
}

/** Yields the events on the selected CPUs: those of each CPU in order. */
function* batchesOf({ lanes, packed }: ThreadSource, shared: SharedEvents, isInOrder: boolean): Generator<ThreadSlice> {
  for (const inputs of lanes) yield* new LaneReader(inputs, shared, isInOrder).batches();
  if (packed === null) return;
  assert(shared.packed !== null, 'a packed thread without its file');
  for (const batch of packedEvents(packed.thread, shared.packed))
    if (packed.cpus.includes(batch.cpu)) yield { ...batch, place: null, siteAt: 0, timeAt: 0 };
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
export type ThreadMemory = Omit<EventSpace, 'byteOffset' | 'byteLength'>;

/** Rows that can be read again take no more memory than this: new memory is slower than reading them. */
const MOST_BYTES = 32 * 1024 * 1024;

/** Returns the bytes that the events of a thread take in memory if it is to need no file. */
export function threadBytes(source: ThreadSource, pageRows: number): number {
  const bytes = pageBytes(rowsOf(source), pageRows);
  return isReadAgain(source) ? Math.min(bytes, MOST_BYTES) : isOneLane(source) ? bytes : 2 * bytes;
}

/** Returns what so many rows of a thread need at most, on however many CPUs. */
export function maxThreadBytes(rows: number, pageRows: number): number {
  return 2 * pageBytes(rows, pageRows);
}

function pageBytes(rows: number, pageRows: number): number {
  return EVENT_BYTES * pageRows * pagesOf(rows, pageRows);
}

/** The rows of a thread on one CPU, unless they are in a trace file, can be read again from any page on. */
function isReadAgain({ lanes }: ThreadSource): boolean {
  return lanes.length === 1;
}

/** A single lane needs no merging. */
function isOneLane({ lanes, packed }: ThreadSource): boolean {
  return (packed?.thread.lanes ?? lanes).length === 1;
}

function rowsOf({ events, records, switches, unownedGaps }: ThreadSource): number {
  const gaps = unownedGaps.reduce((sum, { timeNs }) => sum + Math.min(timeNs.length, events + 1), 0);
  return events + records.length + switches.length + gaps;
}

/** Divides a buffer: merged events first, then those of lanes. */
function spacesIn(memory: ThreadMemory, source: ThreadSource): readonly [EventSpace, EventSpace] {
  const { buffer, pageRows } = memory;
  const pageBytes = EVENT_BYTES * pageRows;
  const byteLength = isOneLane(source)
    ? buffer.byteLength
    : pageBytes * Math.floor(buffer.byteLength / (2 * pageBytes));
  const space = { ...memory, byteOffset: 0, byteLength };
  return [space, { ...space, byteOffset: byteLength }];
}
