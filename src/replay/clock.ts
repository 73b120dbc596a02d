/**
 * Up to when a thread's time is charged. It goes to the frame on top, or to what the thread waits in.
 */
import type { CallLogBuilder } from '../model/call-log.js';
import { type Nanoseconds, NONE } from '../model/units.js';
import type { Pause } from './pause.js';
import type { OpenFrames } from './stack/open-frames.js';

export class Clock {
  nowNs: Nanoseconds = 0;
  private readonly frames: OpenFrames;
  private readonly pause: Pause;
  private readonly log: CallLogBuilder | null;

  constructor(frames: OpenFrames, pause: Pause, log: CallLogBuilder | null, nowNs: Nanoseconds) {
    this.frames = frames;
    this.pause = pause;
    this.log = log;
    this.startAt(nowNs);
  }

  /** Time is charged from here on. */
  startAt(timeNs: Nanoseconds): void {
    this.nowNs = timeNs;
    this.log?.begin(timeNs);
  }

  /** Up to here somebody else has charged it. */
  goOnAt(timeNs: Nanoseconds): void {
    this.nowNs = timeNs;
    if (this.log) this.log.nowNs = timeNs;
  }

  /** Meanwhile control has moved from one function to another, and nobody knows when. */
  chargeMove(timeNs: Nanoseconds): void {
    this.frames.setMoving(true);
    this.chargeUntil(timeNs);
    this.frames.setMoving(false);
  }

  chargeUntil(timeNs: Nanoseconds): void {
    const ns = timeNs - this.nowNs;
    this.goOnAt(timeNs);
    const { node } = this.pause;
    if (node === NONE) this.frames.charge(ns);
    else this.frames.chargeTo(node, ns);
  }
}
