/**
 * The options and the result of replaying one thread.
 */

import type { CallLog, CallLogBuilder } from '../model/calls/call-log.js';
import type { CallTree, CallTreeBuilder } from '../model/calls/call-tree.js';
import type { DurationsBuilder } from '../model/calls/durations.js';
import type { Resumptions } from '../model/calls/resumptions.js';
import type { InferenceName } from '../model/profile/profile.js';
import type { Address, Bounds, Nanoseconds } from '../model/units.js';
import type { Switcher } from './functions/site-facts.js';
import type { KnownPaths, ThreadPaths } from './losses/known-paths.js';
import type { Rows } from './module-memory.js';
import type { PairingMemory } from './pairing/pairing.js';
import type { ReplayModule } from './replay-module.js';
import type { Fibers, FrameWatcher, Scheduler, TailCalls } from './stack/frame.js';

export interface ReplayOptions {
  readonly tailCalls: TailCalls;
  /** Default: `root`. */
  readonly fibers?: Fibers;
  /** Default: `hide`. */
  readonly scheduler?: Scheduler;
  /** First and last time of the recording: a waiting thread is extended to them. null: no thread is extended. */
  readonly extendTo: Bounds | null;
  /** The thread was created while recording: it is not extended to the start of the recording. */
  readonly createdInside: boolean;
  /** It is a process that was created while recording: it begins with its parent's calls. Default: false. */
  readonly isForked?: boolean;
  /** It is the idle task of a CPU: only the time in which it works is its own. Default: false. */
  readonly isIdleTask?: boolean;
  /** Paths seen in all threads, used where no address decides; null while they are still being collected. */
  readonly knownPaths: KnownPaths | null;
  readonly watcher?: FrameWatcher;
  /** Counts call durations, unless the thread has unconfirmed paths. Default: null (not requested). */
  readonly durations?: DurationsBuilder | null;
  /** perf failed to decode part of the trace: time that no branch covers may be lost. Default: false. */
  readonly mayBeUndecoded?: boolean;
  /** Only finds functions that switch stacks: nothing else of the result counts. Default: false. */
  readonly onlyPairs?: boolean;
  /** Write a call log, for questions about single calls. Default: false. */
  readonly wantsLog?: boolean;
  /** The log has the places of calls in the code. Default: false. */
  readonly wantsPlaces?: boolean;
}

/** What was replayed of a part of a thread. */
export interface PartReplay extends ThreadReplay {
  /** The part begins at this row of the log. */
  readonly firstLogRow: number;
}

export interface ThreadReplay extends ThreadPaths {
  /** If there is a log, contains every node that the log names, even nodes without calls or time. */
  readonly tree: CallTree;
  /** Valid until the next replay; null if it was not requested. */
  readonly log: CallLog | null;
  readonly startNs: Nanoseconds;
  readonly endNs: Nanoseconds;
  readonly inferred: Readonly<Record<InferenceName, number>>;
  readonly lost: readonly ThreadGap[];
  /** Events whose effect on the stack had to be inferred, because nothing in the trace decides it. */
  readonly inferredEvents: number;
  /** Time that is inferred only because of a hidden jump below it. */
  readonly hiddenNs: Nanoseconds;
  /** Of the whole thread; absent: none. */
  readonly resumptions?: Resumptions | undefined;
  /**
   * After some loss no address showed where the thread was, or callers are its parent's: it is replayed again once the
   * known paths are complete.
   */
  readonly hasUnconfirmedPaths: boolean;
  /** What turned out to switch stacks: nothing was replayed, and all threads are to be replayed with it; or null. */
  readonly switcher: Switcher | null;
}

/** Memory that is reused for the next thread. */
export interface ReplayMemory {
  readonly tree: CallTreeBuilder;
  readonly log: CallLogBuilder;
  readonly pairing: PairingMemory;
  /** Of frames, one row each. */
  readonly frames: Rows;
  /** By function, for the index of open frames. */
  readonly highest: Int32Array;
  /** Works on the same memory; null: there is none. */
  readonly module: ReplayModule | null;
}

// Gaps of a thread, for the quality of the profile.

/** An interval without trace data. */
export interface ThreadGap {
  readonly atNs: Nanoseconds;
  readonly lengthNs: Nanoseconds;
  /** The last known address of the thread; NaN: it was never seen. */
  readonly ip: Address;
  /** The thread is not seen again: nothing more of it could be decoded. */
  readonly isLast: boolean;
  /** Number of perf's errors in it; 0: perf reported none. */
  readonly errors: number;
  /** Whether it is in the selection. Default: true. */
  readonly isInside?: boolean;
}

/** Where a thread was when it was lost, and whether it is seen again. */
export type LastSeen = Pick<ThreadGap, 'ip' | 'isLast'>;

export const NEVER_SEEN: LastSeen = { ip: Number.NaN, isLast: false };
