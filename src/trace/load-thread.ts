/**
 * Loads one thread from the store: its events in chronological order, and its records among them.
 */
import { countAtOrBelow } from '../model/columns.js';
import { assert } from '../model/errors.js';
import type { ThreadEvents } from '../model/trace/thread-events.js';
import { type Nanoseconds, NONE } from '../model/units.js';
import { decodeLanes } from './blocks/decode-blocks.js';
import { readLane } from './lanes/lane.js';
import type { EventRows, Lane, SiteEdges } from './lanes/lane-rows.js';
import { type MergedLanes, mergeLanes } from './lanes/merge-lanes.js';
import { byTimeThenContent, type GapRecord, gapsAmong } from './records/gap-records.js';
import { insertRecords } from './records/insert-records.js';
import type { RareRecord } from './records/record-key.js';
import type { PackedFile, SharedEvents } from './runs/event-memory.js';
import { threadMemory } from './thread-memory.js';
import type { ThreadSource } from './thread-source.js';

/** What is known about a thread in addition to its events. */
export interface ThreadFacts {
  /** perf's errors among the events, in order. */
  readonly gaps: readonly GapRecord[];
  /** It was created during the recording. */
  readonly createdInside: boolean;
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
  return { events, gaps, createdInside, exitNs, clockSteps: merged.clockSteps };
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
