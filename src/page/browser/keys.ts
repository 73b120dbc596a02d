/**
 * Maps keys to actions.
 */

import { htmlElement as html } from '../../render/viewer/dom.js';
import { iconButton } from '../../render/viewer/search-field.js';
import { chipsOf, restToggle } from '../view/captions/misfits.js';
import { ORDERS, togglePureWaits } from '../view/state.js';
import type { Views } from '../view/views.js';
import type { FrameActions } from './graph/frame-actions.js';
import type { MainGraph } from './graph/main-graph.js';
import { otherTheme } from './platform/canvas.js';
import type { Navigation } from './platform/navigation.js';

export interface KeyTargets {
  readonly main: MainGraph;
  readonly actions: FrameActions;
  readonly navigation: Navigation;
  readonly views: Views;
  readonly search: () => void;
  readonly step: (by: 1 | -1) => void;
  readonly help: () => void;
  readonly menu: () => void;
  readonly stepView: (by: 1 | -1) => void;
  readonly stepTab: (by: 1 | -1) => void;
}

/** Whether the focused control handles a key: text fields all keys, buttons the keys that press them. */
export function belongsToControl({ target, key }: KeyboardEvent): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.matches('input[type=search]')) return true;
  return (key === 'Enter' || key === ' ') && target.matches('button, input');
}

/** Whether the action of a key needs a frame. */
export function needsFrame(key: string): boolean {
  return ['Enter', 'm', 'o', 'f', 'h', 'l', 'c', 'C'].includes(key);
}

export function actionOf(key: string, targets: KeyTargets): (() => void) | undefined {
  const { main, actions, navigation, views, search, step, help, menu, stepView, stepTab } = targets;
  const { state } = navigation;
  const box = main.aimedBox;
  const width = /^\d$/.test(key) ? views.widths[Number(key) - 1] : undefined;
  if (width !== undefined) return () => navigation.change({ width });
  const known: Readonly<Record<string, () => void>> = {
    Enter: () => main.zoomTo(box),
    Escape: () => goBack(navigation, views),
    '/': search,
    '?': help,
    m: menu,
    r: () => navigation.zoomOut(),
    n: () => step(1),
    N: () => step(-1),
    o: () => actions.choose(main.symbolOf(box)),
    f: () => actions.focusOn(main.symbolOf(box)),
    h: () => actions.hide(main.symbolOf(box)),
    l: () => actions.collapse(main.symbolOf(box)),
    c: () => actions.copyStack(box),
    C: () => actions.copyFolded(box),
    i: () => navigation.change({ isIcicle: !state.isIcicle }),
    s: () => navigation.change({ order: next(ORDERS, state.order) }),
    a: () => navigation.change({ colouring: next(views.colouringsAt(state), views.colouringOf(state)) }),
    b: () => navigation.change({ isInverted: !state.isInverted }),
    d: () => navigation.changeLayout({ theme: otherTheme() }),
    q: () => navigation.change(togglePureWaits(state)),
    x: () => navigation.change(restToggle(views, state) ?? {}),
    p: () => navigation.change({ chosen: state.chosen === null ? main.symbolOf(box) : null }),
    v: () => stepView(1),
    V: () => stepView(-1),
    '[': () => stepTab(-1),
    ']': () => stepTab(1),
  };
  return Object.hasOwn(known, key) ? known[key] : undefined;
}

/** Undoes one step per key press: first the search, then the panel, the zoom, the range, and what is left out. */
function goBack(navigation: Navigation, views: Views): void {
  const { state } = navigation;
  const { search, chosen, zoom, range } = state;
  const isOpen = chosen !== null && views.isInView(state, chosen); // otherwise its panel is hidden
  if (search !== '') navigation.change({ search: '', isOnlyMatches: false });
  else if (isOpen) navigation.change({ chosen: null });
  else if (zoom.length > 0) navigation.change({ zoom: zoom.slice(0, -1), zoomLast: null });
  else if (range !== null) navigation.change({ range: null });
  else {
    const last = chipsOf(views, state).at(-1);
    if (last !== undefined) navigation.change(last.undo);
  }
}

function next<Value>(values: readonly Value[], value: Value): Value {
  return values[(values.indexOf(value) + 1) % values.length] as Value;
}

const KEYS: readonly Row[] = [
  ['↑ ↓ ← →', 'move between frames'],
  ['Enter', 'zoom to the frame; by pointer: double click'],
  ['Esc', 'one step back: search, panel, zoom, time range, what is left out'],
  ['r', 'show all frames'],
  ['/', 'search: text or /regex/'],
  ['n  N', 'next match, largest first; previous match'],
  ['o  p', 'select the function: numbers, callers and callees; close the panel'],
  ['[  ]', 'previous and next tab of the panel'],
  ['f', 'show only the function and its callees'],
  ['h', 'hide the function and its callees'],
  ['l', 'draw its library as one frame, or apart again'],
  ['q', 'hide pure waits, or show them again'],
  ['x', 'compare the range or the threads with the rest, or no more'],
  ['c  C', 'copy stack; copy folded stacks'],
  ['m', 'open the menu of the frame'],
  ['v  V', 'next view; previous view'],
  ['b', 'inverted: functions with their callers'],
  ['i', 'callers on top or below'],
  ['s', 'order siblings by name or by weight'],
  ['1 … 6', 'what widths and tables count'],
  ['a', 'what colours mean'],
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

/** The dialog with the list of keys. */
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
