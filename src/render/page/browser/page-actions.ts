/**
 * What can be done with the page as a whole, beside its title.
 */

import { button, helpButton, iconButton } from '../../viewer/buttons.js';
import { htmlElement as html } from '../../viewer/dom.js';
import { switchTheme } from './platform/theme.js';

export interface PageActions {
  readonly save: (what: 'svg' | 'json') => void;
  readonly help: () => void;
}

export function pageActions({ save, help }: PageActions): HTMLElement {
  return html(
    'div',
    { class: 'actions', role: 'group', 'aria-label': 'Page' },
    button('Save SVG', 'this view as a picture', () => save('svg')),
    button('Save JSON', 'the whole profile, as ptflame render -o out.json writes it', () => save('json')),
    iconButton('◐', 'Dark or light', 'dark or light (d)', switchTheme),
    helpButton(help),
  );
}
