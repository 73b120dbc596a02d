/**
 * The list of keys.
 */

import { iconButton } from '../../viewer/buttons.js';
import { htmlElement as html } from '../../viewer/dom.js';

const KEYS = [
  ['↑ ↓ ← →', 'to the next frame'],
  ['Enter', 'zoom in on it, or out to it'],
  ['Esc', 'back: close, clear the search, zoom out'],
  ['r', 'zoom out to all'],
  ['/', 'search: text, or a regular expression between slashes'],
  ['n  N', 'to the next match, the largest first; back'],
  ['o', 'open its function: numbers, callers and callees'],
  ['f', 'only what is inside of its function'],
  ['h', 'hide what is inside of its function'],
  ['c  C', 'copy its stack, its folded lines'],
  ['m', 'all that can be done with it'],
  ['i', 'flames or icicles'],
  ['s', 'siblings by name, or the heaviest first'],
  ['1 … 6', 'what width stands for'],
  ['a', 'what colour stands for'],
  ['d', 'dark or light'],
  ['?', 'show this'],
] as const;

export function helpDialog(): HTMLDialogElement {
  const rows = KEYS.map(([key, text]) => html('tr', {}, html('th', { scope: 'row' }, key), html('td', {}, text)));
  const close = iconButton('✕', 'Close', 'close (Esc)', () => dialog.close());
  const dialog = html(
    'dialog',
    { class: 'help', 'aria-labelledby': 'help-title' },
    html('div', { class: 'help-title' }, html('h2', { id: 'help-title' }, 'Keys'), close),
    html('table', {}, ...rows),
  );
  document.body.append(dialog);
  return dialog;
}
