/**
 * A flame graph in a scrolling element of the page.
 */

import {
  type ChartEvents,
  consumeBoxEvent,
  FlameGraph,
  type FlameView,
  listen,
} from '../../../render/viewer/flame-graph.js';
import { D3Frames } from '../../d3-chart/d3-frames.js';

/** Narrower frames are merged with their neighbours. */
const MIN_FRAME_PX = 1;
const MIN_WIDTH_PX = 200;

export interface GraphEvents extends ChartEvents {
  readonly menu: (box: number, event: MouseEvent) => void;
  /** A double click, after a click. */
  readonly zoom?: () => void;
}

export type GraphView = Omit<FlameView, 'widthPx' | 'minPx'>;

export class Graph extends FlameGraph {
  /** Parts of the drawn view, without highlights. */
  private drawnParts: readonly unknown[] = [];
  /** The box that is marked when no other is. */
  private restingBox: number | null = null;
  /** Scroll distance from the bottom at height `heightPx`. */
  private fromBottomPx = 0;
  private heightPx = 0;

  /** `describe`: the text of a box for screen readers. */
  constructor(
    readonly container: HTMLElement,
    characterPx: number,
    events: GraphEvents,
    describe: (box: number) => string,
  ) {
    super(new D3Frames(container), characterPx, describe);
    listen(this, container, events);
    container.addEventListener('contextmenu', (event) =>
      consumeBoxEvent(this, event, (box) => events.menu(box, event)),
    );
    container.addEventListener('dblclick', () => events.zoom?.());
    container.addEventListener('wheel', events.hide, { passive: true });
    container.addEventListener('scroll', () => this.noteScroll());
  }

  /** Also marks a box that has the focus already: in Firefox, a frame that is drawn again keeps it. */
  override focus(box: number): void {
    const { activeElement } = document;
    if (this.hasFocus && this.boxAt(activeElement) === box) (activeElement as SVGElement).blur();
    super.focus(box);
  }

  /** Draws the view as wide as the container. If only highlights changed, frames are not redrawn. */
  drawView(given: GraphView): void {
    const view: FlameView = { ...given, widthPx: this.containerWidthPx, minPx: MIN_FRAME_PX };
    const { table, first, last, widthPx, isIcicle, maxCallers, classOf, wording } = view;
    const parts = [table, first, last, widthPx, isIcicle, maxCallers, classOf, wording];
    const isSame = parts.every((part, at) => part === this.drawnParts[at]);
    this.drawnParts = parts;
    this.restingBox = null;
    if (isSame) this.highlight(view);
    else this.draw(view);
  }

  /** Width of the drawn graph. */
  get widthPx(): number {
    return this.view.widthPx;
  }

  /** Whether the container is as wide as when it was drawn. */
  get fits(): boolean {
    return this.widthPx === this.containerWidthPx;
  }

  /** Scrolls a box into view and lets Tab reach it. */
  show(box: number): void {
    this.setTabStop(box);
    this.reveal(box);
  }

  /** Sets the box that is marked when no other is; null: none. */
  setRestingBox(box: number | null): void {
    this.restingBox = box;
    this.unmark();
  }

  override markBox(box: number): void {
    super.markBox(box, box === this.restingBox ? 'mark resting' : 'mark');
  }

  override unmark(): void {
    if (this.restingBox === null) super.unmark();
    else this.markBox(this.restingBox);
  }

  /** Scrolls to the frames that fill the width, with as many of their callers and callees as fit. */
  scrollToView(): void {
    this.fromBottomPx = 0;
    this.container.scrollTop = this.view.isIcicle ? 0 : this.container.scrollHeight;
  }

  /** Keeps the scroll position after a change of height: flame graphs stay at the bottom, icicle graphs at the top. */
  keepScroll(): void {
    const { container, fromBottomPx } = this;
    this.heightPx = container.clientHeight;
    if (!this.view.isIcicle) container.scrollTop = container.scrollHeight - container.clientHeight - fromBottomPx;
  }

  /** Returns the box at a point of the window; null: none. */
  boxBelow({ xPx, yPx }: { readonly xPx: number; readonly yPx: number }): number | null {
    return this.boxAt(document.elementFromPoint(xPx, yPx));
  }

  /** Returns the area of a box in the window. */
  rectangleOf(box: number): DOMRect | null {
    return this.frames.get(box)?.element.getBoundingClientRect() ?? null;
  }

  private get containerWidthPx(): number {
    return Math.max(MIN_WIDTH_PX, this.container.clientWidth);
  }

  private noteScroll(): void {
    const { clientHeight, scrollHeight, scrollTop } = this.container;
    if (clientHeight !== this.heightPx) return; // resized, not scrolled by the user
    this.fromBottomPx = scrollHeight - clientHeight - scrollTop;
  }
}
