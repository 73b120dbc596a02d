/**
 * Asks what to do with what was dropped on a report: show it instead, or compare both.
 */
import { htmlElement as html } from '../../render/viewer/dom.js';
import { button } from '../../render/viewer/search-field.js';

interface Choices {
  readonly open: () => void;
  /** null: they cannot be compared. */
  readonly compare: (() => void) | null;
}

/** `dropped`, `shown`: their names. */
export function askWhatToDo(dropped: string, shown: string, { open, compare }: Choices): void {
  const close = () => {
    dialog.close();
    dialog.remove();
  };
  const choice = (text: string, act: () => void) =>
    button(text, '', () => {
      close();
      act();
    });
  const yes = choice('Open it', open);
  yes.classList.add('main');
  const comparison = compare && {
    words: html('p', {}, `In a comparison, ${shown} is before, ${dropped} after.`),
    button: choice('Compare with it', compare),
  };
  const dialog = html(
    'dialog',
    { class: 'ask', 'aria-labelledby': 'ask-title' },
    html('h2', { id: 'ask-title' }, `Open ${dropped}?`),
    html('p', {}, 'The report that is shown now is closed. Save it first if you need it again.'),
    ...(comparison ? [comparison.words] : []),
    html(
      'div',
      { class: 'group' },
      yes,
      ...(comparison ? [comparison.button] : []),
      choice('Keep the report', () => {}),
    ),
  );
  for (const made of dialog.querySelectorAll('button')) made.removeAttribute('title');
  dialog.addEventListener('cancel', close);
  document.querySelector('dialog.ask')?.remove(); // of an earlier drop
  document.body.append(dialog);
  dialog.showModal();
}
