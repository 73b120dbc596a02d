/**
 * The panel that follows the pointer, or stands at the frame that has the focus.
 */

import type { Facts } from '../../frames/facts.js';
import { byId, setAttributes, svgElement } from '../../viewer/dom.js';
import { fillPanel } from './panel.js';

const AWAY_PX = 14;
const EDGE_PX = 6;

export class Tooltip {
  private readonly group = svgElement('g', { class: 'panel', visibility: 'hidden' });
  private readonly characterPx: number;

  constructor(characterPx: number) {
    this.characterPx = characterPx;
    byId('head').after(this.group);
  }

  /** Beside a place of the picture, on the side where there is room in the window. */
  show(facts: Facts, xPx: number, yPx: number, pictureWidthPx: number): void {
    const { widthPx, heightPx } = fillPanel(this.group, facts, this.characterPx, pictureWidthPx - 2 * EDGE_PX);
    const right = Math.min(xPx + AWAY_PX, pictureWidthPx - widthPx - EDGE_PX);
    const below = yPx + AWAY_PX;
    const isRoomBelow = below + heightPx + EDGE_PX < window.scrollY + window.innerHeight;
    const y = isRoomBelow ? below : Math.max(window.scrollY + EDGE_PX, yPx - AWAY_PX - heightPx);
    setAttributes(this.group, { transform: `translate(${Math.max(EDGE_PX, right)} ${y})`, visibility: 'visible' });
  }

  hide(): void {
    this.group.setAttribute('visibility', 'hidden');
  }
}
