/**
 * Where everything about one thread is stored.
 */
import type { PackedThread } from '../codec/block-head.js';
import type { Nanoseconds, Tid } from '../model/units.js';
import type { LaneRuns } from './lanes/lane.js';
import type { UnownedCpuGaps } from './records/gap-records.js';
import type { RareRecord } from './records/record-key.js';
import type { SwitchTimes } from './records/switch-log.js';

/** Plain data, so that it can be sent to a worker. */
export interface ThreadSource {
  readonly tid: Tid;
  /** How many there are. */
  readonly events: number;
  /** One per CPU, with the runs of each input; empty for a packed thread. */
  readonly lanes: readonly (readonly LaneRuns[])[];
  /** Its lanes in a trace file and the selected CPUs; null for a thread that was read from text. */
  readonly packed: { readonly thread: PackedThread; readonly cpus: readonly number[] } | null;
  /** The thread's own. */
  readonly records: readonly RareRecord[];
  /** Within the recording. */
  readonly switches: SwitchTimes;
  /** Losses that name no thread, on the CPUs that it ran on. */
  readonly unownedGaps: readonly UnownedCpuGaps[];
  /** The earliest time of all threads. */
  readonly recordingStartNs: Nanoseconds;
}
