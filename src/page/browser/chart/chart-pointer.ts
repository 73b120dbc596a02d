/**
 * Turns pointer and wheel into gestures on a stack chart: drag to move, two fingers or the wheel to zoom, Shift and drag to
 * select a range.
 */
export interface ChartGestures {
  readonly move: (dxPx: number, dyPx: number) => void;
  /** Shows `factor` times as much time; the moment at `xPx` stays. */
  readonly zoom: (factor: number, xPx: number) => void;
  /** `isDone`: the range is final; an empty one is none. */
  readonly select: (fromPx: number, toPx: number, isDone: boolean) => void;
  readonly click: (event: PointerEvent) => void;
  readonly hover: (event: PointerEvent) => void;
  readonly leave: () => void;
}

/** Less is a click. */
const MIN_DRAG_PX = 3;
const ZOOM_PER_PX = 1.002;
const LINE_PX = 16;

/** `selects`: each drag selects a range. */
export function listenToChart(element: HTMLElement, gestures: ChartGestures, selects = false): void {
  new ChartPointers(element, gestures, selects).listen();
}

class ChartPointers {
  /** Pressed pointers, where they were last. */
  private readonly pressed = new Map<number, { xPx: number; yPx: number }>();
  private downPx = { xPx: 0, yPx: 0 };
  private isClick = false;
  private isSelection = false;
  private readonly element: HTMLElement;
  private readonly gestures: ChartGestures;
  private readonly selects: boolean;

  constructor(element: HTMLElement, gestures: ChartGestures, selects: boolean) {
    this.element = element;
    this.gestures = gestures;
    this.selects = selects;
  }

  listen(): void {
    const { element, gestures } = this;
    element.addEventListener('pointerdown', (event) => this.down(event));
    element.addEventListener('pointermove', (event) => this.moved(event));
    element.addEventListener('pointerup', (event) => this.up(event, true));
    element.addEventListener('pointercancel', (event) => this.up(event, false));
    element.addEventListener('pointerleave', gestures.leave);
    element.addEventListener('wheel', (event) => this.wheel(event), { passive: false });
  }

  private down(event: PointerEvent): void {
    if (event.button !== 0) return;
    const at = this.positionOf(event);
    this.pressed.set(event.pointerId, at);
    this.isClick = this.pressed.size === 1;
    this.isSelection = this.selects || event.shiftKey;
    this.downPx = at;
    this.element.setPointerCapture(event.pointerId);
  }

  private moved(event: PointerEvent): void {
    const before = this.pressed.get(event.pointerId);
    if (before === undefined) return this.gestures.hover(event);
    const at = this.positionOf(event);
    if (this.isClick && Math.hypot(at.xPx - this.downPx.xPx, at.yPx - this.downPx.yPx) < MIN_DRAG_PX) return;
    this.isClick = false;
    const distancePx = this.distancePx;
    this.pressed.set(event.pointerId, at);
    if (this.pressed.size > 1) this.gestures.zoom(distancePx / Math.max(1, this.distancePx), this.middlePx);
    else if (this.isSelection) this.gestures.select(this.downPx.xPx, at.xPx, false);
    else this.gestures.move(at.xPx - before.xPx, at.yPx - before.yPx);
  }

  private up(event: PointerEvent, isDone: boolean): void {
    if (!this.pressed.delete(event.pointerId)) return;
    const { xPx } = this.positionOf(event);
    if (this.isClick) {
      if (isDone) this.gestures.click(event);
    } else if (this.isSelection) this.gestures.select(this.downPx.xPx, isDone ? xPx : this.downPx.xPx, true);
    this.isClick = false;
  }

  /** Of the two first pointers. */
  private get distancePx(): number {
    const [a, b] = [...this.pressed.values()];
    return a === undefined || b === undefined ? 0 : Math.max(1, Math.abs(a.xPx - b.xPx));
  }

  private get middlePx(): number {
    const [a, b] = [...this.pressed.values()];
    return a === undefined || b === undefined ? 0 : (a.xPx + b.xPx) / 2;
  }

  private wheel(event: WheelEvent): void {
    event.preventDefault();
    const unitPx = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? LINE_PX : 1;
    const [dxPx, dyPx] = [event.deltaX * unitPx, event.deltaY * unitPx];
    if (event.shiftKey || Math.abs(dxPx) > Math.abs(dyPx)) this.gestures.move(-(dxPx || dyPx), 0);
    else this.gestures.zoom(ZOOM_PER_PX ** dyPx, this.positionOf(event).xPx);
  }

  private positionOf({ clientX, clientY }: MouseEvent): { xPx: number; yPx: number } {
    const { left, top } = this.element.getBoundingClientRect();
    return { xPx: clientX - left, yPx: clientY - top };
  }
}
