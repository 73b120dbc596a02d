/**
 * The head of a stack chart: which thread it shows, what it leaves out, and its buttons.
 */

import { formatMany } from '../../../render/format.js';
import { button, iconButton, toggle } from '../../../render/viewer/buttons.js';
import { htmlElement as html, setAttributes, showText } from '../../../render/viewer/dom.js';

export interface HeadEvents {
  readonly zoom: (factor: number) => void;
  readonly showAll: () => void;
  readonly useAsRange: () => void;
  readonly hideCallers: (isHidden: boolean) => void;
  readonly close: () => void;
}

export class ChartHead {
  readonly element: HTMLElement;
  private readonly title = html('h2', {});
  private readonly caption = html('p', {});
  private readonly problem = html('div', { class: 'problem', role: 'alert' });
  private readonly callers: HTMLButtonElement;
  private readonly all: HTMLButtonElement;
  private readonly range: HTMLButtonElement;
  private hidesCallers = false;

  constructor(events: HeadEvents) {
    this.callers = toggle('', 'leave out the rows of functions that fill the view', () => {
      this.hidesCallers = !this.hidesCallers;
      events.hideCallers(this.hidesCallers);
    });
    this.all = button('Show all', 'show the entire recording (r)', events.showAll);
    this.range = button('Use as range', 'show the numbers of this part of the recording', events.useAsRange);
    const buttons = html(
      'div',
      { class: 'group' },
      this.callers,
      iconButton('−', 'Zoom out', 'zoom out (−)', () => events.zoom(2)),
      iconButton('+', 'Zoom in', 'zoom in (+)', () => events.zoom(0.5)),
      this.all,
      this.range,
      iconButton('✕', 'Close stack chart', 'back to the flame graph (Esc)', events.close),
    );
    this.element = html('div', { class: 'chart-head' }, this.title, this.caption, buttons, this.problem);
  }

  /** `callers`: rows that can be left out. `canSetRange`: numbers of ranges are in the file. */
  show(title: string, caption: string, callers: number, isAll: boolean, canSetRange: boolean): void {
    showText(this.title, title);
    showText(this.caption, caption);
    setAttributes(this.caption, { title: caption });
    this.callers.textContent = `Hide ${formatMany(Math.max(0, callers), 'caller')}`;
    this.callers.hidden = callers < 1 && !this.hidesCallers;
    this.callers.setAttribute('aria-pressed', String(this.hidesCallers));
    this.all.disabled = isAll;
    this.range.disabled = isAll;
    this.range.hidden = !canSetRange;
  }

  /** `problem`: why calls are missing; it is said once. */
  showProblem(problem: string | null): void {
    if (this.problem.textContent !== (problem ?? '')) this.problem.textContent = problem;
  }
}
