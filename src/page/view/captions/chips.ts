/**
 * Describes what the view leaves out, with the change that undoes it.
 */
import { isolated } from '../../../render/frames/isolated.js';
import { NO_ZOOM, type State } from '../state.js';
import { chosenRow, titleOf } from '../threads.js';
import type { Views } from '../views.js';
import { rangeText } from './time.js';

export interface Chip {
  readonly text: string;
  readonly undo: Partial<State>;
}

/** Returns one chip per restriction of the view. */
export function chipsOf(views: Views, state: State): Chip[] {
  const { threads, names } = views;
  const range = views.rangeAt(state);
  const ofRange = range === null ? [] : [{ text: `only ${rangeText(range)}`, undo: { range: null } }];
  const { focus, hidden, hidesIdle } = state;
  const { key, name, which, threads: shown } = chosenRow(threads, state.threads, hidesIdle);
  const ofThreads =
    key === 'all'
      ? []
      : [{ text: name.endsWith(which) ? isolated(name) : `${isolated(name)} (${which})`, undo: { threads: 'all' } }];
  const ofOthers =
    state.against === ''
      ? []
      : [{ text: `compared with ${titleOf(chosenRow(threads, state.against, hidesIdle))}`, undo: { against: '' } }];
  const isIdleHidden = hidesIdle && key === 'all' && shown.length < threads.length;
  const ofIdle = isIdleHidden ? [{ text: 'without idle threads', undo: { hidesIdle: false } }] : [];
  const ofFocus =
    focus === null
      ? []
      : [{ text: `only inside ${isolated(names[focus] as string)}`, undo: { focus: null, ...NO_ZOOM } }];
  const ofHidden = hidden.map((symbol) => {
    return {
      text: `without ${isolated(names[symbol] as string)}`,
      undo: { hidden: hidden.filter((other) => other !== symbol) },
    };
  });
  return [...ofRange, ...ofThreads, ...ofOthers, ...ofIdle, ...ofFocus, ...ofHidden];
}
