/**
 * A flame graph in a place of the page that scrolls.
 */
import { D3Frames } from '../../../d3-chart/d3-frames.js';
import { FlameGraph, type FlameView } from '../../../viewer/flame-graph.js';
import { type ChartEvents, consumeBoxEvent, listen } from '../../../viewer/listen.js';

/** Narrower frames are drawn together with their neighbours. */
const LEAST_PX = 1;
const LEAST_WIDTH_PX = 200;

export interface GraphEvents extends ChartEvents {
  readonly menu: (box: number, event: MouseEvent) => void;
}

export type GraphView = Omit<FlameView, 'widthPx' | 'minPx'>;

export class Graph extends FlameGraph {
  readonly container: HTMLElement;
  /** Of the view: all but looks. */
  private drawnParts: readonly unknown[] = [];
  /** The one that is marked when no other is. */
  private restingBox: number | null = null;
  /** How far it was scrolled from the bottom, when its place was so high. */
  private fromBottomPx = 0;
  private heightPx = 0;

  /** `describe`: a box, as it is read aloud. */
  constructor(place: HTMLElement, characterPx: number, events: GraphEvents, describe: (box: number) => string) {
    super(new D3Frames(place), characterPx, describe);
    this.container = place;
    listen(this, place, events);
    place.addEventListener('contextmenu', (event) => consumeBoxEvent(this, event, (box) => events.menu(box, event)));
    place.addEventListener('wheel', events.hide, { passive: true });
    place.addEventListener('scroll', () => this.noteScroll());
  }

  /** As wide as its place. Frames that would be drawn as they are stay, and only their looks change. */
  drawView(given: GraphView): void {
    const view: FlameView = { ...given, widthPx: this.placeWidthPx, minPx: LEAST_PX };
    const { table, first, last, widthPx, isIcicle, maxCallers, classOf } = view;
    const parts = [table, first, last, widthPx, isIcicle, maxCallers, classOf];
    const isSame = parts.every((part, at) => part === this.drawnParts[at]);
    this.drawnParts = parts;
    this.restingBox = null;
    if (isSame) this.highlight(view);
    else this.draw(view);
  }

  /** Of what is drawn. */
  get widthPx(): number {
    return this.view.widthPx;
  }

  /** Its place is as wide as when it was drawn. */
  get fits(): boolean {
    return this.widthPx === this.placeWidthPx;
  }

  /** Brings a box into sight, and lets Tab reach it. */
  show(box: number): void {
    this.setTabStop(box);
    this.scrollToBox(box);
  }

  /** Marks a box as long as no other one is; null: none. */
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

  /** What fills the width, with as many of its callers and callees as fit. */
  scrollToView(): void {
    this.fromBottomPx = 0;
    this.container.scrollTop = this.view.isIcicle ? 0 : this.container.scrollHeight;
  }

  /** Its place became higher or lower: flames keep what is at the bottom, as icicles keep the top. */
  keepScroll(): void {
    const { container, fromBottomPx } = this;
    this.heightPx = container.clientHeight;
    if (!this.view.isIcicle) container.scrollTop = container.scrollHeight - container.clientHeight - fromBottomPx;
  }

  /** The box at a place of the window; null: there is none. */
  boxBelow({ xPx, yPx }: { readonly xPx: number; readonly yPx: number }): number | null {
    return this.boxAt(document.elementFromPoint(xPx, yPx));
  }

  /** On the screen. */
  rectangleOf(box: number): DOMRect | null {
    return this.frames.get(box)?.element.getBoundingClientRect() ?? null;
  }

  private get placeWidthPx(): number {
    return Math.max(LEAST_WIDTH_PX, this.container.clientWidth);
  }

  private noteScroll(): void {
    const { clientHeight, scrollHeight, scrollTop } = this.container;
    if (clientHeight !== this.heightPx) return; // nobody scrolled: its place became higher
    this.fromBottomPx = scrollHeight - clientHeight - scrollTop;
  }
}
