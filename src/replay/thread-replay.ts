/**
 * What the replay of a thread is asked, and what it gives.
 */
import type { CallLog, CallLogBuilder } from '../model/calls/call-log.js';
import type { CallTree, CallTreeBuilder } from '../model/calls/call-tree.js';
import type { DurationsBuilder } from '../model/calls/durations.js';
import type { InferenceName } from '../model/profile/quality.js';
import type { Nanoseconds } from '../model/units.js';
import type { KnownPaths, ThreadPaths } from './losses/known-paths.js';
import type { PairingMemory } from './pairing/pairing.js';
import type { FrameWatcher, TailCalls } from './stack/frame.js';
import type { ThreadGap } from './time/thread-gaps.js';

export interface ReplayOptions {
  readonly tailCalls: TailCalls;
  /** The recording's first and last time, to which a thread that waits is extended; null: no thread is. */
  readonly extendTo: { readonly startNs: Nanoseconds; readonly endNs: Nanoseconds } | null;
  /** The thread was made while the recording ran: it is not extended to its start. */
  readonly createdInside: boolean;
  /** Paths seen in all threads, for places that no address tells; null while they are still being learned. */
  readonly knownPaths: KnownPaths | null;
  readonly watcher?: FrameWatcher;
  /** Here it is counted how long calls took, unless the thread is doubtful; null: nobody asks. Default: null. */
  readonly durations?: DurationsBuilder | null;
  /** perf failed to decode some of the trace: what no branch tells of may be lost. Default: false. */
  readonly mayBeUndecoded?: boolean;
  /** Somebody asks about single calls. Default: false. */
  readonly wantsLog?: boolean;
}

export interface ThreadReplay extends ThreadPaths {
  /** With a log it has all nodes that this names, some of which nothing was counted on. */
  readonly tree: CallTree;
  /** Good until the next replay; null if nobody asked for it. */
  readonly log: CallLog | null;
  readonly startNs: Nanoseconds;
  readonly endNs: Nanoseconds;
  readonly inferred: Readonly<Record<InferenceName, number>>;
  readonly lost: readonly ThreadGap[];
  /** Events of which nothing in the trace decides what they did to the stack. */
  readonly inferredEvents: number;
  /** Time that is inferred only because it is below a jump that was not shown. */
  readonly hiddenNs: Nanoseconds;
  /** After some loss no address told where the thread was: replay it again when the known paths are complete. */
  readonly hasUnconfirmedPaths: boolean;
}

/** What is used again for the next thread. */
export interface ReplayMemory {
  readonly tree: CallTreeBuilder;
  readonly log: CallLogBuilder;
  readonly pairing: PairingMemory;
}
