/**
 * Describes which part of the recording a view shows.
 */
import type { State } from '../state.js';
import type { Views } from '../views.js';
import { chipsOf } from './chips.js';
import { tracedHint, widthName } from './details.js';

export function shownText(views: Views, state: State): string {
  const width = views.widthOf(state);
  const { hasSwitches, data } = views;
  return [
    widthName(width, views),
    ...(width === 'cpu' && !hasSwitches ? [tracedHint(data.meta)] : []),
    ...chipsOf(views, state).map(({ text }) => text),
    ...(state.search === '' ? [] : [`search: ${state.search}`]),
  ].join(' · ');
}
