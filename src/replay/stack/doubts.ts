/**
 * How certain the place of what is open is: which of the open frames are guesses, and which may have been jumped to unseen.
 */
import { type CallLogBuilder, Certainty } from '../../model/calls/call-log.js';
import { Inference } from '../../model/profile/quality.js';
import { type Nanoseconds, NONE } from '../../model/units.js';
import type { Frame } from './frame.js';

export class Doubts {
  private readonly stack: readonly Frame[];
  private readonly log: CallLogBuilder | null;
  /** How many open frames are guesses, and how many may have been jumped to unseen. */
  private guesses = 0;
  private hidden = 0;
  /** Somewhere in the time that is charged now, control moved unseen. */
  private isMoving = false;
  /** Below these places all frames are in doubt, and all are guesses: it need not be said twice. */
  private doubted = 0;
  private guessed = 0;

  constructor(stack: readonly Frame[], log: CallLogBuilder | null) {
    this.stack = stack;
    this.log = log;
  }

  /** Of what is charged now. */
  get certainty(): Certainty {
    if (this.guesses > 0) return Certainty.Unconfirmed;
    return this.hidden > 0 || this.isMoving ? Certainty.HiddenJump : Certainty.Certain;
  }

  /** Control moves unseen, or has moved. */
  setMoving(isMoving: boolean): void {
    this.isMoving = isMoving;
    this.tell();
  }

  /** No address tells whether an open frame is where control went. */
  doubt(frame: Frame): void {
    if (!frame.isHidden) this.hidden++;
    frame.isHidden = true;
    this.tell();
  }

  /** The log hears of it. */
  tell(): void {
    this.log?.setCertainty(this.certainty);
  }

  /** A frame stands on the stack. */
  opened({ isGuess, isHidden }: Frame): void {
    if (isGuess) this.guesses++;
    if (isHidden) this.hidden++;
    this.tell();
  }

  /** The top frame went; so many are left. What becomes of it the log hears before it is told. */
  left({ isGuess, isHidden }: Frame, depth: number): void {
    if (isGuess) this.guesses--;
    if (isHidden) this.hidden--;
    if (this.doubted > depth) this.doubted = depth;
    if (this.guessed > depth) this.guessed = depth;
  }

  /** No address confirmed what is open now. */
  guessAll(depth: number): void {
    for (let place = this.guessed; place < depth; place++) {
      const frame = this.stack[place] as Frame;
      if (!frame.isGuess) this.guesses++;
      frame.isGuess = true;
    }
    this.guessed = depth;
    this.tell();
  }

  /** Nothing proves that what is open, and no guess yet, was there behind this time. */
  unsureFrom(ns: Nanoseconds, depth: number): void {
    for (let place = this.guessed; place < depth; place++) {
      const frame = this.stack[place] as Frame;
      frame.knownUntilNs = Math.min(frame.knownUntilNs, ns);
    }
  }

  /** What was open when something was lost stays as a guess: whatever comes, its calls are inferred. */
  doubtAll(depth: number): void {
    for (let place = this.doubted; place < depth; place++) {
      const frame = this.stack[place] as Frame;
      if (frame.inference === NONE) frame.inference = Inference.CutByGap;
    }
    this.doubted = depth;
  }
}
