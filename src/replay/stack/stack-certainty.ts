/**
 * How certain the index of what is open is: which of the open frames are guesses, and which may have been jumped to unseen.
 */
import { type CallLogBuilder, Certainty } from '../../model/calls/call-log.js';
import { Inference } from '../../model/profile/quality.js';
import { type Nanoseconds, NONE } from '../../model/units.js';
import type { Frame } from './frame.js';

export class StackCertainty {
  private readonly stack: readonly Frame[];
  private readonly log: CallLogBuilder | null;
  /** How many open frames are guesses, and how many may have been jumped to unseen. */
  private unconfirmedFrames = 0;
  private hiddenJumpFrames = 0;
  /** Somewhere in the time that is charged now, control moved unseen. */
  private hasMovedUnseen = false;
  /** Below these indexes all frames are in doubt, and all are guesses: it need not be said twice. */
  private inferredDepth = 0;
  private unconfirmedDepth = 0;

  constructor(stack: readonly Frame[], log: CallLogBuilder | null) {
    this.stack = stack;
    this.log = log;
  }

  /** Of what is charged now. */
  get current(): Certainty {
    if (this.unconfirmedFrames > 0) return Certainty.Unconfirmed;
    return this.hiddenJumpFrames > 0 || this.hasMovedUnseen ? Certainty.HiddenJump : Certainty.Certain;
  }

  /** Control moves unseen, or has moved. */
  setMovedUnseen(isMoving: boolean): void {
    this.hasMovedUnseen = isMoving;
    this.logCertainty();
  }

  /** No address tells whether an open frame is where control went. */
  markAfterHiddenJump(frame: Frame): void {
    if (!frame.isAfterHiddenJump) this.hiddenJumpFrames++;
    frame.isAfterHiddenJump = true;
    this.logCertainty();
  }

  /** The log hears of it. */
  logCertainty(): void {
    this.log?.setCertainty(this.current);
  }

  /** A frame stands on the stack. */
  frameOpened({ isUnconfirmed, isAfterHiddenJump }: Frame): void {
    if (isUnconfirmed) this.unconfirmedFrames++;
    if (isAfterHiddenJump) this.hiddenJumpFrames++;
    this.logCertainty();
  }

  /** The top frame went; so many are left. What becomes of it the log hears before it is told. */
  frameRemoved({ isUnconfirmed, isAfterHiddenJump }: Frame, depth: number): void {
    if (isUnconfirmed) this.unconfirmedFrames--;
    if (isAfterHiddenJump) this.hiddenJumpFrames--;
    if (this.inferredDepth > depth) this.inferredDepth = depth;
    if (this.unconfirmedDepth > depth) this.unconfirmedDepth = depth;
  }

  /** No address confirmed what is open now. */
  markUnconfirmed(depth: number): void {
    for (let index = this.unconfirmedDepth; index < depth; index++) {
      const frame = this.stack[index] as Frame;
      if (!frame.isUnconfirmed) this.unconfirmedFrames++;
      frame.isUnconfirmed = true;
    }
    this.unconfirmedDepth = depth;
    this.logCertainty();
  }

  /** Nothing proves that what is open, and no guess yet, was there behind this time. */
  limitKnownTime(ns: Nanoseconds, depth: number): void {
    for (let index = this.unconfirmedDepth; index < depth; index++) {
      const frame = this.stack[index] as Frame;
      frame.knownUntilNs = Math.min(frame.knownUntilNs, ns);
    }
  }

  /** What was open when something was lost stays as a guess: whatever comes, its calls are inferred. */
  markInferred(depth: number): void {
    for (let index = this.inferredDepth; index < depth; index++) {
      const frame = this.stack[index] as Frame;
      if (frame.inference === NONE) frame.inference = Inference.CutByGap;
    }
    this.inferredDepth = depth;
  }
}
