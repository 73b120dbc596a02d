/**
 * Asks what to do with what was dropped on a report: show it instead, or compare both.
 */
import { htmlElement as html } from '../../render/viewer/dom.js';
import { button } from '../../render/viewer/search-field.js';
import type { ComparedNames } from '../messages.js';

interface Choices {
  readonly open: () => void;
  readonly compare: () => void;
}

/** `sides`: null if they cannot be compared. */
export function askWhatToDo(files: readonly File[], sides: ComparedNames | null, { open, compare }: Choices): void {
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
  const names = files.length === 1 ? files[0]?.name : `${files.length} files`;
  const dialog = html(
    'dialog',
    { class: 'ask', 'aria-labelledby': 'ask-title' },
    html('h2', { id: 'ask-title' }, `Open ${names}?`),
    html('p', {}, 'The report that is shown now is closed. Save it first if you need it again.'),
    ...(sides ? [html('p', {}, `In a comparison, ${sides.before} is before, ${sides.after} after.`)] : []),
    html(
      'div',
      { class: 'group' },
      yes,
      ...(sides ? [choice('Compare with it', compare)] : []),
      choice('Keep the report', () => {}),
    ),
  );
  for (const made of dialog.querySelectorAll('button')) made.removeAttribute('title');
  dialog.addEventListener('cancel', close);
  document.querySelector('dialog.ask')?.remove(); // of an earlier drop
  document.body.append(dialog);
  dialog.showModal();
}
