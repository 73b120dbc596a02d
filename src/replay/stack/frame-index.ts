/**
 * Finds the open frames of a function. Frames are added only when something is searched for, and most close before
 * that: so calls and returns do not pay for the index.
 */
import { type FunctionId, NONE } from '../../model/units.js';
import type { Frame } from './frame.js';

export class FrameIndex {
  private readonly stack: readonly Frame[];
  private readonly functions: number;
  /** By function: the stack index of its highest frame that was added, or NONE. */
  private highest: Int32Array | null = null;
  /** The frames below this stack index have been added. */
  private length = 0;

  constructor(stack: readonly Frame[], functions: number) {
    this.stack = stack;
    this.functions = functions;
  }

  /**
   * Returns the highest frame of a function below `below` and not below `lowest`, or NONE. `depth`: number of open
   * frames.
   */
  findBelow(fn: FunctionId, depth: number, below: number, lowest: number): number {
    this.highest ??= new Int32Array(this.functions).fill(NONE);
    while (this.length < depth) this.add(this.length++, this.highest);
    let index = this.highest[fn];
    while (index >= below) index = (this.stack[index] as Frame).nextLower;
    return index >= lowest ? index : NONE;
  }

  /** Removes the frame at this index, which must be on top: it closes, or becomes another function. */
  forget(frame: Frame, index: number): void {
    if (this.length <= index || this.highest === null) return;
    this.highest[frame.fn] = frame.nextLower;
    this.length = index;
  }

  private add(index: number, highest: Int32Array): void {
    const frame = this.stack[index] as Frame;
    frame.nextLower = highest[frame.fn];
    highest[frame.fn] = index;
  }
}
