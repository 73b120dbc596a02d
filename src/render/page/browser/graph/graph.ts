/**
 * A flame graph in the page: d3-flame-graph draws as many frames as can be seen, and never hears of the others.
 */
import flamegraph, { type FlameGraph } from 'd3-flame-graph';
import { type Boxes, layout } from '../../../../layout/layout.js';
import type { NodeId } from '../../../../model/units.js';
import { type ChartNode, chartOf } from '../../../d3-chart/chart-tree.js';
import { select } from '../../../d3-chart/selection.js';
import { drawnWidthPx, FRAME_PX, hatchPath, px, ROW_PX, topPx } from '../../../frames/drawing.js';
import type { FrameTable } from '../../../frames/frame-table.js';
import { besideOf, calleeOf, callerOf } from '../../../frames/neighbours.js';
import { setAttributes, svgElement } from '../../../viewer/dom.js';
import { boxAt, type FrameElement, type GraphEvents, listen } from '../../../viewer/listen.js';
import type { Painter } from '../../view/colouring.js';

/** Narrower frames are drawn together with their neighbours. */
const LEAST_PX = 1;
const LEAST_WIDTH_PX = 200;

export interface GraphView {
  readonly table: FrameTable;
  /** The run of siblings that fills the width. */
  readonly first: NodeId;
  readonly last: NodeId;
  readonly isIcicle: boolean;
  /** So many callers below the run; none: the run stands alone. */
  readonly mostCallers?: number;
  readonly painter: Painter;
  /** null: nothing is marked. */
  readonly isMarked: ((boxes: Boxes, box: number) => boolean) | null;
  /** What is not marked steps back. */
  readonly dimsOthers?: boolean;
}

export class Graph {
  boxes!: Boxes;
  /** Of what is drawn. */
  widthPx = 0;
  /** The one that arrows start from. */
  focusedBox = 0;
  readonly place: HTMLElement;
  private readonly chart: FlameGraph<ChartNode> = flamegraph<ChartNode>();
  private readonly characterPx: number;
  private readonly elements = new Map<number, FrameElement>();
  private readonly hatching = svgElement('path', { class: 'hatching', fill: 'url(#hatch)' });
  private readonly mark = svgElement('rect', { class: 'mark', rx: 2, height: FRAME_PX, visibility: 'hidden' });
  private readonly describe: (box: number) => string;
  private view!: GraphView;
  /** The one that Tab reaches: d3 may use it again for another frame. */
  private offered: FrameElement | null = null;
  private isDrawn = false;
  /** The one that is marked when no other is. */
  private restingBox: number | null = null;
  /** How far it was scrolled from the bottom, when its place was so high. */
  private fromBottomPx = 0;
  private heightPx = 0;

  /** `describe`: a box, as it is read aloud. */
  constructor(place: HTMLElement, characterPx: number, events: GraphEvents, describe: (box: number) => string) {
    this.place = place;
    this.characterPx = characterPx;
    this.describe = describe;
    this.chart
      .cellHeight(ROW_PX)
      .transitionDuration(0)
      .getName(({ data }) => data.label)
      .setColorMapper(({ data }) => `var(--${data.paint})`)
      .tooltip(Object.assign(() => {}, { show: () => {}, hide: () => {} }));
    listen(place, {
      ...events,
      focused: (box, element) => {
        this.focusedBox = box;
        events.focused(box, element);
      },
    });
    place.addEventListener('scroll', () => this.noteScroll());
  }

  /** Frames that would be drawn as they are stay, and only their marks change. */
  draw(view: GraphView): void {
    const widthPx = Math.max(LEAST_WIDTH_PX, this.place.clientWidth);
    const isSame = this.isDrawn && widthPx === this.widthPx && isDrawnAlike(view, this.view);
    this.view = view;
    this.widthPx = widthPx;
    if (!isSame) this.drawFrames();
    for (const [box, element] of this.elements) setChanged(element, 'class', this.classesOf(box, element));
    this.rest(null);
  }

  /** Gives a box the focus of the keyboard, and brings it into sight. */
  focus(box: number): void {
    this.offer(box);
    const element = this.elements.get(box);
    element?.focus({ preventScroll: true });
    element?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }

  /** Brings a box into sight, and lets Tab reach it. */
  show(box: number): void {
    this.offer(box);
    this.elements.get(box)?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }

  /** Marks a box as long as no other one is; null: none. */
  rest(box: number | null): void {
    this.restingBox = box;
    this.unmark();
  }

  /** Its place is as wide as when it was drawn. */
  get fits(): boolean {
    return this.widthPx === Math.max(LEAST_WIDTH_PX, this.place.clientWidth);
  }

  get hasFocus(): boolean {
    return this.place.contains(document.activeElement);
  }

  /** Lets Tab reach this box, and no other. */
  offer(box: number): void {
    for (const name of ['tabindex', 'role', 'aria-label']) this.offered?.removeAttribute(name);
    this.focusedBox = this.elements.has(box) ? box : this.boxes.firstOfRun;
    const element = this.elements.get(this.focusedBox) ?? null;
    this.offered = element;
    if (element) setAttributes(element, { tabindex: 0, role: 'img', 'aria-label': this.describe(this.focusedBox) });
  }

