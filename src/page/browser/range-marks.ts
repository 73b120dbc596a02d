/**
 * The range on the time axis: dragged by pointer, its two ends are also sliders for keys.
 */

import type { Timeline } from '../../model/profile/timeline.js';
import type { Bounds } from '../../model/units.js';
import { consume, htmlElement as html, setAttributes } from '../../render/viewer/dom.js';
import { isShortcut } from '../../render/viewer/search-field.js';
import { momentText } from '../view/captions/time.js';
import { borderAway, snappedRange } from '../view/range.js';

export interface RangeEvents {
  /** `isSameStep`: it goes on with the change before. */
  readonly change: (range: Bounds | null, isSameStep: boolean) => void;
  /** A range while it is dragged. */
  readonly preview: (range: Bounds) => void;
}

const FAR_STEPS = 10;
/** Less is a click. */
const MIN_DRAG_PX = 3;

export class RangeMarks {
  readonly element: HTMLElement;
  private readonly before = html('div', { class: 'outside-range' });
  private readonly after = html('div', { class: 'outside-range' });
  private readonly ends: readonly HTMLElement[];
  private window!: Bounds; // set by the first draw
  private range: Bounds | null = null;

  constructor(
    private readonly timeline: Timeline,
    private readonly events: RangeEvents,
  ) {
    this.ends = [this.newEnd('Start of the range', 0), this.newEnd('End of the range', 1)];
    this.element = html('div', { class: 'range' }, this.before, this.after, ...this.ends);
    for (const end of this.ends) end.hidden = timeline.sumsSliceNs === null;
  }

  /** `window`: what the axis shows. `range`: null: all. */
  show(window: Bounds, range: Bounds | null): void {
    this.window = window;
    this.range = range;
    this.place(range ?? this.all);
  }

  /** Follows a pointer that was pressed anywhere on the axis: a new range, or null for a click. */
  drag(down: PointerEvent, done: (isClick: boolean) => void): void {
    const fromNs = this.nsAt(down.clientX);
    this.follow(down, (xPx) => ordered(fromNs, this.nsAt(xPx)), done);
  }

  private get all(): Bounds {
    return { startNs: 0, endNs: this.timeline.durationNs };
  }

  nsAt(xPx: number): number {
    const { left, width } = this.element.getBoundingClientRect();
    const { startNs, endNs } = this.window;
    const part = Math.min(1, Math.max(0, (xPx - left) / Math.max(1, width)));
    return startNs + part * (endNs - startNs);
  }

  private follow(down: PointerEvent, rangeAt: (xPx: number) => Bounds, done: (isClick: boolean) => void): void {
    const target = down.currentTarget as HTMLElement;
    const snapped = (xPx: number) => snappedRange(this.timeline, rangeAt(xPx));
    let isClick = true;
    const move = ({ clientX }: PointerEvent) => {
      isClick &&= Math.abs(clientX - down.clientX) < MIN_DRAG_PX;
      if (isClick) return;
      const range = snapped(clientX) ?? this.all;
      this.place(range);
      this.events.preview(range);
    };
    const stop = (event: Event) => {
      for (const name of ['pointermove', 'pointerup', 'pointercancel']) target.removeEventListener(name, listen);
      document.removeEventListener('keydown', cancel, true);
      if (event.type === 'pointerup' && !isClick) this.events.change(snapped((event as PointerEvent).clientX), false);
      else this.place(this.range ?? this.all);
      done(isClick && event.type === 'pointerup');
    };
    const listen = (event: Event) => (event.type === 'pointermove' ? move(event as PointerEvent) : stop(event));
    const cancel = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return;
      event.stopPropagation();
      stop(event);
    };
    target.setPointerCapture(down.pointerId);
    for (const name of ['pointermove', 'pointerup', 'pointercancel']) target.addEventListener(name, listen);
    document.addEventListener('keydown', cancel, true);
  }

  private newEnd(label: string, side: 0 | 1): HTMLElement {
    const end = html('div', {
      class: `range-end ${side === 0 ? 'start' : 'end'}`,
      role: 'slider',
      tabindex: 0,
      title: 'drag or use arrow keys, with Shift in larger steps',
      'aria-label': label,
      'aria-valuemin': 0,
      'aria-valuemax': this.timeline.durationNs,
    });
    end.addEventListener('pointerdown', (down) => {
      if (down.button !== 0) return;
      down.stopPropagation();
      const { startNs, endNs } = this.range ?? this.all;
      const otherNs = side === 0 ? endNs : startNs;
      this.follow(
        down,
        (xPx) => ordered(otherNs, this.nsAt(xPx)),
        () => {},
      );
    });
    end.addEventListener('keydown', (event) => this.press(event, side));
    return end;
  }

  private press(event: KeyboardEvent, side: 0 | 1): void {
    if (isShortcut(event)) return;
    const { startNs, endNs } = this.range ?? this.all;
    const ns = side === 0 ? startNs : endNs;
    const movedNs = this.movedBy(event, ns);
    if (movedNs === null) return;
    consume(event);
    const stepNs = Math.max(1, this.timeline.sumsSliceNs ?? 1);
    const range =
      side === 0
        ? { startNs: Math.min(movedNs, borderAway(this.timeline, endNs, -1)), endNs }
        : { startNs, endNs: Math.max(movedNs, Math.min(this.timeline.durationNs, startNs + stepNs)) };
    this.events.change(snappedRange(this.timeline, range), this.range !== null);
  }

  /** Returns where a key moves an end; null: nowhere. A step is a slice, or a pixel if that is more. */
  private movedBy({ key, shiftKey }: KeyboardEvent, ns: number): number | null {
    const { timeline, window } = this;
    const pixelNs = (window.endNs - window.startNs) / Math.max(1, this.element.clientWidth);
    const slices = Math.max(1, Math.ceil(pixelNs / Math.max(1, timeline.sumsSliceNs ?? 1)));
    const steps = (shiftKey ? FAR_STEPS : 1) * slices;
    const keys: Readonly<Record<string, number>> = {
      ArrowLeft: -steps,
      ArrowDown: -steps,
      ArrowRight: steps,
      ArrowUp: steps,
      PageDown: -FAR_STEPS * slices,
      PageUp: FAR_STEPS * slices,
      Home: Number.NEGATIVE_INFINITY,
      End: Number.POSITIVE_INFINITY,
    };
    return Object.hasOwn(keys, key) ? borderAway(timeline, ns, keys[key] as number) : null;
  }

  private place(range: Bounds): void {
    const { startNs, endNs } = this.window;
    const percent = (ns: number) => Math.min(100, Math.max(0, (100 * (ns - startNs)) / (endNs - startNs)));
    this.before.style.cssText = `left:0;width:${percent(range.startNs)}%`;
    this.after.style.cssText = `right:0;width:${100 - percent(range.endNs)}%`;
    this.ends.forEach((end, side) => {
      const ns = side === 0 ? range.startNs : range.endNs;
      end.style.left = `${percent(ns)}%`;
      end.classList.toggle('beyond', ns < startNs || ns > endNs);
      setAttributes(end, { 'aria-valuenow': ns, 'aria-valuetext': momentText(ns, (endNs - startNs) / 1000, endNs) });
    });
  }
}

function ordered(a: number, b: number): Bounds {
  return { startNs: Math.min(a, b), endNs: Math.max(a, b) };
}
