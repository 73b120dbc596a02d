/**
 * Lists for whom blocked threads waited, when: holders of locks where they are known, else who woke them in the end.
 */
import { float64Column, int32Column } from '../../model/columns.js';
import type { Nanoseconds, Tid } from '../../model/units.js';
import { HeldTime, type HeldWait, wokenNs } from '../../waits/locks/held-time.js';
import { lockWaitsOf } from '../../waits/locks/lock-waits.js';
import { OffState } from '../../waits/schedule/off-state.js';
import { ALL_TIME, nsWithin } from '../../waits/summary/window.js';
import type { TraceWaits } from './ask-waits.js';
import { EndedBy, type WaitFacts } from './wait-facts.js';

/** By wait, then by time where a thread is known. They add up to the selected blocked time. */
export interface Blockers {
  readonly length: number;
  readonly wait: Int32Array;
  /** A thread: its tid. Otherwise a negative number: `NoBlocker`. */
  readonly blocker: Int32Array;
  readonly fromNs: Float64Array; // NaN: no thread
  readonly ns: Float64Array;
}

/** `Maybe`: a thread that was perhaps only interrupted; it is not blamed. */
export const NoBlocker = { Unknown: -1, Interrupt: -2, PassedOn: -3, WakeUp: -4, Maybe: -5, StillWaits: -6 } as const;
export type NoBlocker = (typeof NoBlocker)[keyof typeof NoBlocker];

/** `isSelected`: by wait. Only their time in the window counts; for whom it was is concluded from all of the recording. */
export function blockersOf(
  { waits, window, trace }: TraceWaits,
  facts: WaitFacts,
  isSelected: ArrayLike<number>,
): Blockers {
  const rows = new BlockerRows();
  const locks = lockWaitsOf(waits, trace.samples);
  const held = new HeldTime(waits, locks);
  const heldWithin = window === ALL_TIME ? held : new HeldTime(waits, locks, window);
  for (let wait = 0; wait < waits.length; wait++) {
    if (waits.state[wait] !== OffState.Blocked || isSelected[wait] !== 1) continue;
    const { outNs, inNs } = waits;
    const wokenAtNs = wokenNs(waits, wait);
    if (held.of(wait).pieces.length > 0) addHolders(rows, heldWithin.of(wait), wait);
    else {
      const blocker = blockerOf(facts.endedBy(wait), waits.waker[wait]);
      rows.add(wait, blocker, Math.max(outNs[wait], window.startNs), nsWithin(window, outNs[wait], wokenAtNs));
    }
    rows.add(wait, NoBlocker.WakeUp, Number.NaN, nsWithin(window, wokenAtNs, inNs[wait]));
  }
  return rows.build();
}

function addHolders(rows: BlockerRows, { pieces, passedOnNs, unknownNs }: HeldWait, wait: number): void {
  for (let piece = 0; piece < pieces.length; piece++)
    rows.add(wait, pieces.holder[piece], pieces.fromNs[piece], pieces.toNs[piece] - pieces.fromNs[piece]);
  rows.add(wait, NoBlocker.PassedOn, Number.NaN, passedOnNs);
  rows.add(wait, NoBlocker.Unknown, Number.NaN, unknownNs);
}

function blockerOf(endedBy: EndedBy, waker: Tid): number {
  switch (endedBy) {
    case EndedBy.Thread:
      return waker;
    case EndedBy.MaybeThread:
      return NoBlocker.Maybe;
    case EndedBy.Interrupt:
      return NoBlocker.Interrupt;
    case EndedBy.Open:
      return NoBlocker.StillWaits;
    default:
      return NoBlocker.Unknown;
  }
}

class BlockerRows {
  private readonly wait = int32Column();
  private readonly blocker = int32Column();
  private readonly fromNs = float64Column();
  private readonly ns = float64Column();

  add(wait: number, blocker: number, fromNs: Nanoseconds, ns: Nanoseconds): void {
    if (!(ns > 0)) return;
    this.wait.push(wait);
    this.blocker.push(blocker);
    this.fromNs.push(blocker < 0 ? Number.NaN : fromNs);
    this.ns.push(ns);
  }

  build(): Blockers {
    const { wait, blocker, fromNs, ns } = this;
    return { length: wait.length, wait: wait.view(), blocker: blocker.view(), fromNs: fromNs.view(), ns: ns.view() };
  }
}