  /** From box to box, as the arrows go; false for any other key. */
  step(key: string): boolean {
    const { boxes, focusedBox } = this;
    const [up, down] = this.view.isIcicle ? [callerOf, calleeOf] : [calleeOf, callerOf];
    const steps: Readonly<Record<string, () => number>> = {
      ArrowUp: () => up(boxes, focusedBox),
      ArrowDown: () => down(boxes, focusedBox),
      ArrowLeft: () => besideOf(boxes, focusedBox, -1),
      ArrowRight: () => besideOf(boxes, focusedBox, 1),
    };
    const step = steps[key];
    if (step) this.focus(step());
    return step !== undefined;
  }

  markBox(box: number): void {
    const { boxes } = this;
    setAttributes(this.mark, {
      class: box === this.restingBox ? 'mark resting' : 'mark',
      x: px(boxes.xPx[box] as number),
      y: this.topOf(box),
      width: px(Math.max(1, drawnWidthPx(boxes.widthPx[box] as number))),
      visibility: 'visible',
    });
  }

  unmark(): void {
    if (this.restingBox === null) this.mark.setAttribute('visibility', 'hidden');
    else this.markBox(this.restingBox);
  }

  /** What fills the width, with as many of its callers and callees as fit. */
  showRun(): void {
    this.fromBottomPx = 0;
    this.place.scrollTop = this.view.isIcicle ? 0 : this.place.scrollHeight;
  }

  /** Its place became higher or lower: flames keep what is at the bottom, as icicles keep the top. */
  keepInSight(): void {
    const { place, fromBottomPx } = this;
    this.heightPx = place.clientHeight;
    if (!this.view.isIcicle) place.scrollTop = place.scrollHeight - place.clientHeight - fromBottomPx;
  }

  /** The box at a place of the window; null: there is none. */
  boxBelow({ xPx, yPx }: { readonly xPx: number; readonly yPx: number }): number | null {
    const element = document.elementFromPoint(xPx, yPx);
    return this.place.contains(element) ? boxAt(element) : null;
  }

  /** On the screen. */
  rectangleOf(box: number): DOMRect | null {
    return this.elements.get(box)?.getBoundingClientRect() ?? null;
  }

  private noteScroll(): void {
    const { clientHeight, scrollHeight, scrollTop } = this.place;
    if (clientHeight !== this.heightPx) return; // nobody scrolled: its place became higher
    this.fromBottomPx = scrollHeight - clientHeight - scrollTop;
  }

  private topOf(box: number): number {
    const { boxes, view } = this;
    return topPx({ isIcicle: view.isIcicle, rowCount: boxes.rowCount }, boxes.row[box] as number);
  }

  private drawFrames(): void {
    const { widthPx } = this;
    const { table, first, last, painter, isIcicle, mostCallers } = this.view;
    this.boxes = layout(table, {
      first,
      last,
      widthPx,
      minPx: LEAST_PX,
      ...(mostCallers !== undefined && { mostCallers }),
    });
    const root = chartOf({ table, boxes: this.boxes, painter, characterPx: this.characterPx });
    this.chart
      .width(widthPx)
      .height(this.boxes.rowCount * ROW_PX)
      .inverted(isIcicle);
    if (this.isDrawn) this.chart.update(root);
    else this.chart(select(this.place).datum(root));
    this.finish();
    this.isDrawn = true;
  }

  /** What d3-flame-graph leaves to be done: gaps, hatching. */
  private finish(): void {
    const { widthPx } = this;
    const svg = this.place.querySelector('svg') as SVGSVGElement;
    if (!this.isDrawn) this.prepare(svg);
    const heightPx = this.boxes.rowCount * ROW_PX;
    setAttributes(svg, { height: heightPx, width: widthPx, viewBox: `0 0 ${widthPx} ${heightPx}` }); // fits on paper, too
    this.elements.clear();
    let hatched = '';
    for (const element of svg.querySelectorAll<FrameElement>('g')) hatched += this.finishFrame(element);
    this.hatching.setAttribute('d', hatched);
    svg.append(this.hatching, this.mark);
  }

  private prepare(svg: SVGSVGElement): void {
    svg.querySelector('text.title')?.remove();
    svg.setAttribute('role', 'presentation'); // its place has the label
  }

  /** Returns what of it is hatched. */
  private finishFrame(element: FrameElement): string {
    const { box, isHatched } = element.__data__.data;
    const { boxes } = this;
    const widthPx = drawnWidthPx(boxes.widthPx[box] as number);
    setChanged(element.firstElementChild as Element, 'width', px(widthPx));
    this.elements.set(box, element);
    if (!isHatched) return '';
    return hatchPath({ xPx: boxes.xPx[box] as number, yPx: this.topOf(box), widthPx, heightPx: FRAME_PX });
  }

  private classesOf(box: number, element: FrameElement): string {
    const { boxes, view } = this;
    const isMarked = view.isMarked?.(boxes, box);
    const classes = ['frame'];
    if (element.__data__.data.isCaller) classes.push('caller');
    if (isMarked) classes.push('match');
    if (isMarked === false && view.dimsOthers) classes.push('other');
    return classes.join(' ');
  }
}

/** But for marks. */
function isDrawnAlike(a: GraphView, b: GraphView): boolean {
  return (['table', 'first', 'last', 'isIcicle', 'mostCallers', 'painter'] as const).every(
    (part) => a[part] === b[part],
  );
}

function setChanged(element: Element, name: string, value: string): void {
  if (element.getAttribute(name) !== value) element.setAttribute(name, value);
}
