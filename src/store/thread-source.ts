/**
 * All that is stored of one thread in, its events out, in the order in which they happened.
 */
import type { ThreadEvents } from '../model/thread-events.js';
import type { TraceRecord } from '../model/trace-chunk.js';
import { NONE, type Tid } from '../model/units.js';
import type { SharedEvents } from './event-memory.js';
import { byTimeThenContent, type GapRecord, gapsAmong, type UnownedGapsOfCpu } from './gap-records.js';
import { type LaneRuns, readLane } from './lane.js';
import { mergeLanes, type SiteEdges } from './merge-lanes.js';
import { placeRecords } from './place-records.js';
import { threadMemory } from './thread-memory.js';

/** Plain data: it may be sent to another thread of this program. */
export interface ThreadSource {
  readonly tid: Tid;
  /** How many there are. */
  readonly events: number;
  /** One a processor, with what each input has of it. */
  readonly lanes: readonly (readonly LaneRuns[])[];
  /** The thread's own. */
  readonly records: readonly TraceRecord[];
  /** Losses of no certain thread, on the processors that it ran on. */
  readonly unownedGaps: readonly UnownedGapsOfCpu[];
}

/** What the trace says of a thread beside its events. */
export interface ThreadFacts {
  /** perf's errors among the events, in their order. */
  readonly gaps: readonly GapRecord[];
  readonly isCreatedInside: boolean;
  /** Times that stepped back. */
  readonly clockSteps: number;
}

export interface LoadedThread extends ThreadFacts {
  readonly events: ThreadEvents;
}

/** `buffer`: as large as `threadBytes` says; the events are good until it is used again. */
export function loadThread(
  source: ThreadSource,
  shared: SharedEvents,
  sites: SiteEdges,
  buffer: ArrayBuffer | SharedArrayBuffer,
): LoadedThread {
  const memory = threadMemory(buffer, source);
  let row = 0;
  const lanes = source.lanes.map((inputs) => {
    const lane = readLane(inputs, shared, memory.lanes, row);
    row += lane.length;
    return lane;
  });
  const wantsCpus = source.unownedGaps.some(({ cpu }) => cpu !== NONE);
  const merged = mergeLanes(lanes, sites, memory.merged, wantsCpus);
  const records = [...source.records, ...source.unownedGaps.flatMap((gaps) => [...gapsAmong(gaps, merged)])];
  const events = placeRecords(source.tid, merged, records, sites, memory.merged);
  const gaps = records.filter((record) => record.what === 'gap').sort(byTimeThenContent);
  const isCreatedInside = records.some(({ what }) => what === 'fork');
  return { events, gaps, isCreatedInside, clockSteps: merged.clockSteps };
}
