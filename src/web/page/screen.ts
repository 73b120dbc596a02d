/**
 * What the screens of the offline page share.
 */
import { announce, copyText } from '../../page/browser/platform/save.js';
import { htmlElement as html } from '../../render/viewer/dom.js';
import { button } from '../../render/viewer/search-field.js';

type Content = Node | string;

/** Its heading receives the focus when it is shown, so that readers hear where they are. */
export function screen(name: string, heading: string, ...content: Content[]): HTMLElement {
  const title = html('h2', { tabindex: -1 }, heading);
  return html('section', { class: `screen ${name}` }, title, ...content);
}

/** A button with its key. */
export function keyButton(text: string, key: string, press: () => void, isMain = false): HTMLButtonElement {
  const made = button('', '', press);
  made.removeAttribute('title');
  if (isMain) made.classList.add('main');
  if (key !== '') made.setAttribute('aria-keyshortcuts', key === 'Esc' ? 'Escape' : key);
  const shown = key === '' ? [] : [html('kbd', { 'aria-hidden': 'true' }, key)];
  made.append(html('span', {}, text), ...shown);
  return made;
}

/** A command line, with a button that copies it. */
export function commandLine(command: string): HTMLElement {
  const copy = button('Copy', `copy ${command}`, () => void copyText(command).then(() => announce('copied')));
  copy.classList.add('link');
  copy.setAttribute('aria-label', `Copy ${command}`);
  return html('span', { class: 'command' }, html('code', {}, command), copy);
}

/** Text in which `words` are commands. */
export function withCommands(text: string): Content[] {
  return text.split('`').map((part, at) => (at % 2 === 1 ? html('code', {}, part) : part));
}
