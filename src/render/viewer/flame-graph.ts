/**
 * A flame graph in a document: lays out what is visible, has it drawn, maps elements to boxes, and listens for pointer and
 * focus events on them, with one listener for all.
 */
import {
  type Drawing,
  FRAME_PX,
  type Highlight,
  px,
  type Rectangle,
  rectangles,
  TEXTURE_NAMES,
  texturePath,
} from '../frames/drawing.js';
import type { FrameTable } from '../frames/frame-table.js';
import { type Boxes, type LayoutView, layout } from '../layout.js';
import { consume, hide, setAttributes, svgElement } from './dom.js';

export interface ChartEvents {
  readonly hover: (box: number, event: PointerEvent) => void;
  /** The pointer left all boxes. */
  readonly leave: () => void;
  /** The tooltip is no longer next to its box. */
  readonly hide: () => void;
  readonly activate: (box: number) => void;
  /** A box received the keyboard focus. */
  readonly focused: (box: number, element: Element) => void;
}

/** `container`: source of pointer events. `focusTarget`: source of focus events. */
export function listen(
  chart: FlameGraph,
  container: GlobalEventHandlers,
  events: ChartEvents,
  focusTarget: GlobalEventHandlers = container,
): void {
  container.addEventListener('pointermove', (event) => {
    const box = chart.boxAt(event.target);
    if (box === null) events.leave();
    else events.hover(box, event);
  });
  container.addEventListener('pointerleave', events.leave);
  // captured before d3-flame-graph's own listener, which would zoom in the visible frames, the only ones it has
  container.addEventListener('click', (event) => consumeBoxEvent(chart, event, events.activate), { capture: true });
  focusTarget.addEventListener('focusin', ({ target }) => {
    const box = chart.boxAt(target);
    if (box === null) return;
    chart.focusedBox = box;
    events.focused(box, target as Element);
  });
  focusTarget.addEventListener('focusout', events.hide);
}

/** Handles an event on a box and stops its propagation. */
export function consumeBoxEvent(chart: FlameGraph, event: Event, act: (box: number) => void): void {
  const box = chart.boxAt(event.target);
  if (box === null) return;
  consume(event);
  act(box);
}

export interface FlameView extends LayoutView, Pick<Drawing, 'isIcicle' | 'classOf' | 'wording'> {
  readonly table: FrameTable;
  /** Minimum number of rows. */
  readonly minRows?: number;
  /** null: no box is marked. */
  readonly isMarked: ((boxes: Boxes, box: number) => boolean) | null;
  /** Dims boxes that are not marked. */
  readonly dimsOthers?: boolean;
}

interface Frame {
  readonly rectangle: Rectangle;
  readonly element: SVGElement;
}

export class FlameGraph {
  drawing!: Drawing; // set by the first draw, as are boxes and view
  boxes!: Boxes;
  /** The box that has the keyboard focus, or would get it. */
  focusedBox = 0;
  protected view!: FlameView;
  protected readonly frames = new Map<number, Frame>();
  private readonly boxOf = new Map<EventTarget | null, number>();
  private tabStop?: Element | undefined;

  /** `describe`: the text of a box for screen readers. */
  constructor(
    private readonly layer: FrameLayer,
    private readonly characterPx: number,
    private readonly describe: (box: number) => string,
  ) {}

  draw(view: FlameView): void {
    const { layer, characterPx, frames, boxOf } = this;
    const boxes = layout(view.table, view);
    const rowCount = Math.max(boxes.rowCount, view.minRows ?? 0);
    const drawing = { ...view, boxes, characterPx, rowCount };
    const drawn = [...rectangles(drawing)];
    this.drawing = drawing;
    this.boxes = boxes;
    frames.clear();
    boxOf.clear();
    layer.draw(drawing, drawn, view.widthPx).forEach((element, at) => {
      const rectangle = drawn[at] as Rectangle;
      frames.set(rectangle.box, { rectangle, element });
      boxOf.set(element, rectangle.box);
    });
    showTextures(layer.textures, drawn);
    this.highlight(view);
  }

  /** Updates the highlights only: the boxes stay as drawn. */
  highlight(view: FlameView): void {
    this.view = view;
    for (const [box, { element, rectangle }] of this.frames)
      this.layer.setHighlight(element, rectangle, this.highlightOf(box));
    this.unmark();
  }

  highlightOf(box: number): Highlight {
    const { isMarked: marker, dimsOthers = false } = this.view;
    const isMarked = marker?.(this.boxes, box) ?? false;
    return {
      isCaller: box < this.boxes.viewStart,
      isMarked,
      isChosen: isMarked && !dimsOthers,
      isDimmed: !isMarked && dimsOthers,
    };
  }

  get hasFocus(): boolean {
    return this.boxOf.has(document.activeElement);
  }

