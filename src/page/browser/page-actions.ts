/**
 * The actions on the entire page, next to its title.
 */

import { button, helpButton, iconButton } from '../../render/viewer/buttons.js';
import { htmlElement as html } from '../../render/viewer/dom.js';
import { switchTheme } from './platform/theme.js';

export interface PageActions {
  readonly save: (what: 'svg' | 'json') => void;
  readonly help: () => void;
}

export function pageActions({ save, help }: PageActions): HTMLElement {
  return html(
    'div',
    { class: 'actions', role: 'group', 'aria-label': 'Page' },
    button('Save SVG', 'save this view as an image', () => save('svg')),
    button('Save JSON', 'save the profile of the time that is shown, as ptflame render -o out.json', () =>
      save('json'),
    ),
    iconButton('◐', 'Dark or light', 'dark or light (d)', switchTheme),
    helpButton(help),
  );
}
