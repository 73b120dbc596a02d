/**
 * Loads one thread from the store: its events in chronological order, and its records among them.
 */
import { countAtOrBelow } from '../model/columns.js';
import { assert } from '../model/errors.js';
import { SwitchKind } from '../model/sample-table.js';
import { BranchKind, type RecordKind, recordSite, TraceEdge } from '../model/trace/branch-sites.js';
import type { ThreadEvents } from '../model/trace/trace-chunk.js';
import { type Nanoseconds, NONE, type Tid } from '../model/units.js';
import { decodeLanes } from './blocks.js';
import type { PackedFile, SharedEvents } from './event-memory.js';
import { type EventRows, type Lane, readLane, type SiteEdges } from './lanes/lane.js';
import { lastRowAt, type MergedLanes, mergeLanes } from './lanes/merge-lanes.js';
import { byTimeThenContent, type GapRecord, gapsAmong } from './records/gap-records.js';
import type { RareRecord, SwitchTimes } from './records/switch-log.js';
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

/** Loads a thread into `buffer`, of at least `threadBytes`. The events are valid until the buffer is reused. */
export function loadThread(
  source: ThreadSource,
  shared: SharedEvents,
  sites: SiteEdges,
  buffer: ArrayBuffer | SharedArrayBuffer,
): LoadedThread {
  const memory = threadMemory(buffer, source);
  const lanes = source.packed
    ? selectedLanes(source.packed, shared.packed, memory.lanes)
    : readLanes(source.lanes, shared, memory.lanes);
  const wantsCpus = source.unownedGaps.some(({ cpu }) => cpu !== NONE);
  const merged = mergeLanes(lanes, sites, memory.merged, wantsCpus);
  const exitNs = exitOf(source.records, merged);
  const switches = countAtOrBelow(source.switches.timeNs, exitNs);
  const records = [...source.records, ...source.unownedGaps.flatMap((gaps) => [...gapsAmong(gaps, merged)])];
  const inserted = { records, switches: { ...source.switches, length: switches } };
  const events = insertRecords(source, merged, inserted, sites, memory.merged);
  const gaps = records.filter((record) => record.what === 'gap').sort(byTimeThenContent);
  const createdInside = records.some(({ what }) => what === 'fork');
  const isForked = records.some((record) => record.what === 'fork' && record.pid !== record.parentPid);
  return {
    events,
    gaps,
    createdInside,
    isForked,
    isIdleTask: source.isIdleTask,
    exitNs,
    clockSteps: merged.clockSteps,
  };
}

function readLanes(lanes: ThreadSource['lanes'], shared: SharedEvents, rows: EventRows): Lane[] {
  let row = 0;
  return lanes.map((inputs) => {
    const lane = readLane(inputs, shared, rows, row);
    row += lane.length;
    return lane;
  });
}

function selectedLanes(
  { thread, cpus }: NonNullable<ThreadSource['packed']>,
  file: PackedFile | null,
  rows: EventRows,
): Lane[] {
  assert(file !== null, 'a packed thread without its file');
  return decodeLanes(thread, file, rows).filter(({ cpu }) => cpus.includes(cpu));
}

/** Returns the time of the last exit; Infinity if a branch or a new thread with the same id follows. */
function exitOf(records: readonly RareRecord[], { timeNs, length }: MergedLanes): Nanoseconds {
  const last = records.reduce<RareRecord | null>(
    (last, record) => (isTask(record) && (last === null || isLater(record, last)) ? record : last),
    null,
  );
  const isOver = last?.what === 'exit' && (length === 0 || last.timeNs >= timeNs[length - 1]);
  return isOver ? last.timeNs : Number.POSITIVE_INFINITY;
}

/** At equal times the exit is last. */
function isLater(record: RareRecord, last: RareRecord): boolean {
  return record.timeNs > last.timeNs || (record.timeNs === last.timeNs && record.what === 'exit');
}

function isTask({ what }: RareRecord): boolean {
  return what === 'fork' || what === 'exit';
}

/**
 * Inserts switches, gaps and execs among a thread's branch events by time.
 *
 * `switches`: the columns may be longer than `length`.
 */
interface InsertedRecords {
  readonly records: readonly RareRecord[];
  readonly switches: SwitchTimes;
}

/**
 * Inserts records into the rows of the merged events, which have space for them. Among events of the same time, a
 * record goes before the first trace start, because it is what led to the start. A record from before the recording,
 * such as an error with a garbled time, goes to its beginning.
 */
function insertRecords(
  { tid, recordingStartNs }: { readonly tid: Tid; readonly recordingStartNs: Nanoseconds },
  merged: MergedLanes,
  inserted: InsertedRecords,
  sites: SiteEdges,
  { site, timeNs }: EventRows,
): ThreadEvents {
  const placed = placedRecords(inserted, merged, sites);
  const length = merged.length + placed.length;
  // From the last record to the first, so that each event moves once, by the number of records before it.
  let end = merged.length;
  for (let at = placed.length - 1; at >= 0; at--) {
    const row = placed.row[at];
    site.copyWithin(row + at + 1, row, end);
    timeNs.copyWithin(row + at + 1, row, end);
    site[row + at] = recordSite(placed.kind[at] as RecordKind);
    timeNs[row + at] = Math.max(placed.timeNs[at], row === 0 ? recordingStartNs : timeNs[row - 1]);
    end = row;
  }
  return { tid, length, site: site.subarray(0, length), timeNs: timeNs.subarray(0, length) };
}

