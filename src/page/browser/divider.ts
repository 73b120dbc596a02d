/**
 * A line between two parts of the page that can be moved by pointer or keys.
 */
import { consume, htmlElement as html, setAttributes } from '../../render/viewer/dom.js';
import { isShortcut } from '../../render/viewer/search-field.js';
import { MAX_SHARE, MIN_SHARE } from '../view/state.js';

export interface DividerEvents {
  /** Returns the current share of the resized part, in percent. */
  readonly measure: () => number;
  /** Resizes the part; null: default size. */
  readonly move: (share: number | null) => void;
}

const STEP = 2;
const FAR_STEP = 10;

export class Divider {
  readonly element: HTMLElement;
  private pendingFrame = 0;

  /** `isUpright`: a vertical line that resizes the part right of it; otherwise a horizontal one that resizes the part above. */
  constructor(
    label: string,
    private readonly isUpright: boolean,
    private readonly events: DividerEvents,
  ) {
    this.element = html('div', {
      class: isUpright ? 'divider upright' : 'divider',
      role: 'separator',
      tabindex: 0,
      title: 'drag or use arrow keys; Enter resets',
      'aria-label': label,
      'aria-orientation': isUpright ? 'vertical' : 'horizontal',
      'aria-valuemin': MIN_SHARE,
      'aria-valuemax': MAX_SHARE,
    });
    this.element.addEventListener('pointerdown', (event) => this.drag(event));
    this.element.addEventListener('dblclick', () => events.move(null));
    this.element.addEventListener('keydown', (event) => this.press(event));
  }

  /** Updates the position for screen readers, when the browser lays out the page anyway. */
  show(): void {
    cancelAnimationFrame(this.pendingFrame);
    this.pendingFrame = requestAnimationFrame(() =>
      setAttributes(this.element, { 'aria-valuenow': bounded(this.events.measure()) }),
    );
  }

  private drag(down: PointerEvent): void {
    const { element, isUpright, events } = this;
    const parent = element.parentElement as HTMLElement;
    const widthPx = isUpright ? parent.clientWidth : parent.clientHeight;
    const before = events.measure();
    const to = ({ clientX, clientY }: PointerEvent) => {
      const movedPx = isUpright ? down.clientX - clientX : clientY - down.clientY;
      if (movedPx !== 0) events.move(bounded(before + (100 * movedPx) / widthPx));
    };
    element.setPointerCapture(down.pointerId);
    element.addEventListener('pointermove', to);
    element.addEventListener('lostpointercapture', () => element.removeEventListener('pointermove', to), {
      once: true,
    });
  }

  private press(event: KeyboardEvent): void {
    const now = bounded(this.events.measure());
    const [less, more] = this.isUpright ? ['ArrowRight', 'ArrowLeft'] : ['ArrowUp', 'ArrowDown'];
    const steps: Readonly<Record<string, number | null>> = {
      [less as string]: now - STEP,
      [more as string]: now + STEP,
      PageUp: now - FAR_STEP,
      PageDown: now + FAR_STEP,
      Home: MIN_SHARE,
      End: MAX_SHARE,
      Enter: null,
    };
    const step = steps[event.key];
    if (step === undefined || isShortcut(event)) return;
    this.events.move(step === null ? null : bounded(step));
    consume(event);
  }
}

function bounded(share: number): number {
  return Math.round(Math.min(MAX_SHARE, Math.max(MIN_SHARE, share)));
}
