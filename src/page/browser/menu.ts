/**
 * Menus: of a frame, next to the pointer, and of a button, below it.
 */
import { consume, htmlElement as html } from '../../render/viewer/dom.js';
import { lifetime } from './platform/lifetime.js';

export interface Action {
  readonly text: string;
  /** Shown at the end; empty: none. */
  readonly key: string;
  readonly act: () => void;
  /** Whether it is on, of a choice; undefined: it is no choice. */
  readonly isOn?: boolean;
  readonly title?: string;
  /** The menu stays open, with what the action changed. */
  readonly staysOpen?: boolean;
}

/** Actions below a heading. */
export interface Group {
  readonly heading: string;
  readonly actions: readonly Action[];
}

/** How far a menu stays from the edges of the window. */
const EDGE_PX = 4;

export class Menu {
  readonly element = html('div', { class: 'menu', role: 'menu', hidden: '' });
  private leave: () => void = () => {};
  private current: () => readonly (Action | Group)[] = () => [];
  /** While an action is done after which the menu stays open: what the action changes would close it. */
  private isKept = false;

  constructor() {
    this.element.addEventListener('keydown', (event) => this.press(event));
    this.element.addEventListener('mousedown', (event) => event.preventDefault()); // keeps the focus on the items
    const signal = lifetime();
    const closeOutside = ({ target }: Event) => this.element.contains(target as Node) || this.close();
    document.addEventListener('pointerdown', closeOutside, { signal });
    document.addEventListener('wheel', closeOutside, { passive: true, signal });
    addEventListener('resize', () => this.close(), { signal });
  }

  get isOpen(): boolean {
    return !this.element.hidden;
  }

  /** Opens the menu. `leave`: returns the focus. */
  open(label: string, items: readonly (Action | Group)[], xPx: number, yPx: number, leave: () => void): void {
    this.close();
    this.leave = leave;
    this.current = () => items;
    this.element.setAttribute('aria-label', label);
    this.fill();
    this.element.hidden = false;
    const { width, height } = this.element.getBoundingClientRect();
    this.element.style.left = `${Math.max(EDGE_PX, Math.min(xPx, innerWidth - width - EDGE_PX))}px`;
    this.element.style.top = `${Math.max(EDGE_PX, Math.min(yPx, innerHeight - height - EDGE_PX))}px`;
    this.items[0]?.focus();
  }

  private fill(): void {
    const items = this.current();
    this.element.replaceChildren(...items.map((item) => ('act' in item ? this.item(item) : this.group(item))));
  }

  /** Opens the menu of a button, below it. */
  openBelow(button: HTMLElement, label: string, items: () => readonly (Action | Group)[]): void {
    const { left, bottom } = button.getBoundingClientRect();
    this.open(label, items(), left, bottom + EDGE_PX, () => {
      button.setAttribute('aria-expanded', 'false');
      button.focus();
    });
    this.current = items;
    button.setAttribute('aria-expanded', 'true');
  }

  close(): void {
    if (!this.isOpen || this.isKept) return;
    this.element.hidden = true;
    this.leave();
  }

  private get items(): HTMLButtonElement[] {
    return [...this.element.querySelectorAll('button')];
  }

  private group({ heading, actions }: Group): HTMLElement {
    return html(
      'div',
      { role: 'group', 'aria-label': heading },
      html('div', { class: 'menu-heading', 'aria-hidden': 'true' }, heading),
      ...actions.map((action) => this.item(action)),
    );
  }

  private item({ text, key, act, isOn, title, staysOpen = false }: Action): HTMLButtonElement {
    const click = ({ currentTarget }: Event) => {
      if (!staysOpen) this.close();
      this.isKept = staysOpen;
      act();
      this.isKept = false;
      if (!staysOpen) return;
      const at = this.items.indexOf(currentTarget as HTMLButtonElement);
      this.fill();
      this.items[at]?.focus();
    };
    const checked = isOn !== undefined && { role: 'menuitemcheckbox', 'aria-checked': isOn };
    return html(
      'button',
      { type: 'button', role: 'menuitem', tabindex: -1, ...checked, ...(title !== undefined && { title }), click },
      html('span', {}, text),
      html('kbd', { 'aria-hidden': true }, key),
    );
  }

  private press(event: KeyboardEvent): void {
    const { items } = this;
    const at = items.indexOf(document.activeElement as HTMLButtonElement);
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const end = { Home: 0, End: items.length - 1 }[event.key];
    if (step !== undefined) items[(at + step + items.length) % items.length]?.focus();
    else if (end !== undefined) items[end]?.focus();
    else if (event.key === 'Escape' || event.key === 'Tab') this.close();
    else if (event.key === 'Enter' || event.key === ' ') return; // handled by the button
    consume(event);
  }
}

/** Creates a button that opens a menu below it. */
export function menuButton(
  menu: Menu,
  text: string,
  label: string,
  items: () => readonly (Action | Group)[],
): HTMLButtonElement {
  const button = html(
    'button',
    { type: 'button', class: 'drop', 'aria-haspopup': 'menu', 'aria-expanded': 'false', title: label },
    html('span', {}, text),
  );
  let wasOpen = false; // a press closes the menu before the click
  button.addEventListener('pointerdown', () => {
    wasOpen = button.getAttribute('aria-expanded') === 'true';
  });
  button.addEventListener('click', () => {
    if (!wasOpen) menu.openBelow(button, label, items);
    wasOpen = false;
  });
  return button;
}
