/**
 * Search and buttons. They are made by the script, so a picture without it has none.
 */

import { byId, htmlElement, setAttributes, svgElement } from '../../browser/dom.js';
import { HEAD, NARROW_PX } from '../head-shape.js';

export interface ToolbarActions {
  readonly search: (text: string) => void;
  readonly reset: () => void;
  readonly help: () => void;
  /** From the search field back to the frames. */
  readonly leave: () => void;
}

export class Toolbar {
  private readonly input = htmlElement('input', {
    type: 'search',
    placeholder: 'Search: text or /regex/  ( / )',
    'aria-label': 'search frames',
  });
  private readonly output = htmlElement('output', { 'aria-live': 'polite' });
  private readonly resetButton = htmlElement('button', { type: 'button', title: 'zoom out to all (r)' }, 'Reset zoom');
  private readonly place = svgElement('foreignObject', { id: 'bar', height: 34 });

  constructor(actions: ToolbarActions) {
    const help = htmlElement('button', { type: 'button', title: 'keys (?)', 'aria-label': 'keys' }, '?');
    this.place.append(htmlElement('div', { class: 'bar' }, this.output, this.input, this.resetButton, help));
    byId('head').append(this.place);
    this.input.addEventListener('input', () => actions.search(this.input.value));
    this.input.addEventListener('keydown', (event) => {
      event.stopPropagation(); // its keys are text
      if (event.key === 'Escape') actions.search('');
      if (event.key === 'Escape' || event.key === 'Enter') actions.leave();
    });
    this.resetButton.addEventListener('click', actions.reset);
    help.addEventListener('click', actions.help);
  }

  show(search: string, result: string, isValid: boolean, isZoomed: boolean): void {
    if (this.input.value !== search) this.input.value = search;
    this.input.setAttribute('aria-invalid', String(!isValid));
    this.output.textContent = result;
    this.resetButton.disabled = !isZoomed;
  }

  /** Beside the title, or in the row that ends at `bottomPx`. */
  moveTo(widthPx: number, bottomPx: number): void {
    const isNarrow = widthPx < NARROW_PX;
    const y = isNarrow ? bottomPx - HEAD.toolbarRowPx - 4 : 8;
    const width = isNarrow ? widthPx - 2 * HEAD.marginPx : HEAD.toolbarPx;
    setAttributes(this.place, { x: widthPx - HEAD.marginPx - width, y, width });
  }

  focus(): void {
    this.input.focus();
    this.input.select();
  }
}
