/**
 * The tooltip at the pointer or at the focused frame.
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

  /** Shows details next to a point of the window. */
  show(details: FrameDetails, point: Point, svgWidthPx: number): void {
    const { widthPx, heightPx } = fillPanel(this.group, details, this.characterPx, svgWidthPx - 2 * MARGIN_PX);
    const { xPx, yPx } = popupPosition(point, widthPx, heightPx, svgWidthPx);
    moveTo(this.group, xPx, scrollY + yPx);
    this.group.setAttribute('visibility', 'visible');
  }

  hide(): void {
    hide(this.group);
  }
}
