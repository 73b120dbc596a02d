/**
 * The dialog with the list of keys.
 */

import { iconButton } from '../../viewer/buttons.js';
import { htmlElement as html } from '../../viewer/dom.js';

const KEYS = [
  ['↑ ↓ ← →', 'move between frames'],
  ['Enter', 'zoom to the frame'],
  ['Esc', 'close, clear search, or zoom out'],
  ['r', 'show all frames'],
  ['/', 'search: text or /regex/'],
  ['n  N', 'next match, largest first; previous match'],
  ['o', 'open the function: numbers, callers and callees'],
  ['f', 'show only the function and its callees'],
  ['h', 'hide the function and its callees'],
  ['c  C', 'copy stack; copy folded stacks'],
  ['m', 'open the menu of the frame'],
  ['i', 'flame graph or icicle graph'],
  ['s', 'order siblings by name or by weight'],
  ['1 … 6', 'what width shows'],
  ['a', 'what colour shows'],
  ['d', 'dark or light theme'],
  ['?', 'show this list'],
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
