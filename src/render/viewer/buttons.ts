/**
 * Creates buttons.
 */
import { htmlElement as html } from './dom.js';

export function button(text: string, title: string, press: () => void): HTMLButtonElement {
  const made = html('button', { type: 'button', title }, text);
  made.addEventListener('click', press);
  return made;
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
