/**
 * The tooltip of the frame below the pointer or with the focus.
 */

import type { FrameDetails } from '../frames/frame-details.js';
import { htmlElement as html } from './dom.js';

export class Tooltip {
  private readonly box = html('div', { class: 'tooltip', hidden: '', 'aria-hidden': 'true' });

  constructor() {
    document.body.append(this.box);
  }

  /** Shows details next to a point of the window. */
  show(details: FrameDetails, xPx: number, yPx: number, histogram: SVGSVGElement | null = null): void {
    this.fill(details, histogram);
    this.moveTo({ xPx, yPx });
  }

  hide(): void {
    this.box.hidden = true;
  }

  private fill({ title, rows }: FrameDetails, histogram: SVGSVGElement | null): void {
    const lines = rows.map(({ label, value, note }) =>
      html('tr', {}, html('th', {}, label), html('td', {}, value), html('td', { class: 'more' }, note)),
    );
    const table = html('table', {}, ...lines);
    this.box.replaceChildren(html('div', { class: 'name' }, title), table, ...(histogram ? [histogram] : []));
  }

  private moveTo(point: Point): void {
    const { box } = this;
    box.hidden = false;
    const { width, height } = box.getBoundingClientRect();
    const { xPx, yPx } = popupPosition(point, width, height);
    box.style.left = `${xPx}px`;
    box.style.top = `${yPx}px`;
  }
}

const OFFSET_PX = 14;
/** Positions a popup next to a point of the window, within the window. */
export const MARGIN_PX = 6;

interface Point {
  readonly xPx: number;
  readonly yPx: number;
}

export function popupPosition({ xPx, yPx }: Point, widthPx: number, heightPx: number, availablePx = innerWidth): Point {
  const belowPx = yPx + OFFSET_PX;
  const fitsBelow = belowPx + heightPx + MARGIN_PX < innerHeight;
  return {
    xPx: Math.max(MARGIN_PX, Math.min(xPx + OFFSET_PX, availablePx - widthPx - MARGIN_PX)),
    yPx: fitsBelow ? belowPx : Math.max(MARGIN_PX, yPx - OFFSET_PX - heightPx),
  };
}
