/**
 * Loads one thread from the store: its events in chronological order, and its records among them.
 */
import { assert, PtflameError } from '../model/errors.js';
import { SwitchKind } from '../model/sample-table.js';
import { BranchKind, type RecordKind, recordSite, TraceEdge } from '../model/trace/branch-sites.js';
import { pagesOf } from '../model/trace/pages.js';
import { EVENT_BYTES, type EventSlice, type EventSpace, ThreadEvents } from '../model/trace/thread-events.js';
import type { Nanoseconds, SiteId } from '../model/units.js';
import { type CpuEvents, packedEvents } from './blocks.js';
import type { SharedEvents } from './event-memory.js';
import { type Lane, laneEvents, OutOfOrder, type SiteEdges } from './lanes/lane.js';
import { type EventSink, mergeLanes } from './lanes/merge-lanes.js';
import { byTimeThenContent, type GapRecord, GapsAmong } from './records/gap-records.js';
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

/** `isInOrder`: as for `laneEvents`. @throws OutOfOrder */
function load(
  source: ThreadSource,
  shared: SharedEvents,
  sites: SiteEdges,
  memory: ThreadMemory,
  isInOrder: boolean,
): LoadedThread {
  const { tid, records: own, switches, unownedGaps, recordingStartNs, isIdleTask } = source;
  const [space, laneSpace] = spacesIn(memory, source);
  const batches = () => batchesOf(source, shared, isInOrder);
  const lanes = isOneLane(source)
    ? null
    : readLanes(source, batches(), new ThreadEvents(tid, source.events, laneSpace));
  const mergeInto = (into: EventSink) => {
    if (lanes) mergeLanes(lanes, sites, into);
    else for (const { cpu, ...batch } of batches()) into.add(cpu, { ...batch, siteAt: 0, timeAt: 0 });
  };
  const records = [...own, ...gapsAmong(unownedGaps, mergeInto)];
  const events = new ThreadEvents(tid, rowsOf(source), space);
  const writer = new EventWriter(events, placedRecords(records, switches), sites, recordingStartNs);
  mergeInto(writer);
  const exitNs = exitOf(own, writer.lastNs);
  writer.finish(exitNs);
  const gaps = records.filter((record) => record.what === 'gap').sort(byTimeThenContent);
  const createdInside = records.some(({ what }) => what === 'fork');
  const isForked = records.some((record) => record.what === 'fork' && record.pid !== record.parentPid);
  return { events, gaps, createdInside, isForked, isIdleTask, exitNs, clockSteps: writer.clockSteps };
}

/** Rows are numbers of 32 bits, and others than rows are negative. */
const MAX_ROWS = 2 ** 31 - 1;

function tooManyEvents({ tid, events }: ThreadSource): PtflameError {
  return new PtflameError('TOO_LARGE', `thread ${tid} has ${events} events: more than ${MAX_ROWS}`, {
    hint: 'read less of it: --cpu, or a part of its time (perf script --time FROM,TO)',
  });
}

/** Returns the errors without a thread that concern this one. */
function gapsAmong(unowned: ThreadSource['unownedGaps'], mergeInto: (into: EventSink) => void): readonly GapRecord[] {
  if (unowned.length === 0) return [];
  const gaps = new GapsAmong(unowned);
  mergeInto(gaps);
  gaps.take(Number.POSITIVE_INFINITY);
  return gaps.found;
}

/** Yields the events on the selected CPUs: those of each CPU in order. */
function* batchesOf({ lanes, packed }: ThreadSource, shared: SharedEvents, isInOrder: boolean): Generator<CpuEvents> {
  for (const inputs of lanes)
    for (const batch of laneEvents(inputs, shared, isInOrder)) yield { cpu: inputs[0].cpu, ...batch };
  if (packed === null) return;
  assert(shared.packed !== null, 'a packed thread without its file');
  for (const batch of packedEvents(packed.thread, shared.packed)) if (packed.cpus.includes(batch.cpu)) yield batch;
}

