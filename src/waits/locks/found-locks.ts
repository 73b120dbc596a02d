/**
 * What is known of each lock that threads waited for. Threads by tid, functions by symbol; NONE: not known.
 */

import type { Profile } from '../../model/profile/profile.js';
import type { SymbolTable } from '../../model/symbol-table.js';
import type { Address, Nanoseconds, SymbolId, Tid } from '../../model/units.js';
import type { Reason } from '../reason.js';
import type { Distribution } from '../summary/distribution.js';
import type { HolderSource } from './holders.js';

/** Adds up to the time of the waits. */
export interface HeldSums {
  /** The holder is known from a probe, or from futex calls. */
  readonly probeNs: Nanoseconds;
  readonly futexNs: Nanoseconds;
  /** Between two holders. */
  readonly passedOnNs: Nanoseconds;
  /** From the waking to running. */
  readonly wakeUpNs: Nanoseconds;
  readonly unknownNs: Nanoseconds;
}

/** An object that threads waited for: a lock, a condition, or another word in futex calls. */
export interface FoundLock extends HeldSums {
  readonly pid: number;
  readonly address: Address;
  readonly kind: Reason;
  /** Of all its waits, those that had not ended included. */
  readonly waitedNs: Nanoseconds;
  readonly waits: number;
  /** Waits that had not ended when the recording, or the thread, did. */
  readonly openWaits: number;
  /** Waits that the window cuts. */
  readonly cutWaits: number;
  readonly longestOpenNs: Nanoseconds;
  /** Their part of `unknownNs`. */
  readonly openNs: Nanoseconds;
  /** Of the waits that ended. */
  readonly durations: Distribution;
  readonly wakeUps: Distribution;
  /** The most threads that waited at once. */
  readonly convoy: number;
  /** Most time first. */
  readonly places: readonly WaitingPlace[];
  readonly holders: readonly Holding[];
  readonly wakers: readonly LockWaker[];
}

export interface WaitingPlace {
  readonly symbol: SymbolId;
  /** What it called to wait. */
  readonly call: SymbolId;
  readonly waits: number;
  readonly waitedNs: Nanoseconds;
}

/** What threads of one name did while they had a lock that others waited for. */
export interface Holding {
  readonly tids: readonly Tid[];
  /** The function that gave the lock back. */
  readonly symbol: SymbolId;
  /** Waits that the lock was held in. */
  readonly waits: number;
  /** Time that others waited; if several waited at once, the sum of their times. */
  readonly heldNs: Nanoseconds;
  readonly probeNs: Nanoseconds;
  /** What the holder did in this time; the rest is not known. */
  readonly ranNs: Nanoseconds;
  readonly blockedNs: Nanoseconds;
  readonly preemptedNs: Nanoseconds;
  readonly spots: readonly Spot[];
}

/** A call path that took much of the time, outermost first; those of one list do not contain each other. */
export interface Spot {
  readonly path: readonly SymbolId[];
  /** The innermost function of the path that is not of a system library. */
  readonly symbol: SymbolId;
  readonly ns: Nanoseconds;
}

/** Threads of one name that ended waits; no tids: an interrupt, not seen, or nothing yet. */
export interface LockWaker {
  readonly tids: readonly Tid[];
  readonly symbol: SymbolId;
  readonly waits: number;
  readonly waitedNs: Nanoseconds;
  /** An interrupt may have done it. */
  readonly isCandidate: boolean;
  readonly isInterrupt: boolean;
  /** The recording, or the thread, ended before the wait. */
  readonly isOpen: boolean;
}

export interface FoundLockWait extends HeldSums {
  readonly tid: Tid;
  readonly pid: number;
  readonly address: Address;
  readonly kind: Reason;
  readonly fromNs: Nanoseconds;
  readonly toNs: Nanoseconds;
  readonly symbol: SymbolId;
  /** The thread that ended it; NONE: none, or not known. */
  readonly waker: Tid;
  readonly isWakerCandidate: boolean;
  /** The holder when it began; NONE: not known. */
  readonly holder: Tid;
  readonly holderSource: HolderSource;
  /** By time. */
  readonly holders: readonly Holding[];
}

/** Everything about locks, with what is needed to name it. */
export interface FoundLocks {
  /** Most time first. */
  readonly locks: readonly FoundLock[];
  /** Longest first. */
  readonly slowest: readonly FoundLockWait[];
  /** All threads named above. */
  readonly threads: ReadonlyMap<Tid, LockThread>;
  /** How many threads were recorded. */
  readonly shownThreads: number;
  /** perf's clock at the time 0 of all times. */
  readonly originNs: bigint;
  readonly startNs: Nanoseconds;
  readonly endNs: Nanoseconds;
  /** The selected time in words; null: all of it. */
  readonly part: string | null;
  readonly recorded: RecordedEvents;
  readonly symbols: SymbolTable;
  /** null: the recording has no branches, so nothing is known of calls. */
  readonly profile: Profile | null;
}

/** isRecorded: its waits are known. */
export interface LockThread {
  readonly tid: Tid;
  readonly pid: number | null;
  readonly comm: string | null;
  readonly isRecorded: boolean;
}

/** What there is to tell who held locks. */
export interface RecordedEvents {
  /** Nobody ran, so nobody waited. */
  readonly isIdle: boolean;
  readonly hasSwitches: boolean;
  readonly hasWakings: boolean;
  readonly hasFutexes: boolean;
  /** Side recordings that are missing. */
  readonly missingSides: readonly string[];
  readonly lostSamples: number;
  /** Samples of events whose format is not known. */
  readonly unreadableSamples: number;
}
