/**
 * The panel that follows the pointer, or stands at the frame that has the focus.
 */
import type { Facts } from '../../frames/facts.js';
import { BORDER_PX, beside, type Point } from '../../viewer/beside.js';
import { byId, hide, moveTo, svgElement } from '../../viewer/dom.js';
import { fillPanel } from './panel.js';

export class Tooltip {
  private readonly group = svgElement('g', { class: 'panel', visibility: 'hidden' });
  private readonly characterPx: number;

  constructor(characterPx: number) {
    this.characterPx = characterPx;
    byId('head').after(this.group);
  }

  /** Beside a point of the window. */
  show(facts: Facts, point: Point, pictureWidthPx: number): void {
    const { widthPx, heightPx } = fillPanel(this.group, facts, this.characterPx, pictureWidthPx - 2 * BORDER_PX);
    const { xPx, yPx } = beside(point, widthPx, heightPx, pictureWidthPx);
    moveTo(this.group, xPx, scrollY + yPx);
    this.group.setAttribute('visibility', 'visible');
  }

  hide(): void {
    hide(this.group);
  }
}