/** Reads all lanes, one after another. Those of a trace file are read at the same time, and have known lengths. */
function readLanes(source: ThreadSource, batches: Iterable<CpuEvents>, events: ThreadEvents): Lane[] {
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
  for (const { cpu, length, site, timeNs } of batches) {
    const lane = lanes.get(cpu) ?? addLane(cpu);
    events.put(lane.start + lane.length, { site, siteAt: 0, timeNs, timeAt: 0, length }, 0, length);
    lane.length += length;
    end += length;
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

/** Switches, errors and execs in the order in which they are inserted: columns, because a thread may have many switches. */
interface PlacedRecords {
  readonly timeNs: Float64Array;
  readonly kind: Uint8Array; // RecordKind
}

function placedRecords(records: readonly RareRecord[], switches: SwitchTimes): PlacedRecords {
  const others = records.filter(({ what }) => what === 'gap' || what === 'exec');
  const timeNs = new Float64Array(switches.length + others.length);
  const kind = new Uint8Array(timeNs.length);
  timeNs.set(switches.timeNs.subarray(0, switches.length));
  for (let row = 0; row < switches.length; row++) kind[row] = KINDS[switches.kind[row] as SwitchKind];
  others.forEach((record, other) => {
    timeNs[switches.length + other] = record.timeNs;
    kind[switches.length + other] = record.what === 'gap' ? BranchKind.Gap : BranchKind.Exec;
  });
  return inOrder({ timeNs, kind });
}

const KINDS: Readonly<Record<SwitchKind, RecordKind>> = {
  [SwitchKind.In]: BranchKind.SwitchIn,
  [SwitchKind.Out]: BranchKind.SwitchOut,
  [SwitchKind.Preempted]: BranchKind.PreemptOut,
};

/** Switches alone mostly are in order. */
function inOrder(placed: PlacedRecords): PlacedRecords {
  const { timeNs, kind } = placed;
  const compare = (a: number, b: number) => timeNs[a] - timeNs[b] || kind[a] - kind[b];
  let ordered = 1;
  while (ordered < kind.length && compare(ordered - 1, ordered) <= 0) ordered++;
  if (ordered >= kind.length) return placed;
  const order = new Uint32Array(kind.length).map((_, at) => at).sort(compare);
  return { timeNs: Float64Array.from(order, (at) => timeNs[at]), kind: Uint8Array.from(order, (at) => kind[at]) };
}

/**
 * Writes merged events, and inserts records among them. Among events of the same time, a record goes before the first
 * trace start, because it is what led to the start. A record from before the recording, such as an error with a garbled
 * time, goes to its beginning.
 */
class EventWriter implements EventSink {
  /** Number of times that stepped back and were set to the previous time. */
  clockSteps = 0;
  /** Of the last event. */
  lastNs: Nanoseconds = Number.NEGATIVE_INFINITY;
  private readonly edge: Uint8Array;
  /** The record that is inserted next, and its time. */
  private next = 0;
  private dueNs: Nanoseconds;

  constructor(
    private readonly events: ThreadEvents,
    private readonly records: PlacedRecords,
    { edge }: SiteEdges,
    private readonly recordingStartNs: Nanoseconds,
  ) {
    this.edge = edge;
    this.dueNs = records.timeNs[0] ?? Number.POSITIVE_INFINITY;
  }

  add(_: number, events: EventSlice): void {
    const { site, siteAt, timeNs, timeAt, length } = events;
    for (let at = 0; at < length; ) {
      at = this.addOrdered(events, at);
      if (at < length) this.addEvent(site[siteAt + at], timeNs[timeAt + at++]);
    }
  }

  /** Adds events up to the first one that is earlier than one before it or, maybe, after a record. Returns its index. */
  private addOrdered(slice: EventSlice, first: number): number {
    const { timeNs, timeAt, length } = slice;
    const { events, dueNs } = this;
    let { lastNs } = this;
    let end = first;
    for (; end < length && timeNs[timeAt + end] >= lastNs && timeNs[timeAt + end] < dueNs; end++)
      lastNs = timeNs[timeAt + end];
    this.lastNs = lastNs;
    events.put(events.length, slice, first, end);
    events.length += end - first;
    return end;
  }

  private addEvent(site: SiteId, timeNs: Nanoseconds): void {
    const atNs = Math.max(timeNs, this.lastNs);
    const isBegin = this.edge[site] === TraceEdge.Begin;
    while (this.dueNs < atNs || (isBegin && this.dueNs === atNs)) this.insert();
    if (timeNs < this.lastNs) this.clockSteps++;
    this.lastNs = atNs;
    this.events.set(this.events.length++, site, atNs);
  }

  /** Inserts the other records; switches only up to the thread's exit. */
  finish(exitNs: Nanoseconds): void {
    const { timeNs, kind } = this.records;
    while (this.next < timeNs.length) {
      const isSwitch = kind[this.next] !== BranchKind.Gap && kind[this.next] !== BranchKind.Exec;
      if (isSwitch && timeNs[this.next] > exitNs) this.next++;
      else this.insert();
    }
  }

  private insert(): void {
    const { events, records, lastNs, recordingStartNs } = this;
    const row = events.length++;
    const startNs = lastNs === Number.NEGATIVE_INFINITY ? recordingStartNs : lastNs;
    events.set(row, recordSite(records.kind[this.next] as RecordKind), Math.max(records.timeNs[this.next], startNs));
    this.dueNs = records.timeNs[++this.next] ?? Number.POSITIVE_INFINITY;
  }
}

/** Where a thread is loaded. */
export type ThreadMemory = Pick<EventSpace, 'buffer' | 'pageRows' | 'file'>;

/** Returns the bytes that the events of a thread take in memory if it is to need no file. */
export function threadBytes(source: ThreadSource, pageRows: number): number {
  return (isOneLane(source) ? 1 : 2) * pageBytesOf(source, pageRows);
}

/** Returns what a thread of this size needs at most, on however many CPUs. */
export function maxThreadBytes(source: ThreadSource, pageRows: number): number {
  return 2 * pageBytesOf(source, pageRows);
}

function pageBytesOf(source: ThreadSource, pageRows: number): number {
  return EVENT_BYTES * pageRows * pagesOf(rowsOf(source), pageRows);
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
