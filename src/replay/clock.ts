/**
 * Up to when a thread's time is charged. It goes to the frame on top, or to what the thread waits in.
 */
import { type Nanoseconds, NONE } from '../model/units.js';
import type { OpenFrames } from './open-frames.js';
import type { Pause } from './pause.js';

export class Clock {
  nowNs: Nanoseconds;
  private readonly frames: OpenFrames;
  private readonly pause: Pause;

  constructor(frames: OpenFrames, pause: Pause, nowNs: Nanoseconds) {
    this.frames = frames;
    this.pause = pause;
    this.nowNs = nowNs;
  }

  chargeUntil(timeNs: Nanoseconds): void {
    const ns = timeNs - this.nowNs;
    this.nowNs = timeNs;
    const { node } = this.pause;
    if (node === NONE) this.frames.charge(ns);
    else this.frames.chargeTo(node, ns);
  }
}
