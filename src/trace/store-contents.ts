/**
 * The contents of a filled store.
 */

import type { PackedLane, PackedOutline, PackedThread } from '../codec/block-head.js';
import type { Selection } from '../model/trace/trace-chunk.js';
import type { Bounds, Nanoseconds, Tid } from '../model/units.js';
import type { EventMemory } from './event-memory.js';
import type { LaneRuns } from './lanes/lane.js';
import type { GapRecord, UnownedCpuGaps, UnownedGaps } from './records/gap-records.js';
import type { Mappings } from './records/mappings.js';
import type { RareRecord, RecordsByThread, SwitchLog, SwitchTimes } from './records/switch-log.js';
import type { ThreadNames } from './records/thread-names.js';

/** What the store has of a thread. */
export interface StoredThread {
  readonly lanes: Map<number, LaneRuns[]>; // by CPU
  /** Its blocks, if a trace file has it. */
  readonly packed: PackedThread | null;
  /** null: it has none, or all of its time may be asked about. */
  readonly outline: PackedOutline | null;
  events: number;
}

/** Everything added to a store. */
export interface StoreContents {
  readonly selection: Selection;
  readonly memory: Pick<EventMemory, 'shared'>;
  readonly threads: ReadonlyMap<Tid, StoredThread>;
  readonly records: RecordsByThread;
  readonly switches: SwitchLog;
  readonly unownedGaps: UnownedGaps;
  readonly names: ThreadNames;
  readonly mappings: Mappings;
  /** Of branches only. */
  readonly bounds: Bounds;
  /** Events outside the selected threads and CPUs, selected by number. */
  readonly unwanted: number;
  readonly isTimed: boolean;
  readonly hasErrors: boolean;
  /** Whether an error is about something else than undecoded code. */
  readonly isExplained: (error: GapRecord) => boolean;
  readonly hasBranches: boolean;
}

// Where everything about one thread is stored.

/** Returns how many events lanes of a trace file have. */
export function eventsOf(lanes: readonly PackedLane[]): number {
  return lanes.reduce((sum, { events }) => sum + events, 0);
}

/** What matters of a thread for a part of its time. */
export interface ThreadPart {
  /** The first and the last block of that time; the last one is before the first one if there is none. */
  readonly first: number;
  readonly last: number;
  /** Of the other blocks. */
  readonly outline: PackedOutline;
  /** How many of its events are read. */
  readonly events: number;
}

/** Events in order, as columns. */
export interface EventRows {
  readonly site: Uint32Array;
  readonly timeNs: Float64Array;
}

/** What is around a part of a thread: what matters of its other events. */
interface AroundPart {
  readonly before: EventRows;
  readonly after: EventRows;
  /**
   * Of each lane, the part begins with the first event that is not before this time, and ends before the first after it. null:
   * all of the one lane.
   */
  readonly within: Bounds | null;
}

export const NO_ROWS: EventRows = { site: new Uint32Array(0), timeNs: new Float64Array(0) };

/** Plain data, so that it can be sent to a worker. */
export interface ThreadSource {
  readonly tid: Tid;
  /** It is the idle task of a CPU. */
  readonly isIdleTask: boolean;
  /** How many there are. */
  readonly events: number;
  /** One per CPU, with the runs of each input; empty for a packed thread. */
  readonly lanes: readonly (readonly LaneRuns[])[];
  /** Its lanes in a trace file and the selected CPUs; null for a thread that was read from text. */
  readonly packed: {
    readonly thread: PackedThread;
    readonly cpus: readonly number[];
    /** Only what matters for a part of its time; null: all. */
    readonly part: ThreadPart | null;
  } | null;
  /** null: it is a whole thread. */
  readonly around: AroundPart | null;
  /** The thread's own. */
  readonly records: readonly RareRecord[];
  /** Within the recording. */
  readonly switches: SwitchTimes;
  /** Losses that name no thread, on the CPUs that it ran on. */
  readonly unownedGaps: readonly UnownedCpuGaps[];
  /** The earliest time of all threads. */
  readonly recordingStartNs: Nanoseconds;
}
