/**
 * The tooltip of the frame below the pointer or with the focus.
 */

import type { FrameDetails } from '../../../render/frames/frame-details.js';
import { htmlElement as html } from '../../../render/viewer/dom.js';
import { type Point, popupPosition } from '../../../render/viewer/popup-position.js';

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
