/**
 * A profile: the result of replay, as input for renderers and answers.
 */
import type { CallTree } from '../calls/call-tree.js';
import type { FunctionDurations } from '../calls/durations.js';
import type { SymbolTable } from '../names/symbol-table.js';
import type { Nanoseconds, Tid } from '../units.js';
import type { Quality } from './quality.js';

export interface ThreadProfile {
  readonly tid: Tid;
  /** From a pid column or from task records; null if the trace has neither. */
  readonly pid: number | null;
  /** The thread's last name, likewise. */
  readonly comm: string | null;
  /** The self times of the tree add up to endNs − startNs; for a part of a trace, to at most that. */
  readonly startNs: Nanoseconds;
  readonly endNs: Nanoseconds;
  /** Only its root if the profile has one tree for all threads. */
  readonly tree: CallTree;
  /** Of complete calls; null: unknown, or counted for all threads together. */
  readonly durations: FunctionDurations | null;
  /** The part of the inferred time that is inferred only because of a hidden jump or an uncertain landing: `Certainty.Hidden`. */
  readonly hiddenNs: Nanoseconds;
}

/** The machine and perf that recorded a trace; null: the recording does not contain it. */
export interface RecordingEnvironment {
  readonly host: string | null;
  readonly kernel: string | null;
  readonly cpu: string | null;
  readonly perf: string | null;
  /** The command that recorded it. */
  readonly command: readonly string[] | null;
  /** Wall-clock time, UTC, ISO 8601. */
  readonly startedAt: string | null;
}

export interface TraceMeta {
  /** perf's clock at time 0 of the profile. */
  readonly originNs: bigint;
  /** From the first to the last certain time over all threads. */
  readonly startNs: Nanoseconds;
  readonly endNs: Nanoseconds;
  /** The first certain time of the whole trace, if only a window is selected. Absent: `startNs`. */
  readonly firstNs?: Nanoseconds | undefined;
  readonly scope: 'user' | 'user+kernel';
  /** `calls`: the trace has no times, and a node's self value is its number of calls. */
  readonly weight: 'ns' | 'calls';
  /**
   * All times are of waits: a path is the waiter's, whom it waited for, and then, upside down, what that thread did. The waiter
   * had no CPU meanwhile, wherever the path leads. Absent: times are those of the threads.
   */
  readonly isBlockedTime?: true | undefined;
  /** The trace has switch records, which show when threads were off CPU; null: unknown. */
  readonly hasSwitches: boolean | null;
  /** The selected part of the trace in words; null: all of its time. */
  readonly part: string | null;
  /** null: it was read from text, or from several recordings. */
  readonly recorded: RecordingEnvironment | null;
  /** Of a sum of recordings: its `threads` are groups, whose ids, starts and ends mean nothing. Absent: one trace. */
  readonly merged?: Merged | undefined;
}

/** `recordings` were added up by command name, host or build. Times are sums, not those of a clock. */
export interface Merged {
  readonly recordings: number;
  readonly by: MergedBy;
}

export type MergedBy = 'comm' | 'host' | 'build';

export interface Profile {
  readonly meta: TraceMeta;
  readonly symbols: SymbolTable;
  readonly threads: readonly ThreadProfile[]; // by tid
  /** One tree for all threads; null if every thread has its own. */
  readonly together: CallTree | null;
  /** Of the complete calls of all threads, if they have one tree; null: unknown, or every thread has its own. */
  readonly durations: FunctionDurations | null;
  readonly quality: Quality;
}
