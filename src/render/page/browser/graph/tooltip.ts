/**
 * What is known of the frame below the pointer, or of the one that has the focus.
 */

import type { Facts } from '../../../frames/facts.js';
import { beside, type Point } from '../../../viewer/beside.js';
import { htmlElement as html } from '../../../viewer/dom.js';

export class Tooltip {
  private readonly box = html('div', { class: 'tooltip', hidden: '', 'aria-hidden': 'true' });

  constructor() {
    document.body.append(this.box);
  }

  /** Beside a point of the window. */
  show(facts: Facts, histogram: SVGSVGElement | null, xPx: number, yPx: number): void {
    this.fill(facts, histogram);
    this.moveTo({ xPx, yPx });
  }

  hide(): void {
    this.box.hidden = true;
  }

  private fill({ title, rows }: Facts, histogram: SVGSVGElement | null): void {
    const lines = rows.map(({ what, value, more }) =>
      html('tr', {}, html('th', {}, what), html('td', {}, value), html('td', { class: 'more' }, more)),
    );
    const table = html('table', {}, ...lines);
    this.box.replaceChildren(html('div', { class: 'name' }, title), table, ...(histogram ? [histogram] : []));
  }

  private moveTo(point: Point): void {
    const { box } = this;
    box.hidden = false;
    const { width, height } = box.getBoundingClientRect();
    const { xPx, yPx } = beside(point, width, height);
    box.style.left = `${xPx}px`;
    box.style.top = `${yPx}px`;
  }
}
