/**
 * What is left out, in words, and how to have it back.
 */
import { NO_ZOOM, type State } from './state.js';
import { threadChoices } from './threads.js';
import type { Views } from './views.js';

export interface Chip {
  readonly text: string;
  readonly undo: Partial<State>;
}

/** One for each thing that is left out. */
export function chipsOf({ threads, names }: Views, state: State): Chip[] {
  const { focus, hidden, hidesIdle } = state;
  const row = threadChoices(threads, false).find(({ key }) => key === state.threads);
  const ofThreads =
    row === undefined || row.key === 'all' ? [] : [{ text: `${row.name} (${row.which})`, undo: { threads: 'all' } }];
  const ofIdle = hidesIdle ? [{ text: 'without idle threads', undo: { hidesIdle: false } }] : [];
  const ofFocus = focus === null ? [] : [{ text: `only inside ${names[focus]}`, undo: { focus: null, ...NO_ZOOM } }];
  const ofHidden = hidden.map((symbol) => {
    return { text: `without ${names[symbol]}`, undo: { hidden: hidden.filter((other) => other !== symbol) } };
  });
  return [...ofThreads, ...ofIdle, ...ofFocus, ...ofHidden];
}
