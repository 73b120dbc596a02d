/**
 * Which box of a stack chart is meant: the selected call, or the one that keys reached last.
 */

import { type BoxBounds, boxOfCall } from '../../view/chart/call-at.js';
import type { ChartBoxes } from '../../view/chart/chart-boxes.js';
import type { ChosenCall } from '../../view/state.js';

export class AimedBoxes {
  private boxes!: ChartBoxes; // set by the first `show`
  private call: ChosenCall | null = null;
  /** Boxes have other numbers after each layout. */
  private reached: BoxBounds | null = null;

  /** `call`: the selected one, if it is of this thread. */
  show(boxes: ChartBoxes, call: ChosenCall | null): void {
    this.boxes = boxes;
    this.call = call;
  }

  /** The selected call; null: none, or it is not drawn. */
  get selected(): number | null {
    return this.call && boxOfCall(this.boxes, this.call);
  }

  /** The box that keys reached last. */
  get focused(): number | null {
    return this.reached && boxOfCall(this.boxes, this.reached);
  }

  get hasFocused(): boolean {
    return this.reached !== null;
  }

  focus(box: BoxBounds): void {
    this.reached = box;
  }

  blur(): void {
    this.reached = null;
  }
}
