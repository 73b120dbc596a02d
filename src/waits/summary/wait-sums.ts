/**
 * Adds up what time off the CPU consisted of.
 */
import type { Nanoseconds } from '../../model/units.js';
import { WakerKind } from '../find-wakers.js';
import { OffState } from '../schedule/off-state.js';
import type { Waits } from '../waits.js';
import type { ShownWaits } from './window.js';

/** `offNs` = `blockedNs` + `wakeUpNs` + `preemptedNs` + `unknownNs`. */
export interface WaitSums {
  readonly waits: number;
  readonly offNs: Nanoseconds;
  /** Until the waking; if that was not seen, until the thread ran again. */
  readonly blockedNs: Nanoseconds;
  /** From the waking to running. */
  readonly wakeUpNs: Nanoseconds;
  readonly preemptedNs: Nanoseconds;
  /** Blocked, preempted or even running: switches are missing. */
  readonly unknownNs: Nanoseconds;
  /** Unknown, or ended by a waking that was not seen. */
  readonly unexplainedNs: Nanoseconds;
  /** Waits that had not ended when the recording, or the thread, did. */
  readonly open: number;
}

export class WaitSummer {
  waits = 0;
  offNs = 0;
  blockedNs = 0;
  wakeUpNs = 0;
  preemptedNs = 0;
  unknownNs = 0;
  unexplainedNs = 0;
  open = 0;

  /** Adds the part of a wait that is within a span of time. */
  add(waits: Waits, wait: number, fromNs = Number.NEGATIVE_INFINITY, toNs = Number.POSITIVE_INFINITY): void {
    const outNs = Math.max(waits.outNs[wait], fromNs);
    const ns = Math.min(waits.inNs[wait], toNs) - outNs;
    if (!(ns >= 0)) return;
    this.waits++;
    this.offNs += ns;
    const isOpen = waits.isOpen[wait] === 1;
    if (isOpen) this.open++;
    const state = waits.state[wait];
    if (state === OffState.Preempted) this.preemptedNs += ns;
    else if (state === OffState.Unknown) {
      this.unknownNs += ns;
      this.unexplainedNs += ns;
    } else this.addBlocked(ns, Math.max(0, waits.wakeNs[wait] - outNs));
    if (state === OffState.Blocked && waits.wakerKind[wait] === WakerKind.NotSeen && !isOpen) this.unexplainedNs += ns;
  }

  build(): WaitSums {
    return { ...this };
  }

  /** `wokenAfterNs`: NaN if no waking was seen. */
  private addBlocked(ns: Nanoseconds, wokenAfterNs: Nanoseconds): void {
    const blockedNs = Number.isNaN(wokenAfterNs) ? ns : Math.min(ns, wokenAfterNs);
    this.blockedNs += blockedNs;
    this.wakeUpNs += ns - blockedNs;
  }
}

/** Returns the time from the waking to running; NaN: the wait had no waking, none was seen, or the window cuts it. */
export function wakeUpNsOf({ wakeNs, outNs, inNs, isOpen, isCut }: ShownWaits, wait: number): Nanoseconds {
  return isOpen[wait] || isCut[wait] ? Number.NaN : inNs[wait] - Math.max(wakeNs[wait], outNs[wait]);
}

/** Returns how long a wait took; NaN: it did not end, or the window cuts it. */
export function endedNsOf({ outNs, inNs, isOpen, isCut }: ShownWaits, wait: number): Nanoseconds {
  return isOpen[wait] || isCut[wait] ? Number.NaN : inNs[wait] - outNs[wait];
}
