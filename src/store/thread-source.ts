/**
 * Where all that is stored of one thread lies.
 */
import type { PackedThread } from '../model/trace/packed-thread.js';
import type { TraceRecord } from '../model/trace/trace-chunk.js';
import type { Nanoseconds, Tid } from '../model/units.js';
import type { LaneRuns } from './lanes/lane.js';
import type { UnownedGapsOfCpu } from './records/gap-records.js';

/** Plain data: it may be sent to another thread of this program. */
export interface ThreadSource {
  readonly tid: Tid;
  /** How many there are. */
  readonly events: number;
  /** One a processor, with what each input has of it; none of a thread that is packed. */
  readonly lanes: readonly (readonly LaneRuns[])[];
  /** Where a file has its lanes, and the processors that are wanted; null of a thread that was read from text. */
  readonly packed: { readonly thread: PackedThread; readonly cpus: readonly number[] } | null;
  /** The thread's own. */
  readonly records: readonly TraceRecord[];
  /** Losses of no certain thread, on the processors that it ran on. */
  readonly unownedGaps: readonly UnownedGapsOfCpu[];
  /** The first time of all threads: nothing is told of earlier ones. */
  readonly recordingStartNs: Nanoseconds;
}
