/**
 * The panel that follows the pointer, or stands at the frame that has the focus.
 */
import type { FrameDetails } from '../../frames/frame-details.js';
import { byId, hide, moveTo, svgElement } from '../../viewer/dom.js';
import { MARGIN_PX, type Point, popupPosition } from '../../viewer/popup-position.js';
import { fillPanel } from './panel.js';

export class Tooltip {
  private readonly group = svgElement('g', { class: 'panel', visibility: 'hidden' });
  private readonly characterPx: number;

  constructor(characterPx: number) {
    this.characterPx = characterPx;
    byId('head').after(this.group);
  }

  /** Beside a point of the window. */
  show(facts: FrameDetails, point: Point, pictureWidthPx: number): void {
    const { widthPx, heightPx } = fillPanel(this.group, facts, this.characterPx, pictureWidthPx - 2 * MARGIN_PX);
    const { xPx, yPx } = popupPosition(point, widthPx, heightPx, pictureWidthPx);
    moveTo(this.group, xPx, scrollY + yPx);
    this.group.setAttribute('visibility', 'visible');
  }

  hide(): void {
    hide(this.group);
  }
}
