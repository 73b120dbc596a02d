/**
 * A line about the view that stays until it is closed or no longer true.
 */
import { iconButton } from '../../../render/viewer/buttons.js';
import { htmlElement as html } from '../../../render/viewer/dom.js';

export class Notice {
  readonly element = html('div', { class: 'notice', role: 'status' });

  /** Empty: hides it. */
  show(text: string): void {
    const close = iconButton('✕', 'Close', 'close', () => this.show(''));
    this.element.replaceChildren(...(text === '' ? [] : [html('span', { title: text }, text), close]));
  }
}
