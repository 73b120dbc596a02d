/**
 * The dialog with the list of keys.
 */

import { iconButton } from '../../render/viewer/buttons.js';
import { htmlElement as html } from '../../render/viewer/dom.js';

const KEYS: readonly Row[] = [
  ['↑ ↓ ← →', 'move between frames'],
  ['Enter', 'zoom to the frame'],
  ['Esc', 'close, clear search, zoom out, or clear the time range'],
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
];

/** While it is open: a key that is not here acts as above. */
const CHART_KEYS: readonly Row[] = [
  ['↑ ↓ ← →', 'move between calls; with Shift, move the view'],
  ['+  −', 'zoom in, zoom out; by pointer: wheel, two fingers, or Shift and drag'],
  ['Home  End', 'start and end of the recording'],
  ['Enter', 'zoom to the call'],
  ['r', 'show the entire recording'],
  ['t', 'use the time of the call as range'],
  ['k', 'mark the call'],
  ['w  W', 'go to the thread that ended the wait; to the one that was woken'],
  ['Esc', 'unmark the call, zoom out, or close the chart'],
];

type Row = readonly [keys: string, text: string];

export function helpDialog(): HTMLDialogElement {
  const close = iconButton('✕', 'Close', 'close (Esc)', () => dialog.close());
  const dialog = html(
    'dialog',
    { class: 'help', 'aria-labelledby': 'help-title' },
    html('div', { class: 'help-title' }, html('h2', { id: 'help-title' }, 'Keys'), close),
    table(KEYS),
    html('h3', {}, 'In a stack chart'),
    table(CHART_KEYS),
  );
  document.body.append(dialog);
  return dialog;
}

function table(keys: readonly Row[]): HTMLElement {
  const rows = keys.map(([key, text]) => html('tr', {}, html('th', { scope: 'row' }, key), html('td', {}, text)));
  return html('table', {}, ...rows);
}
