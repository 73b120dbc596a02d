/**
 * Finds the open frames of a function. A frame is put into the index when something is looked for, which most frames do
 * not live to see: calls and returns leave it alone.
 */
import { type FunctionId, NONE } from '../../model/units.js';
import type { Frame } from './frame.js';

export class FrameIndex {
  private readonly stack: readonly Frame[];
  private readonly functions: number;
  /** By function: the index of its highest frame in the index, or NONE. */
  private highest: Int32Array | null = null;
  /** The frames below this index are in it. */
  private length = 0;

  constructor(stack: readonly Frame[], functions: number) {
    this.stack = stack;
    this.functions = functions;
  }

  /** The nearest frame of a function below a index, but not below `lowest`; or NONE. `depth`: how many are open. */
  findBelow(fn: FunctionId, depth: number, below: number, lowest: number): number {
    this.highest ??= new Int32Array(this.functions).fill(NONE);
    while (this.length < depth) this.add(this.length++, this.highest);
    let index = this.highest[fn];
    while (index >= below) index = (this.stack[index] as Frame).nextLower;
    return index >= lowest ? index : NONE;
  }

  /** The frame at this index, the top one, goes, or becomes another function. */
  forget(frame: Frame, index: number): void {
    if (this.length <= index || this.highest === null) return;
    this.highest[frame.fn] = frame.nextLower;
    this.length = index;
  }

  private add(index: number, newest: Int32Array): void {
    const frame = this.stack[index] as Frame;
    frame.nextLower = newest[frame.fn];
    newest[frame.fn] = index;
  }
}
