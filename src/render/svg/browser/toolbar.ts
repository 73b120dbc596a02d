/**
 * Search and buttons. They are made by the script, so a picture without it has none.
 */

import { byId, htmlElement, setAttributes, svgElement } from '../../viewer/dom.js';
import { HEAD, NARROW_PX, NARROWEST_PX } from '../head-shape.js';

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
    placeholder: 'Search: text or /regex/',
    'aria-label': 'search frames',
  });
  private readonly output = htmlElement('output', { 'aria-live': 'polite' });
  private readonly resetButton = htmlElement('button', { type: 'button', title: 'zoom out to all (r)' }, 'Reset zoom');
  private readonly bar = htmlElement('div', { class: 'bar' });
  private readonly place = svgElement('foreignObject', { id: 'bar', height: 34 });

  constructor(actions: ToolbarActions) {
    const help = htmlElement('button', { type: 'button', title: 'keys (?)', 'aria-label': 'keys' }, '?');
    this.bar.append(this.output, this.input, this.resetButton, help);
    this.place.append(this.bar);
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
    const rows = widthPx < NARROWEST_PX ? 2 : 1;
    this.bar.classList.toggle('narrow', rows > 1);
    const y = isNarrow ? bottomPx - rows * HEAD.toolbarRowPx - 4 : 8;
    const width = isNarrow ? widthPx - 2 * HEAD.marginPx : HEAD.toolbarPx;
    setAttributes(this.place, { x: widthPx - HEAD.marginPx - width, y, width, height: rows * HEAD.toolbarRowPx - 2 });
  }

  focus(): void {
    this.input.focus();
    this.input.select();
  }
}
