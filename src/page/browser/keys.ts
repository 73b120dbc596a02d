/**
 * Maps keys to actions.
 */
import { ORDERS } from '../view/state.js';
import type { Views } from '../view/views.js';
import type { FrameActions } from './graph/frame-actions.js';
import type { MainGraph } from './graph/main-graph.js';
import type { Navigation } from './platform/navigation.js';
import { switchTheme } from './platform/theme.js';

export interface KeyTargets {
  readonly main: MainGraph;
  readonly actions: FrameActions;
  readonly navigation: Navigation;
  readonly views: Views;
  readonly search: () => void;
  readonly step: (by: 1 | -1) => void;
  readonly help: () => void;
  readonly menu: () => void;
}

/** Whether the focused control handles a key: text fields all keys, lists letters, buttons the keys that press them. */
export function belongsToControl({ target, key }: KeyboardEvent): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.matches('input[type=search]')) return true;
  if (target.matches('select')) return !['/', '?', 'Escape'].includes(key);
  return (key === 'Enter' || key === ' ') && target.matches('button, input');
}

/** Whether the action of a key needs a frame. */
export function needsFrame(key: string): boolean {
  return ['Enter', 'm', 'o', 'f', 'h', 'c', 'C'].includes(key);
}

export function actionOf(key: string, targets: KeyTargets): (() => void) | undefined {
  const { main, actions, navigation, views, search, step, help, menu } = targets;
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
    c: () => actions.copyStack(box),
    C: () => actions.copyFolded(box),
    i: () => navigation.change({ isIcicle: !state.isIcicle }),
    s: () => navigation.change({ order: next(ORDERS, state.order) }),
    a: () => navigation.change({ colouring: next(views.colourings, state.colouring) }),
    d: switchTheme,
  };
  return Object.hasOwn(known, key) ? known[key] : undefined;
}

/** Undoes one step per key press: first the search, then the function, the zoom, and the range. */
function goBack(navigation: Navigation, views: Views): void {
  const { state } = navigation;
  const { search, chosen, zoom, range } = state;
  const isOpen = chosen !== null && views.viewAt(state).functions().has(chosen); // otherwise its panel is hidden
  if (search !== '') navigation.change({ search: '', isOnlyMatches: false });
  else if (isOpen) navigation.change({ chosen: null });
  else if (zoom.length > 0) navigation.change({ zoom: zoom.slice(0, -1), zoomLast: null });
  else if (range !== null) navigation.change({ range: null });
}

function next<Value>(values: readonly Value[], value: Value): Value {
  return values[(values.indexOf(value) + 1) % values.length] as Value;
}