/** In the order in which they are inserted: columns, because a thread may have many switches. */
interface PlacedRecords {
  readonly length: number;
  /** The row of the first event after it. */
  readonly row: Uint32Array;
  readonly timeNs: Float64Array;
  readonly kind: Uint8Array; // RecordKind
}

function placedRecords({ records, switches }: InsertedRecords, merged: MergedLanes, sites: SiteEdges): PlacedRecords {
  const others = records.filter(({ what }) => what === 'gap' || what === 'exec');
  const length = switches.length + others.length;
  const timeNs = new Float64Array(length);
  const kind = new Uint8Array(length);
  timeNs.set(switches.timeNs.subarray(0, switches.length));
  for (let row = 0; row < switches.length; row++) kind[row] = KINDS[switches.kind[row] as SwitchKind];
  others.forEach((record, other) => {
    timeNs[switches.length + other] = record.timeNs;
    kind[switches.length + other] = record.what === 'gap' ? BranchKind.Gap : BranchKind.Exec;
  });
  const row = Uint32Array.from(timeNs, (atNs) => rowAfter(atNs, merged, sites));
  return inOrder({ length, row, timeNs, kind });
}

const KINDS: Readonly<Record<SwitchKind, RecordKind>> = {
  [SwitchKind.In]: BranchKind.SwitchIn,
  [SwitchKind.Out]: BranchKind.SwitchOut,
  [SwitchKind.Preempted]: BranchKind.PreemptOut,
};

/** Switches alone mostly are in order. */
function inOrder(placed: PlacedRecords): PlacedRecords {
  const { length, row, timeNs, kind } = placed;
  const compare = (a: number, b: number) => row[a] - row[b] || timeNs[a] - timeNs[b] || kind[a] - kind[b];
  let ordered = 1;
  while (ordered < length && compare(ordered - 1, ordered) <= 0) ordered++;
  if (ordered >= length) return placed;
  const order = new Uint32Array(length).map((_, at) => at).sort(compare);
  return {
    length,
    row: order.map((at) => row[at]),
    timeNs: Float64Array.from(order, (at) => timeNs[at]),
    kind: Uint8Array.from(order, (at) => kind[at]),
  };
}

/** Returns the row of the first event after a record. */
function rowAfter(atNs: Nanoseconds, { timeNs, site }: MergedLanes, { edge }: SiteEdges): number {
  const after = lastRowAt(timeNs, atNs) + 1;
  let row = after;
  for (let before = after - 1; before >= 0 && timeNs[before] === atNs; before--) {
    if (edge[site[before]] === TraceEdge.Begin) row = before;
  }
  return row;
}

/** The memory in which one thread's events are merged, reused for the next thread because new memory is slow. */
interface ThreadMemory {
  readonly lanes: EventRows;
  readonly merged: EventRows;
}

const ROW_BYTES = Float64Array.BYTES_PER_ELEMENT + Uint32Array.BYTES_PER_ELEMENT;

/** Returns the bytes needed to merge a thread's events and records. */
export function threadBytes(source: ThreadSource): number {
  return (isOneLane(source) ? 1 : 2) * ROW_BYTES * rowsOf(source);
}

/** Returns what a thread of this size needs at most, on however many CPUs. */
export function maxThreadBytes(source: ThreadSource): number {
  return 2 * ROW_BYTES * rowsOf(source);
}

/** A single lane is ordered in place. */
function isOneLane({ lanes, packed }: ThreadSource): boolean {
  return (packed?.thread.lanes ?? lanes).length === 1;
}

/** Returns an even number, so that the columns, one after another, stay aligned. */
function rowsOf({ events, records, switches, unownedGaps }: ThreadSource): number {
  const gaps = unownedGaps.reduce((sum, { timeNs }) => sum + Math.min(timeNs.length, events + 1), 0);
  const rows = events + records.length + switches.length + gaps;
  return rows + (rows % 2);
}

/** Divides a buffer of at least `threadBytes`. */
function threadMemory(buffer: ArrayBuffer | SharedArrayBuffer, source: ThreadSource): ThreadMemory {
  const rows = rowsOf(source);
  const rowsAt = (at: number): EventRows => ({
    timeNs: new Float64Array(buffer, at, rows),
    site: new Uint32Array(buffer, at + Float64Array.BYTES_PER_ELEMENT * rows, rows),
  });
  return { lanes: rowsAt(0), merged: rowsAt(isOneLane(source) ? 0 : ROW_BYTES * rows) };
}
