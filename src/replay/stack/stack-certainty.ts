/**
 * Tracks how certain the open stack is: which frames are unconfirmed, and which may follow a hidden jump.
 */
import { type CallLogBuilder, Certainty } from '../../model/calls/call-log.js';
import { Inference } from '../../model/profile/quality.js';
import { type Nanoseconds, NONE } from '../../model/units.js';
import type { Frame } from './frame.js';

export class StackCertainty {
  private readonly stack: readonly Frame[];
  private readonly log: CallLogBuilder | null;
  /** Number of open frames that are unconfirmed, and that follow a hidden jump. */
  private unconfirmedFrames = 0;
  private hiddenJumpFrames = 0;
  /** Control moved without an event in the interval that is charged now. */
  private hasHiddenMove = false;
  /** Below these indexes every frame is already marked as inferred or as unconfirmed, so no frame is marked twice. */
  private inferredDepth = 0;
  private unconfirmedDepth = 0;

  constructor(stack: readonly Frame[], log: CallLogBuilder | null) {
    this.stack = stack;
    this.log = log;
  }

  /** The certainty of time that is charged now. */
  get current(): Certainty {
    if (this.unconfirmedFrames > 0) return Certainty.Unconfirmed;
    return this.hiddenJumpFrames > 0 || this.hasHiddenMove ? Certainty.HiddenJump : Certainty.Certain;
  }

  /** Sets whether control moved without an event in the interval that is charged now. */
  setHiddenMove(hasHiddenMove: boolean): void {
    this.hasHiddenMove = hasHiddenMove;
    this.logCertainty();
  }

  /** Marks an open frame as the possible target of a hidden jump: no address decides. */
  markAfterHiddenJump(frame: Frame): void {
    if (!frame.isAfterHiddenJump) this.hiddenJumpFrames++;
    frame.isAfterHiddenJump = true;
    this.logCertainty();
  }

  /** Writes a change of certainty to the log. */
  logCertainty(): void {
    this.log?.setCertainty(this.current);
  }

  /** Adds a frame that has been pushed. */
  frameOpened({ isUnconfirmed, isAfterHiddenJump }: Frame): void {
    if (isUnconfirmed) this.unconfirmedFrames++;
    if (isAfterHiddenJump) this.hiddenJumpFrames++;
    this.logCertainty();
  }

  /** Removes the top frame; `depth` frames are left. The caller writes its end to the log before the new certainty. */
  frameRemoved({ isUnconfirmed, isAfterHiddenJump }: Frame, depth: number): void {
    if (isUnconfirmed) this.unconfirmedFrames--;
    if (isAfterHiddenJump) this.hiddenJumpFrames--;
    if (this.inferredDepth > depth) this.inferredDepth = depth;
    if (this.unconfirmedDepth > depth) this.unconfirmedDepth = depth;
  }

  /** Marks every open frame as unconfirmed. */
  markUnconfirmed(depth: number): void {
    for (let index = this.unconfirmedDepth; index < depth; index++) {
      const frame = this.stack[index] as Frame;
      if (!frame.isUnconfirmed) this.unconfirmedFrames++;
      frame.isUnconfirmed = true;
    }
    this.unconfirmedDepth = depth;
    this.logCertainty();
  }

  /** Limits the known time of the frames that are confirmed so far: nothing proves that they were open after `ns`. */
  limitKnownTime(ns: Nanoseconds, depth: number): void {
    for (let index = this.unconfirmedDepth; index < depth; index++) {
      const frame = this.stack[index] as Frame;
      frame.knownUntilNs = Math.min(frame.knownUntilNs, ns);
    }
  }

  /** Marks the frames that were open at a loss: whatever confirms them later, their calls are inferred. */
  markInferred(depth: number): void {
    for (let index = this.inferredDepth; index < depth; index++) {
      const frame = this.stack[index] as Frame;
      if (frame.inference === NONE) frame.inference = Inference.CutByGap;
    }
    this.inferredDepth = depth;
  }
}
