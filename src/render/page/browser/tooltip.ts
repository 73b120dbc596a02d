/**
 * What is known of the frame below the pointer, or of the one that has the focus.
 */
import { htmlElement as html } from '../../browser/dom.js';
import type { Facts } from '../../frames/facts.js';
import type { Bar } from '../view/histogram.js';
import { histogramPicture } from './histogram.js';

const BESIDE_PX = 14;
const BORDER_PX = 6;

export class Tooltip {
  private readonly box = html('div', { class: 'tooltip', hidden: '', 'aria-hidden': 'true' });

  constructor() {
    document.body.append(this.box);
  }

  /** Beside a point of the window. */
  show(facts: Facts, bars: readonly Bar[] | null, xPx: number, yPx: number): void {
    this.fill(facts, bars);
    this.moveTo(xPx, yPx);
  }

  hide(): void {
    this.box.hidden = true;
  }

  private fill({ title, rows }: Facts, bars: readonly Bar[] | null): void {
    const lines = rows.map(({ what, value, more }) =>
      html('tr', {}, html('th', {}, what), html('td', {}, value), html('td', { class: 'more' }, more)),
    );
    const table = html('table', {}, ...lines);
    const histogram = bars === null || bars.length < 2 ? [] : [histogramPicture(bars, 220, 28)];
    this.box.replaceChildren(html('div', { class: 'name' }, title), table, ...histogram);
  }

  /** Not beyond the borders of the window. */
  private moveTo(xPx: number, yPx: number): void {
    const { box } = this;
    box.hidden = false;
    const { width, height } = box.getBoundingClientRect();
    const left = Math.min(xPx + BESIDE_PX, innerWidth - width - BORDER_PX);
    const below = yPx + BESIDE_PX;
    const top = below + height + BORDER_PX < innerHeight ? below : Math.max(BORDER_PX, yPx - BESIDE_PX - height);
    box.style.left = `${Math.max(BORDER_PX, left)}px`;
    box.style.top = `${top}px`;
  }
}
