/**
 * Divides the time of waits for locks: held by which thread, passed on from one holder to the next, from the waking to
 * running, and unknown.
 */
import { float64Column, int32Column, uint8Column } from '../../model/columns.js';
import { type Nanoseconds, NONE } from '../../model/units.js';
import { isLostWithin } from '../input/lost.js';
import { ALL_TIME, nsWithin, type TimeWindow } from '../summary/window.js';
import type { Waits } from '../waits.js';
import { firstEndingAfter, HolderSource } from './holders.js';
import type { LockWaits } from './lock-waits.js';

/** Time of a wait in which one thread had the lock: by wait, then time. */
export interface HeldPieces {
  readonly length: number;
  readonly wait: Int32Array;
  readonly holder: Int32Array; // tid
  readonly hold: Int32Array; // row of Holds; NONE: only a probe read the holder
  readonly fromNs: Float64Array;
  readonly toNs: Float64Array;
  readonly source: Uint8Array; // HolderSource
}

/** By wait; with the pieces, they add up to its time within the window. Waits that are not for a lock have 0. */
export interface HeldTime {
  readonly pieces: HeldPieces;
  /** By wait, rows of `pieces`: those of wait i are from `starts[i]` to `starts[i + 1]`. */
  readonly starts: Uint32Array;
  /** Between two holds: the next holder had been woken, or another thread got the lock before it. */
  readonly passedOnNs: Float64Array;
  readonly wakeUpNs: Float64Array;
  readonly unknownNs: Float64Array;
}

/** `window`: the time that counts. */
export function heldTimeOf(waits: Waits, locks: LockWaits, window: TimeWindow = ALL_TIME): HeldTime {
  const builder = new HeldTimeBuilder(waits, locks, window);
  for (let wait = 0; wait < waits.length; wait++) builder.addWait(wait);
  return builder.build();
}

/** Returns when the waiter was woken; if that was not seen, when it ran again. A waking that ended no wait does not count. */
export function wokenNs(waits: Waits, wait: number): Nanoseconds {
  const { outNs, inNs, wakeNs } = waits;
  return !isWoken(waits, wait) ? inNs[wait] : Math.min(inNs[wait], Math.max(outNs[wait], wakeNs[wait]));
}

function isWoken({ wakeNs, isOpen }: Waits, wait: number): boolean {
  return !isOpen[wait] && !Number.isNaN(wakeNs[wait]);
}

class HeldTimeBuilder {
  private readonly waits: Waits;
  private readonly locks: LockWaits;
  private readonly window: TimeWindow;
  private readonly starts: Uint32Array;
  private readonly wait = int32Column();
  private readonly holder = int32Column();
  private readonly hold = int32Column();
  private readonly fromNs = float64Column();
  private readonly toNs = float64Column();
  private readonly source = uint8Column();
  private readonly passedOnNs: Float64Array;
  private readonly wakeUpNs: Float64Array;
  private readonly unknownNs: Float64Array;

  constructor(waits: Waits, locks: LockWaits, window: TimeWindow) {
    this.waits = waits;
    this.locks = locks;
    this.window = window;
    this.starts = new Uint32Array(waits.length + 1);
    this.passedOnNs = new Float64Array(waits.length);
    this.wakeUpNs = new Float64Array(waits.length);
    this.unknownNs = new Float64Array(waits.length);
  }

  addWait(wait: number): void {
    if (this.locks.lock[wait] !== NONE) {
      const endNs = wokenNs(this.waits, wait);
      this.wakeUpNs[wait] = nsWithin(this.window, endNs, this.waits.inNs[wait]);
      this.addHolds(wait, endNs);
    }
    this.starts[wait + 1] = this.wait.length;
  }

  build(): HeldTime {
    const pieces = {
      length: this.wait.length,
      wait: this.wait.view(),
      holder: this.holder.view(),
      hold: this.hold.view(),
      fromNs: this.fromNs.view(),
      toNs: this.toNs.view(),
      source: this.source.view(),
    };
    const { starts, passedOnNs, wakeUpNs, unknownNs } = this;
    return { pieces, starts, passedOnNs, wakeUpNs, unknownNs };
  }

  /** The first gap is that of the owner that a probe read; those after a hold are passed on. */
  private addHolds(wait: number, endNs: Nanoseconds): void {
    const { holds, lock, holder, holderSource } = this.locks;
    const { outNs, waitCall, calls, tid } = this.waits;
    const owner = holderSource[wait] === HolderSource.Probe ? holder[wait] : NONE;
    let atNs = outNs[wait];
    let isAfterHold = false;
    for (const hold of this.holdsWithin(lock[wait], calls.enterNs[waitCall[wait]], endNs)) {
      if (holds.tid[hold] === tid[wait]) continue;
      const fromNs = Math.max(atNs, holds.fromNs[hold]);
      this.addGap(wait, atNs, fromNs, isAfterHold, owner);
      const isOwner = !isAfterHold && holds.tid[hold] === owner;
      const toNs = Math.max(fromNs, Math.min(endNs, holds.toNs[hold]));
      this.add(wait, holds.tid[hold], hold, fromNs, toNs, isOwner ? HolderSource.Probe : HolderSource.Futex);
      atNs = toNs;
      isAfterHold = true;
    }
    this.addGap(wait, atNs, endNs, isAfterHold && isWoken(this.waits, wait), owner);
  }

  private addGap(wait: number, fromNs: Nanoseconds, toNs: Nanoseconds, isAfterHold: boolean, owner: number): void {
    if (isAfterHold) this.passedOnNs[wait] += nsWithin(this.window, fromNs, toNs);
    else if (owner !== NONE && fromNs === this.waits.outNs[wait] && !isLostWithin(this.locks.lost, fromNs, toNs))
      this.add(wait, owner, NONE, fromNs, toNs, HolderSource.Probe);
    else this.unknownNs[wait] += nsWithin(this.window, fromNs, toNs);
  }

  private *holdsWithin(lock: number, enterNs: Nanoseconds, endNs: Nanoseconds): Generator<number> {
    const { holds } = this.locks;
    const first = firstEndingAfter(holds, lock, enterNs);
    if (first === NONE) return;
    for (let hold = first; hold < holds.starts[lock + 1] && holds.fromNs[hold] < endNs; hold++) {
      if (isLostWithin(this.locks.lost, enterNs, Math.min(endNs, holds.toNs[hold]))) return;
      yield hold;
    }
  }

  private add(
    wait: number,
    holder: number,
    hold: number,
    fromNs: Nanoseconds,
    toNs: Nanoseconds,
    source: HolderSource,
  ): void {
    if (nsWithin(this.window, fromNs, toNs) === 0) return;
    this.wait.push(wait);
    this.holder.push(holder);
    this.hold.push(hold);
    this.fromNs.push(Math.max(fromNs, this.window.startNs));
    this.toNs.push(Math.min(toNs, this.window.endNs));
    this.source.push(source);
  }
}
