/**
 * Collects the pieces of a critical path, from its end to its beginning.
 */
import { float64Column, int32Column, uint8Column } from '../model/columns.js';
import type { Nanoseconds, Tid } from '../model/units.js';

/**
 * - `Running`, `Preempted`, `WakeUp`: of the piece's thread. `WakeUp` is the time from the waking to running.
 * - `Interrupt`: it waited for a timer or a device.
 * - `NotTraced`: it waited for a thread of which nothing else is known.
 * - `MaybeThread`: it waited for that thread, or for an interrupt that came while it ran.
 * - `NotSeen`: it was blocked, and its waking was not recorded.
 * - `Unknown`: what it did is not known.
 */
export const PieceKind = {
  Running: 0,
  Preempted: 1,
  WakeUp: 2,
  Interrupt: 3,
  NotTraced: 4,
  MaybeThread: 5,
  NotSeen: 6,
  Unknown: 7,
} as const;
export type PieceKind = (typeof PieceKind)[keyof typeof PieceKind];

/** Pieces by time; each begins where the one before ends. */
export interface CriticalPath {
  readonly length: number;
  readonly fromNs: Float64Array;
  readonly toNs: Float64Array;
  readonly kind: Uint8Array; // PieceKind
  readonly tid: Int32Array; // whose doing, or whose wait it is
  readonly wait: Int32Array; // row of Waits; NONE: it ran
  /** How many waits led from the interval's thread to this one. */
  readonly depth: Int32Array;
}

export class PathBuilder {
  /** Where the pieces begin so far. */
  nowNs: Nanoseconds;
  private followedNs = Number.NaN;
  private followedHere = 0;

  private readonly fromNs = float64Column();
  private readonly toNs = float64Column();
  private readonly kind = uint8Column();
  private readonly tid = int32Column();
  private readonly wait = int32Column();
  private readonly depth = int32Column();

  constructor(toNs: Nanoseconds) {
    this.nowNs = toNs;
  }

  /** Adds the piece before all others. */
  add(fromNs: Nanoseconds, kind: PieceKind, tid: Tid, wait: number, depth: number): void {
    if (fromNs >= this.nowNs) return;
    this.fromNs.push(fromNs);
    this.toNs.push(this.nowNs);
    this.kind.push(kind);
    this.tid.push(tid);
    this.wait.push(wait);
    this.depth.push(depth);
    this.nowNs = fromNs;
  }

  /**
   * Whether a waker may be followed from here. Clocks that differ could show threads that wake each other at the same
   * moment; that would never end.
   */
  mayFollow(): boolean {
    this.followedHere = this.followedNs === this.nowNs ? this.followedHere + 1 : 1;
    this.followedNs = this.nowNs;
    return this.followedHere <= MAX_FOLLOWED_AT_ONCE;
  }

  build(): CriticalPath {
    const { fromNs, toNs, kind, tid, wait, depth } = this;
    return {
      length: fromNs.length,
      fromNs: fromNs.view().slice().reverse(),
      toNs: toNs.view().slice().reverse(),
      kind: kind.view().slice().reverse(),
      tid: tid.view().slice().reverse(),
      wait: wait.view().slice().reverse(),
      depth: depth.view().slice().reverse(),
    };
  }
}

const MAX_FOLLOWED_AT_ONCE = 2;
