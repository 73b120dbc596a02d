/**
 * The search field and the text of its result.
 */
import { htmlElement as html } from './dom.js';

export interface SearchEvents {
  /** Called for each change; empty: no search. */
  readonly search: (text: string) => void;
  readonly enter: (event: KeyboardEvent) => void;
  /** Moves the focus back to the chart. */
  readonly leave: () => void;
}

export class SearchField {
  readonly input = html('input', {
    type: 'search',
    placeholder: 'Search: text or /regex/',
    'aria-label': 'Search frames',
  });
  readonly output = html('output', { 'aria-live': 'polite' });

  constructor({ search, enter, leave }: SearchEvents) {
    const { input } = this;
    input.addEventListener('input', () => search(input.value));
    input.addEventListener('keydown', (event) => {
      event.stopPropagation(); // keys typed into the field are text, not shortcuts
      if (event.key === 'Enter') enter(event);
      if (event.key !== 'Escape') return;
      search('');
      leave();
    });
  }

  /** `problem`: why the search is invalid; empty if it is valid. */
  show(search: string, result: string, problem: string): void {
    const { input, output } = this;
    if (input.value !== search) input.value = search;
    input.setAttribute('aria-invalid', String(problem !== ''));
    output.textContent = problem || result;
  }

  focus(): void {
    this.input.focus();
    this.input.select();
  }
}

/** Creates buttons. */
export function button(text: string, title: string, press: () => void): HTMLButtonElement {
  return html('button', { type: 'button', title, click: press }, text);
}

/** Creates a button with an icon instead of text; screen readers read `name`. */
export function iconButton(sign: string, name: string, title: string, press: () => void): HTMLButtonElement {
  const made = button(sign, title, press);
  made.setAttribute('aria-label', name);
  return made;
}

/** Creates a button that is on or off. */
export function toggle(text: string, title: string, change: () => void): HTMLButtonElement {
  const made = button(text, title, change);
  made.setAttribute('aria-pressed', 'false');
  return made;
}

export function resetButton(press: () => void): HTMLButtonElement {
  return button('Reset zoom', 'show all frames (r)', press);
}

export function helpButton(press: () => void): HTMLButtonElement {
  return iconButton('?', 'Keys', 'keys (?)', press);
}

/** Recognizes shortcuts of the system and the browser, which a viewer leaves alone. */
export function isShortcut({ ctrlKey, altKey, metaKey }: KeyboardEvent): boolean {
  return ctrlKey || altKey || metaKey;
}
