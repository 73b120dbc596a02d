/**
 * Finds the open frames of a function. A frame is put into the index when something is looked for, which most frames do
 * not live to see: calls and returns leave it alone.
 */
import { type FunctionId, NONE } from '../../model/units.js';
import type { Frame } from './frame.js';

export class FrameIndex {
  private readonly stack: readonly Frame[];
  private readonly functions: number;
  /** By function: the place of its highest frame in the index, or NONE. */
  private newest: Int32Array | null = null;
  /** The frames below this place are in it. */
  private length = 0;

  constructor(stack: readonly Frame[], functions: number) {
    this.stack = stack;
    this.functions = functions;
  }

  /** The nearest frame of a function below a place, but not below `lowest`; or NONE. `depth`: how many are open. */
  findBelow(fn: FunctionId, depth: number, below: number, lowest: number): number {
    this.newest ??= new Int32Array(this.functions).fill(NONE);
    while (this.length < depth) this.add(this.length++, this.newest);
    let place = this.newest[fn];
    while (place >= below) place = (this.stack[place] as Frame).older;
    return place >= lowest ? place : NONE;
  }

  /** The frame at this place, the top one, goes, or becomes another function. */
  forget(frame: Frame, place: number): void {
    if (this.length <= place || this.newest === null) return;
    this.newest[frame.fn] = frame.older;
    this.length = place;
  }

  private add(place: number, newest: Int32Array): void {
    const frame = this.stack[place] as Frame;
    frame.older = newest[frame.fn];
    newest[frame.fn] = place;
  }
}
