/**
 * Finds the open frames of a function. Frames are added only when something is searched for, and most close before
 * that: so calls and returns do not pay for the index.
 */
import { type FunctionId, NONE } from '../../model/units.js';
import type { Frame } from './frame.js';

export class FrameIndex {
  private readonly stack: readonly Frame[];
  /** By function: the stack index of its highest frame that was added, or NONE. Not yet valid if none was ever added. */
  private readonly highest: Int32Array;
  private isUsed = false;
  /** The frames below this stack index have been added. */
  length = 0;

  /** `highest`: memory with a number for each function. */
  constructor(stack: readonly Frame[], highest: Int32Array) {
    this.stack = stack;
    this.highest = highest;
  }

  /**
   * Returns the highest frame of a function below `below` and not below `lowest`, or NONE. `depth`: number of open
   * frames.
   */
  findBelow(fn: FunctionId, depth: number, below: number, lowest: number): number {
    if (!this.isUsed) this.highest.fill(NONE);
    this.isUsed = true;
    while (this.length < depth) this.add(this.length++);
    let index = this.highest[fn];
    while (index >= below) index = (this.stack[index] as Frame).nextLower;
    return index >= lowest ? index : NONE;
  }

  /** Removes the frame at this index, which must be on top: it closes, or becomes another function. */
  forget(frame: Frame, index: number): void {
    if (this.length <= index) return;
    this.highest[frame.fn] = frame.nextLower;
    this.length = index;
  }

  private add(index: number): void {
    const { highest } = this;
    const frame = this.stack[index] as Frame;
    frame.nextLower = highest[frame.fn];
    highest[frame.fn] = index;
  }
}
