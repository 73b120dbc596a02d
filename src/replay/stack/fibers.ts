/**
 * Fibers during replay: frames of a stack that was left are kept aside, and put back where it goes on. They stand on
 * whatever went there, for that is whose time they take.
 */
import { Inference } from '../../model/quality.js';
import { type Nanoseconds, NONE } from '../../model/units.js';
import type { Pairing } from '../pairing/pairing.js';
import type { StackSwitch } from '../pairing/parked-stacks.js';
import type { Frame } from './frame.js';
import type { OpenFrames } from './open-frames.js';

export class Fibers {
  private readonly frames: OpenFrames;
  private readonly pairing: Pairing;
  private readonly leaving = new Map<number, StackSwitch[]>();
  private readonly kept = new Map<StackSwitch, Frame[]>();
  /** Where the frames of a stack begin, by the row of the event that went there. */
  private readonly starts = new Map<number, number>();

  constructor(frames: OpenFrames, pairing: Pairing) {
    this.frames = frames;
    this.pairing = pairing;
    for (const change of pairing.switches) {
      const others = this.leaving.get(change.leftRow);
      if (others) others.push(change);
      else this.leaving.set(change.leftRow, [change]);
    }
  }

  /** The event in `row` goes to another stack, whose frames stand on those that are open now. */
  begin(row: number): void {
    this.starts.set(row, this.frames.depth);
  }

  /** The event in `row` leaves all above some call, or a whole stack: what will go on later is kept. */
  leave(row: number, nowNs: Nanoseconds): void {
    if (this.leaving.size === 0 && this.pairing.replaces.size === 0) return; // there are no fibers
    this.keep(row, nowNs);
    const replaced = this.starts.get(this.pairing.replaces.get(row) ?? NONE);
    if (replaced !== undefined) this.frames.closeAbove(replaced - 1, nowNs, Inference.Unwound);
  }

  private keep(row: number, nowNs: Nanoseconds): void {
    const changes = this.leaving.get(row) ?? [];
    for (const change of [...changes].sort((a, b) => (b.callRows[0] as number) - (a.callRows[0] as number))) {
      const last = this.frames.placeOfCall(change.callRows.at(-1) as number);
      const first = this.starts.get(change.startRow) ?? this.frames.placeOfCall(change.callRows[0] as number);
      if (last === NONE || first === NONE || first > last) continue;
      this.frames.closeAbove(this.frames.endOfLevel(last) - 1, nowNs, Inference.Unwound);
      this.kept.set(change, this.frames.detach(first));
    }
  }

  /** The event in `row` goes back to a stack: the call that left it has returned. */
  resume(row: number, nowNs: Nanoseconds): void {
    this.back(this.pairing.switches[this.pairing.link[row]] as StackSwitch, row, nowNs);
  }

  /** The same before the event in `row`. */
  back(change: StackSwitch, row: number, nowNs: Nanoseconds): void {
    const frames = this.kept.get(change) ?? [];
    const end = frames.findIndex(({ callRow, isLevel }) => isLevel && callRow === change.callRows.at(-1));
    for (const frame of frames.slice(end).reverse()) this.frames.endAside(frame, nowNs, NONE);
    this.starts.set(row, this.frames.depth);
    this.frames.attach(frames.slice(0, end), row);
    this.kept.delete(change);
  }

  /** The trace ends: what still waits is counted. */
  finish(nowNs: Nanoseconds): void {
    for (const frames of this.kept.values())
      for (const frame of [...frames].reverse()) this.frames.endAside(frame, nowNs, Inference.OpenAtEnd);
    this.kept.clear();
  }
}
