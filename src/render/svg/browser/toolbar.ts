/**
 * The search field and buttons, created by the script: without scripting, the SVG has none.
 */
import { helpButton, resetButton } from '../../viewer/buttons.js';
import { byId, htmlElement, setAttributes, svgElement } from '../../viewer/dom.js';
import { SearchField } from '../../viewer/search-field.js';
import { HEAD, NARROW_PX, NARROWEST_PX } from '../head-shape.js';

export interface ToolbarActions {
  readonly search: (text: string) => void;
  readonly reset: () => void;
  readonly help: () => void;
  /** Moves the focus from the search field to the frames. */
  readonly leave: () => void;
}

export class Toolbar {
  readonly field: SearchField;
  private readonly reset: HTMLButtonElement;
  private readonly bar: HTMLElement;
  private readonly container: SVGElement;

  constructor({ search, reset, help, leave }: ToolbarActions) {
    this.field = new SearchField({ search, enter: leave, leave });
    const { output, input } = this.field;
    this.reset = resetButton(reset);
    this.bar = htmlElement('div', { class: 'bar' }, output, input, this.reset, helpButton(help));
    this.container = svgElement('foreignObject', { id: 'bar', height: 34 }, this.bar);
    byId('head').append(this.container);
  }

  show(search: string, result: string, problem: string, isZoomed: boolean): void {
    this.field.show(search, result, problem);
    this.reset.disabled = !isZoomed;
  }

  /** Moves the toolbar next to the title, or into the row that ends at `bottomPx`. */
  moveTo(widthPx: number, bottomPx: number): void {
    const isNarrow = widthPx < NARROW_PX;
    const rows = widthPx < NARROWEST_PX ? 2 : 1;
    this.bar.classList.toggle('narrow', rows > 1);
    const y = isNarrow ? bottomPx - rows * HEAD.toolbarRowPx - 4 : 8;
    const width = isNarrow ? widthPx - 2 * HEAD.marginPx : HEAD.toolbarPx;
    setAttributes(this.container, {
      x: widthPx - HEAD.marginPx - width,
      y,
      width,
      height: rows * HEAD.toolbarRowPx - 2,
    });
  }
}
