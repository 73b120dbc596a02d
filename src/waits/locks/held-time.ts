/**
 * Divides the time of waits for locks: held by which thread, passed on from one holder to the next, from the waking to
 * running, and unknown.
 */

import { resized } from '../../model/columns.js';
import { type Bounds, type Nanoseconds, NONE, UNBOUNDED } from '../../model/units.js';
import { isLostWithin } from '../input/lost.js';
import { nsWithin } from '../summary/window.js';
import type { Waits } from '../waits.js';
import { firstEndingAfter, HolderSource, type LockWaits } from './lock-waits.js';

/** Time of a wait in which one thread had the lock: by time. */
export interface HeldPieces {
  readonly length: number;
  readonly holder: Int32Array; // tid
  readonly hold: Int32Array; // row of Holds; NONE: only a probe read the holder
  readonly fromNs: Float64Array;
  readonly toNs: Float64Array;
  readonly source: Uint8Array; // HolderSource
}

/** With the pieces, it adds up to the wait's time within the window. A wait that is not for a lock has 0. */
export interface HeldWait {
  readonly pieces: HeldPieces;
  /** Between two holds: the next holder had been woken, or another thread got the lock before it. */
  readonly passedOnNs: Nanoseconds;
  readonly wakeUpNs: Nanoseconds;
  readonly unknownNs: Nanoseconds;
}

/** Returns when the waiter was woken; if that was not seen, when it ran again. A waking that ended no wait does not count. */
export function wokenNs(waits: Waits, wait: number): Nanoseconds {
  const { outNs, inNs, wakeNs } = waits;
  return !isWoken(waits, wait) ? inNs[wait] : Math.min(inNs[wait], Math.max(outNs[wait], wakeNs[wait]));
}

function isWoken({ wakeNs, isOpen }: Waits, wait: number): boolean {
  return !isOpen[wait] && !Number.isNaN(wakeNs[wait]);
}

/** Divides one wait after the other: where many wait for a lock, each wait has a piece for each hold, too many to keep. */
export class HeldTime {
  private readonly pieces = new PieceRows();
  private passedOnNs: Nanoseconds = 0;
  private unknownNs: Nanoseconds = 0;

  /** `window`: the time that counts. */
  constructor(
    private readonly waits: Waits,
    private readonly locks: LockWaits,
    private readonly window: Bounds = UNBOUNDED,
  ) {}

  /** Returns the pieces of a wait; they are valid until the next call. */
  of(wait: number): HeldWait {
    const { pieces, window, waits } = this;
    pieces.length = 0;
    this.passedOnNs = 0;
    this.unknownNs = 0;
    if (this.locks.lock[wait] === NONE) return { pieces, passedOnNs: 0, wakeUpNs: 0, unknownNs: 0 };
    const endNs = wokenNs(waits, wait);
    this.addHolds(wait, endNs);
    const { passedOnNs, unknownNs } = this;
    return { pieces, passedOnNs, wakeUpNs: nsWithin(window, endNs, waits.inNs[wait]), unknownNs };
  }

  /** The first gap is that of the owner that a probe read; those after a hold are passed on. */
  private addHolds(wait: number, endNs: Nanoseconds): void {
    const { holds, lock, holder, holderSource } = this.locks;
    const { outNs, waitCall, calls, tid } = this.waits;
    const owner = holderSource[wait] === HolderSource.Probe ? holder[wait] : NONE;
    let atNs = outNs[wait];
    let isAfterHold = false;
    const first = firstEndingAfter(holds, lock[wait], calls.enterNs[waitCall[wait]]);
    const end = first === NONE ? NONE : holds.starts[lock[wait] + 1];
    for (let hold = first; hold < end && holds.fromNs[hold] < endNs; hold++) {
      if (isLostWithin(this.locks.lost, calls.enterNs[waitCall[wait]], Math.min(endNs, holds.toNs[hold]))) break;
      if (holds.tid[hold] === tid[wait]) continue;
      const fromNs = Math.max(atNs, holds.fromNs[hold]);
      this.addGap(wait, atNs, fromNs, isAfterHold, owner);
      const isOwner = !isAfterHold && holds.tid[hold] === owner;
      const toNs = Math.max(fromNs, Math.min(endNs, holds.toNs[hold]));
      this.add(holds.tid[hold], hold, fromNs, toNs, isOwner ? HolderSource.Probe : HolderSource.Futex);
      atNs = toNs;
      isAfterHold = true;
    }
    this.addGap(wait, atNs, endNs, isAfterHold && isWoken(this.waits, wait), owner);
  }

  private addGap(wait: number, fromNs: Nanoseconds, toNs: Nanoseconds, isAfterHold: boolean, owner: number): void {
    if (isAfterHold) this.passedOnNs += nsWithin(this.window, fromNs, toNs);
    else if (owner !== NONE && fromNs === this.waits.outNs[wait] && !isLostWithin(this.locks.lost, fromNs, toNs))
      this.add(owner, NONE, fromNs, toNs, HolderSource.Probe);
    else this.unknownNs += nsWithin(this.window, fromNs, toNs);
  }

  private add(holder: number, hold: number, fromNs: Nanoseconds, toNs: Nanoseconds, source: HolderSource): void {
    const { window } = this;
    if (nsWithin(window, fromNs, toNs) === 0) return;
    this.pieces.add(holder, hold, Math.max(fromNs, window.startNs), Math.min(toNs, window.endNs), source);
  }
}

const MIN_PIECES = 64;

/** The memory of the pieces of all waits in turn. */
class PieceRows implements HeldPieces {
  length = 0;
  holder = new Int32Array(MIN_PIECES);
  hold = new Int32Array(MIN_PIECES);
  fromNs = new Float64Array(MIN_PIECES);
  toNs = new Float64Array(MIN_PIECES);
  source = new Uint8Array(MIN_PIECES);

  add(holder: number, hold: number, fromNs: Nanoseconds, toNs: Nanoseconds, source: HolderSource): void {
    const row = this.length++;
    if (row === this.holder.length) this.grow();
    this.holder[row] = holder;
    this.hold[row] = hold;
    this.fromNs[row] = fromNs;
    this.toNs[row] = toNs;
    this.source[row] = source;
  }

  private grow(): void {
    const length = 2 * this.holder.length;
    this.holder = resized(this.holder, length);
    this.hold = resized(this.hold, length);
    this.fromNs = resized(this.fromNs, length);
    this.toNs = resized(this.toNs, length);
    this.source = resized(this.source, length);
  }
}
