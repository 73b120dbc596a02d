/**
 * A profile: everything that was learned from a trace, before anybody draws it.
 */
import type { CallTree } from '../calls/call-tree.js';
import type { FunctionDurations } from '../calls/durations.js';
import type { SymbolTable } from '../names/symbol-table.js';
import type { Nanoseconds, Tid } from '../units.js';
import type { Quality } from './quality.js';

export interface ThreadProfile {
  readonly tid: Tid;
  /** Known from a pid column or from task records; null if the trace does not say. */
  readonly pid: number | null;
  /** The thread's last name, likewise. */
  readonly comm: string | null;
  /** The self times of the tree add up to endNs − startNs; of a part of a trace, to no more. */
  readonly startNs: Nanoseconds;
  readonly endNs: Nanoseconds;
  /** Only its root if the profile has the trees of its threads together. */
  readonly tree: CallTree;
  /** Of complete calls; null: not known, or those of all threads are together. */
  readonly durations: FunctionDurations | null;
  /** The part of the tree's inferred time that is inferred only because no address tells where a jump led, or when: `Certainty.Hidden`. */
  readonly hiddenNs: Nanoseconds;
}

/** Where a trace comes from, as far as its recording tells; null: it does not. */
export interface RecordingEnvironment {
  readonly host: string | null;
  readonly kernel: string | null;
  readonly cpu: string | null;
  readonly perf: string | null;
  /** The command that recorded it. */
  readonly command: readonly string[] | null;
  /** By the wall clock, UTC, ISO 8601. */
  readonly startedAt: string | null;
}

export interface TraceMeta {
  /** perf's clock at our time 0. */
  readonly originNs: bigint;
  /** From the first to the last certain time over all threads. */
  readonly startNs: Nanoseconds;
  readonly endNs: Nanoseconds;
  readonly scope: 'user' | 'user+kernel';
  /** `calls`: the trace has no times, and a node's self value is its number of calls. */
  readonly weight: 'ns' | 'calls';
  /** The trace tells when threads lost their processors, as it has records of switches; null: nobody noted it. */
  readonly hasSwitches: boolean | null;
  /** What of the trace this is, in words, if it is not all of its time; else null. */
  readonly part: string | null;
  /** null: it was read from text, or from several recordings. */
  readonly recorded: RecordingEnvironment | null;
}

export interface Profile {
  readonly meta: TraceMeta;
  readonly symbols: SymbolTable;
  readonly threads: readonly ThreadProfile[]; // by tid
  /** The trees of all threads as one, where nobody asked for each; null if every thread has its own. */
  readonly together: CallTree | null;
  /** Of the complete calls of all threads; null: not known. */
  readonly durations: FunctionDurations | null;
  readonly quality: Quality;
}
