/**
 * Asks before a file that was dropped on a report replaces it.
 */
import { htmlElement as html } from '../../render/viewer/dom.js';
import { button } from '../../render/viewer/search-field.js';

export function askToReplace(names: string, replace: () => void): void {
  const close = () => {
    dialog.close();
    dialog.remove();
  };
  const yes = button('Open it', '', () => {
    close();
    replace();
  });
  yes.classList.add('main');
  const dialog = html(
    'dialog',
    { class: 'ask', 'aria-labelledby': 'ask-title' },
    html('h2', { id: 'ask-title' }, `Open ${names}?`),
    html('p', {}, 'The report that is shown now is closed. Save it first if you need it again.'),
    html('div', { class: 'group' }, yes, button('Keep the report', '', close)),
  );
  for (const made of dialog.querySelectorAll('button')) made.removeAttribute('title');
  dialog.addEventListener('cancel', close);
  document.querySelector('dialog.ask')?.remove(); // of an earlier drop
  document.body.append(dialog);
  dialog.showModal();
}
