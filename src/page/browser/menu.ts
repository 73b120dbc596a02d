/**
 * The context menu of a frame.
 */
import { htmlElement as html } from '../../render/viewer/dom.js';

export interface Action {
  readonly text: string;
  readonly key: string;
  readonly act: () => void;
}

export class Menu {
  readonly element = html('div', { class: 'menu', role: 'menu', hidden: '' });
  private leave: () => void = () => {};

  constructor() {
    this.element.addEventListener('keydown', (event) => this.press(event));
    this.element.addEventListener('mousedown', (event) => event.preventDefault()); // keeps the focus on the items
    document.addEventListener('pointerdown', ({ target }) => {
      if (!this.element.contains(target as Node)) this.close();
    });
    document.addEventListener('wheel', () => this.close(), { passive: true });
    addEventListener('resize', () => this.close());
  }

  get isOpen(): boolean {
    return !this.element.hidden;
  }

  /** Opens the menu. `leave`: returns the focus. */
  open(label: string, actions: readonly Action[], xPx: number, yPx: number, leave: () => void): void {
    this.leave = leave;
    const items = actions.map(({ text, key, act }) => {
      const item = html(
        'button',
        { type: 'button', role: 'menuitem', tabindex: -1 },
        html('span', {}, text),
        html('kbd', { 'aria-hidden': 'true' }, key),
      );
      item.addEventListener('click', () => {
        this.close();
        act();
      });
      return item;
    });
    this.element.setAttribute('aria-label', label);
    this.element.replaceChildren(...items);
    this.element.hidden = false;
    const { width, height } = this.element.getBoundingClientRect();
    this.element.style.left = `${Math.max(4, Math.min(xPx, innerWidth - width - 4))}px`;
    this.element.style.top = `${Math.max(4, Math.min(yPx, innerHeight - height - 4))}px`;
    items[0]?.focus();
  }

  close(): void {
    if (!this.isOpen) return;
    this.element.hidden = true;
    this.leave();
  }

  private press(event: KeyboardEvent): void {
    const items = [...this.element.querySelectorAll('button')];
    const at = items.indexOf(document.activeElement as HTMLButtonElement);
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) items[(at + step + items.length) % items.length]?.focus();
    else if (event.key === 'Escape' || event.key === 'Tab') this.close();
    else if (event.key === 'Enter' || event.key === ' ') return; // handled by the button
    event.preventDefault();
    event.stopPropagation();
  }
}
