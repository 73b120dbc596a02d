/**
 * The search field and the text of its result.
 */
import { htmlElement } from './dom.js';

export interface SearchEvents {
  /** Called for each change; empty: no search. */
  readonly search: (text: string) => void;
  readonly enter: (event: KeyboardEvent) => void;
  /** Moves the focus back to the chart. */
  readonly leave: () => void;
}

export class SearchField {
  readonly input = htmlElement('input', {
    type: 'search',
    placeholder: 'Search: text or /regex/',
    'aria-label': 'Search frames',
  });
  readonly output = htmlElement('output', { 'aria-live': 'polite' });

  constructor({ search, enter, leave }: SearchEvents) {
    const { input } = this;
    input.addEventListener('input', () => search(input.value));
    input.addEventListener('keydown', (event) => {
      event.stopPropagation(); // keys typed into the field are text, not shortcuts
      if (event.key === 'Enter') enter(event);
      if (event.key !== 'Escape') return;
      search('');
      leave();
    });
  }

  /** `problem`: why the search is invalid; empty if it is valid. */
  show(search: string, result: string, problem: string): void {
    const { input, output } = this;
    if (input.value !== search) input.value = search;
    input.setAttribute('aria-invalid', String(problem !== ''));
    output.textContent = problem || result;
  }

  focus(): void {
    this.input.focus();
    this.input.select();
  }
}
