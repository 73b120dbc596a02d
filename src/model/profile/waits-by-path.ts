/**
 * Defines what the report page shows of waits: by the call path that waited, for whom, why, and what that thread did
 * meanwhile. Plain data for JSON; its size is bounded.
 */
import type { Nanoseconds, SymbolId, Tid } from '../units.js';

/**
 * - `holder`: the thread had the lock when the wait began.
 * - `waker`, `maybe`: that thread ended the wait, or an interrupt that came while it ran may have.
 * - `interrupt`: a timer or a device ended it.
 * - `not seen`: no waking was recorded. `open`: it had not ended when the recording did.
 * - `preempted`: the thread could have run.
 * - `others`: blockers that are not listed.
 */
export type BlockerKind = 'holder' | 'waker' | 'maybe' | 'interrupt' | 'not seen' | 'open' | 'preempted' | 'others';

/** Nodes are those of `paths`, symbols those of the profile; both are NONE if not known. */
export interface WaitsByPath {
  readonly paths: { readonly parent: readonly number[]; readonly symbol: readonly SymbolId[] };
  /** All threads that are named below. */
  readonly threads: readonly WaitThread[];
  /** The call paths with most waiting time, the most first. */
  readonly places: readonly WaitingPlace[];
  /** Waits on other call paths. */
  readonly unlisted: { readonly waits: number; readonly ns: Nanoseconds };
  /** What threads waited for in futex calls, the most time first; others are left out. */
  readonly locks: readonly WaitedLock[];
  readonly locksLeftOut: number;
}

/** A lock, condition or other object that threads waited for; its numbers are those of `ptflame locks`. */
export interface WaitedLock {
  /** "0x55d0c0f0a0e0" */
  readonly address: string;
  /** Such as mutex. */
  readonly kind: string;
  /** A mutex or a read-write lock; other objects have no holder. */
  readonly isLock: boolean;
  readonly waits: number;
  readonly ns: Nanoseconds;
  /** Of the waits that ended; null: none did. */
  readonly avgNs: Nanoseconds | null;
  readonly maxNs: Nanoseconds | null;
  readonly longestOpenNs: Nanoseconds;
  /** The most threads that waited at once. */
  readonly convoy: number;
  /** Where threads waited most; null: not known. */
  readonly place: NamedPlace | null;
  /** Who held it, or else who woke the waiters; the most time first. */
  readonly by: readonly LockBlocker[];
}

/** Names are text: threads that are not in the profile have functions that it lacks. */
export interface NamedPlace {
  readonly name: string;
  readonly dso: string | null;
}

export interface LockBlocker {
  readonly kind: 'holder' | 'waker' | 'maybe' | 'interrupt' | 'not seen' | 'open';
  /** Threads of one name. */
  readonly threads: readonly WaitThread[];
  /** How long and how often others waited for it. */
  readonly ns: Nanoseconds;
  readonly waits: number;
  /** A holder: "slept in rest"; a waker: the function in which it woke them; empty: not known. */
  readonly did: string;
}

export interface WaitThread {
  readonly tid: Tid;
  readonly comm: string | null;
  /** It is in the profile. */
  readonly isTraced: boolean;
}

export interface WaitingPlace {
  readonly tid: Tid;
  /** What the thread was in, without the stop itself. */
  readonly node: number;
  readonly isPreempted: boolean;
  /** The most time first, `others` last; they add up to all waits here. */
  readonly blockers: readonly Blocker[];
  readonly longest: LongestWait;
}

export interface Blocker {
  readonly kind: BlockerKind;
  readonly tid: Tid;
  /** The function of the waker that ended the waits; the holder's, if it ended them itself. */
  readonly symbol: SymbolId;
  /** Such as mutex; empty: not known. */
  readonly reason: string;
  readonly waits: number;
  readonly ns: Nanoseconds;
  /** The part of it from wakings to running. */
  readonly wakeUpNs: Nanoseconds;
  /**
   * What the thread did until it ended the waits, or all holders of the lock, one after the other: pairs of node and time,
   * the largest.
   */
  readonly meanwhile: readonly (readonly [node: number, ns: Nanoseconds])[];
  /** The rest of that. */
  readonly otherNs: Nanoseconds;
}

export interface LongestWait {
  /** In the profile's time. */
  readonly startNs: Nanoseconds;
  readonly ns: Nanoseconds;
  /** Its critical path: pieces by time, which add up to the wait. */
  readonly pieces: readonly WaitPiece[];
}

/** `running`, `wake-up` (from the waking to running) and `preempted` are the thread's own time. */
export type WaitPieceKind =
  | 'running'
  | 'preempted'
  | 'wake-up'
  | 'interrupt'
  | 'not traced'
  | 'maybe'
  | 'not seen'
  | 'unknown'
  | 'others';

export interface WaitPiece {
  readonly kind: WaitPieceKind;
  /** Whose doing it was: of `not traced` and `maybe` the waker. NONE: several short pieces. */
  readonly tid: Tid;
  /** The function in which it spent most of the piece. */
  readonly symbol: SymbolId;
  readonly ns: Nanoseconds;
}
