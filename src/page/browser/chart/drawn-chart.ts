/**
 * What a stack chart shows at the moment: the boxes of a window of its thread, and what is said of each.
 */

import { isOffCpu } from '../../../analysis/tree/outside.js';
import type { Bounds, Nanoseconds, SymbolId } from '../../../model/units.js';
import type { FrameDetails } from '../../../render/frames/frame-details.js';
import type { Label } from '../../../render/frames/labels.js';
import { boundsOf, chartCaption, chartDetails, chartLabel } from '../../view/captions/chart.js';
import { leftOutText, wakerDetail } from '../../view/captions/wakings.js';
import {
  type BoxBounds,
  boxOfCall,
  type ChartBoxes,
  ChartBoxKind,
  commonRows,
  type DrawnCalls,
  drawnCalls,
} from '../../view/chart/chart-boxes.js';
import type { ChartThread } from '../../view/chart/chart-thread.js';
import { layOutChart } from '../../view/chart/lay-out-chart.js';
import { once } from '../../view/memoize-last.js';
import type { ChosenCall } from '../../view/state.js';
import type { Views } from '../../view/views.js';
import type { Role, Waking } from '../../view/waking-index.js';
import { type ChartArrow, chartArrows } from '../../view/waking-index.js';

export class DrawnChart {
  readonly boxes: ChartBoxes;
  readonly pixelNs: Nanoseconds;
  private readonly counted: () => DrawnCalls;
  private readonly chosenArrows: () => Readonly<Record<Role, readonly ChartArrow[]>>;

  constructor(
    private readonly views: Views,
    readonly thread: ChartThread,
    readonly window: Bounds,
    widthPx: number,
  ) {
    this.boxes = layOutChart(thread, window, widthPx);
    this.pixelNs = (window.endNs - window.startNs) / widthPx;
    this.chosenArrows = once(() => ({
      waiter: this.arrowsOf('waiter', widthPx),
      waker: this.arrowsOf('waker', widthPx),
    }));
    this.counted = once(() => drawnCalls(this.boxes, thread.unlisted, window));
  }

  get calls(): DrawnCalls {
    return this.counted();
  }

  /** The wakings that are shown, by what the thread is in them. */
  get arrows(): Readonly<Record<Role, readonly ChartArrow[]>> {
    return this.chosenArrows();
  }

  get caption(): string {
    const leftOut = this.views.wakings?.leftOutWithin(this.window) ?? 0;
    const calls = chartCaption(this.calls, this.thread, this.pixelNs);
    return leftOut > 0 ? `${calls} · up to ${leftOutText(leftOut)}` : calls;
  }

  /** Returns the longest wait in the time of a box that a thread ended, or whose waiter the thread woke; null: none. */
  wakingIn(box: number, role: Role): Waking | null {
    return this.views.wakings?.longestWithin(this.thread.tid, role, this.boundsOf(box)) ?? null;
  }

  /** Returns who ended a wait; null: not known, or the box is none. */
  wakingOf(box: number): Waking | null {
    return this.isCall(box) && isOffCpu(this.symbolOf(box)) ? this.wakingIn(box, 'waiter') : null;
  }

  /** How many of the outermost rows can be left out. */
  get commonRows(): number {
    return Math.max(0, commonRows(this.boxes, this.window) - 1);
  }

  isCall(box: number): boolean {
    return this.boxes.kind[box] === ChartBoxKind.Call;
  }

  /** `box`: of a call. */
  symbolOf(box: number): SymbolId {
    return this.thread.symbol[this.boxes.node[box]] as SymbolId;
  }

  boundsOf(box: number): Bounds {
    return boundsOf(this.boxes, box);
  }

  /** Returns the part of a box that is in the window. */
  visibleBounds(box: number): Bounds {
    const { startNs, endNs } = this.boundsOf(box);
    return { startNs: Math.max(startNs, this.window.startNs), endNs: Math.min(endNs, this.window.endNs) };
  }

  /** As addresses have it. */
  callOf(box: number): ChosenCall {
    const { startNs, endNs } = this.boundsOf(box);
    return { tid: this.thread.tid, startNs: Math.max(0, startNs), endNs };
  }

  labelOf(box: number): Label {
    return chartLabel(this.boxes, box, this.nameOf);
  }

  detailsOf(box: number): FrameDetails {
    const details = chartDetails(this.thread, this.boxes, box, this.nameOf, this.pixelNs);
    const waking = this.wakingOf(box);
    return waking === null ? details : { ...details, rows: [...details.rows, wakerDetail(waking)] };
  }

  /** The names on the stack of a call, the outermost first. */
  stackOf(box: number): string {
    const { shape } = this.views.data;
    const names: string[] = [];
    for (let at = this.thread.node[this.boxes.node[box]]; at > 0; at = shape.parent[at])
      names.push(this.views.names[shape.symbol[at]] as string);
    return names.reverse().join('\n');
  }

  /** Returns the first call below some rows that are left out; null: none. */
  firstCall(firstRow: number): number | null {
    const { row, length } = this.boxes;
    for (let box = 0; box < length; box++) if (this.isCall(box) && row[box] >= firstRow) return box;
    return null;
  }

  private arrowsOf(role: Role, widthPx: number): ChartArrow[] {
    const { wakings } = this.views;
    return wakings === null ? [] : chartArrows(wakings, this.thread.tid, role, { ...this.window, widthPx });
  }

  private readonly nameOf = (node: number): string => this.views.names[this.thread.symbol[node] as SymbolId] as string;
}

/** Which box of a stack chart is meant: the selected call, or the one that keys reached last. */
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