  /** Returns the box of an event target; null: no box. */
  boxAt(target: EventTarget | null): number | null {
    for (let node = target as Node | null; node; node = node.parentNode) {
      const box = this.boxOf.get(node);
      if (box !== undefined) return box;
    }
    return null;
  }

  /** Outlines a box. */
  markBox(box: number, className = 'mark'): void {
    const frame = this.frames.get(box);
    if (frame === undefined) return this.unmark();
    const { xPx, yPx, widthPx } = frame.rectangle;
    setAttributes(this.layer.mark, {
      class: className,
      x: px(xPx),
      y: yPx,
      width: px(Math.max(1, widthPx)),
      height: FRAME_PX,
      visibility: 'visible',
    });
  }

  unmark(): void {
    hide(this.layer.mark);
  }

  /** Makes a box the only one that Tab reaches. */
  setTabStop(box: number): void {
    for (const name of ['tabindex', 'role', 'aria-label']) this.tabStop?.removeAttribute(name);
    this.focusedBox = this.frames.has(box) ? box : this.boxes.viewStart;
    this.tabStop = this.frames.get(this.focusedBox)?.element;
    if (this.tabStop)
      setAttributes(this.tabStop, { tabindex: 0, role: 'img', 'aria-label': this.describe(this.focusedBox) });
  }

  /** Focuses a box and scrolls it into view. */
  focus(box: number): void {
    this.setTabStop(box);
    this.frames.get(box)?.element.focus({ preventScroll: true });
    this.reveal(box);
  }

  reveal(box: number): void {
    const frame = this.frames.get(box);
    if (frame) this.layer.scrollIntoView(frame.element, frame.rectangle);
  }

  /** Moves the focus in the direction of an arrow key; returns false for any other key. */
  moveFocus(key: string): boolean {
    const { boxes, focusedBox, view } = this;
    const [up, down] = view.isIcicle ? [callerOf, calleeOf] : [calleeOf, callerOf];
    const steps: Readonly<Record<string, () => number>> = {
      ArrowUp: () => up(boxes, focusedBox),
      ArrowDown: () => down(boxes, focusedBox),
      ArrowLeft: () => nextInRow(boxes, focusedBox, -1),
      ArrowRight: () => nextInRow(boxes, focusedBox, 1),
    };
    const step = steps[key];
    if (step) this.focus(step());
    return step !== undefined;
  }
}

/**
 * Finds the box that an arrow key leads to.
 *
 * Returns the widest callee; the box itself if it has none.
 */
function calleeOf(boxes: Boxes, box: number): number {
  const end = boxes.xPx[box] + boxes.widthPx[box];
  let widest = box;
  for (let other = box + 1; other < boxes.length && boxes.row[other] <= boxes.row[box] + 1; other++) {
    if (boxes.row[other] === boxes.row[box] || boxes.xPx[other] < boxes.xPx[box] || boxes.xPx[other] >= end) continue;
    if (boxes.widthPx[other] > (widest === box ? 0 : boxes.widthPx[widest])) widest = other;
  }
  return widest;
}

/** Returns the caller; the box itself if it has none. */
function callerOf(boxes: Boxes, box: number): number {
  for (let other = box - 1; other >= 0; other--)
    if (boxes.row[other] < boxes.row[box] && boxes.xPx[other] <= boxes.xPx[box]) return other;
  return box;
}

/** Returns the next box in the row, to the left (-1) or right (1); the box itself if it is the last. */
function nextInRow(boxes: Boxes, box: number, step: -1 | 1): number {
  for (let other = box + step; boxes.row[other] === boxes.row[box]; other += step)
    if (boxes.widthPx[other] > 0) return other;
  return box;
}

/**
 * Defines the layer that puts frames into the document: d3-flame-graph in the page (`d3-chart/`), rectangles in the SVG.
 */
export interface FrameLayer {
  /** Has the textures of frames, below their labels. */
  readonly textures: Element;
  /** Outline of the marked box. */
  readonly mark: Element;
  /** Replaces all frames. Returns their elements in the order of the rectangles. */
  draw(drawing: Drawing, rectangles: readonly Rectangle[], widthPx: number): SVGElement[];
  setHighlight(element: SVGElement, rectangle: Rectangle, look: Highlight): void;
  scrollIntoView(element: SVGElement, rectangle: Rectangle): void;
}

/** Draws the textures of frames, one path for each that occurs. */
function showTextures(layer: Element, drawn: readonly Rectangle[]): void {
  const paths = TEXTURE_NAMES.flatMap((name) => {
    const d = texturePath(drawn, name);
    return d === '' ? [] : [svgElement('path', { fill: `url(#${name})`, d })];
  });
  layer.replaceChildren(...paths);
}
