/**
 * How a level that is open now will end, as pairing has found it.
 */
import { NONE } from '../../model/units.js';
import { Outcome, type Pairing } from '../pairing/pairing.js';
import type { OpenFrames } from './open-frames.js';

export class LevelEnds {
  private readonly frames: OpenFrames;
  private readonly pairing: Pairing;

  constructor(frames: OpenFrames, pairing: Pairing) {
    this.frames = frames;
    this.pairing = pairing;
  }

  /** The lowest level that goes when the level at `place` goes; NONE if nothing is seen to leave it. */
  endOf(place: number): number {
    const { frames, pairing } = this;
    const { callRow, leave } = frames.at(place);
    if (leave !== NONE) return frames.placeOfLeave(leave);
    const endRow = this.endRowOf(place);
    if (endRow === NONE) return NONE;
    if (endRow === callRow) return place; // by its own return, behind a loss
    const outcome = pairing.outcome[endRow];
    if (outcome === Outcome.StackSwitch) return place;
    if (outcome === Outcome.Leave) return frames.placeOfLeave(endRow);
    const link = pairing.link[endRow];
    return link === callRow ? place : frames.placeOfCall(link);
  }

  /** The newest of the calls that go together with the level at `place`, without a return of their own; or NONE. */
  newestSkippedWith(place: number): number {
    const endRow = this.endRowOf(place);
    return endRow === NONE ? NONE : this.pairing.skipped.newestOf(endRow);
  }

  /** The newest raisers, at most so many, of those that go together with it. */
  raisersLeftWith(place: number, most: number): Int32Array {
    return this.pairing.skipped.raisersOf(this.endRowOf(place), most);
  }

  /** The row in which the level at `place` ends; NONE if that is not seen. */
  private endRowOf(place: number): number {
    const { callRow, leave } = this.frames.at(place);
    if (leave !== NONE) return leave;
    return callRow === NONE ? NONE : this.pairing.link[callRow];
  }
}
