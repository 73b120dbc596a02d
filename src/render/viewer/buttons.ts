/**
 * Buttons, each with its label.
 */
import { htmlElement as html } from './dom.js';

export function button(text: string, title: string, press: () => void): HTMLButtonElement {
  const made = html('button', { type: 'button', title }, text);
  made.addEventListener('click', press);
  return made;
}

/** A button with a sign instead of words; `name` is read aloud. */
export function iconButton(sign: string, name: string, title: string, press: () => void): HTMLButtonElement {
  const made = button(sign, title, press);
  made.setAttribute('aria-label', name);
  return made;
}

/** A button that is on or off. */
export function toggle(text: string, title: string, change: () => void): HTMLButtonElement {
  const made = button(text, title, change);
  made.setAttribute('aria-pressed', 'false');
  return made;
}

export function resetButton(press: () => void): HTMLButtonElement {
  return button('Reset zoom', 'zoom out to all (r)', press);
}

export function helpButton(press: () => void): HTMLButtonElement {
  return iconButton('?', 'Keys', 'keys (?)', press);
}
