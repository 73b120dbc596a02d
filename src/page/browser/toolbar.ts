/**
 * The toolbar above the graph: width, colour, search, and chips for what is left out.
 */

import { htmlElement as html, setAttributes } from '../../render/viewer/dom.js';
import { button, helpButton, iconButton, resetButton, SearchField, toggle } from '../../render/viewer/search-field.js';
import { tracedHint, widthName } from '../view/captions/details.js';
import type { Chip } from '../view/captions/misfits.js';
import type { Colouring, State, Width } from '../view/state.js';
import type { Views } from '../view/views.js';
import { switchTheme } from './platform/canvas.js';

export interface ToolbarEvents {
  readonly change: (change: Partial<State>) => void;
  readonly type: (search: string) => void;
  readonly step: (by: 1 | -1) => void;
  readonly reset: () => void;
  readonly leave: () => void;
}

const COLOUR_NAMES: Readonly<Record<Colouring, string>> = {
  library: 'Library',
  function: 'Function',
  average: 'Average duration',
  outside: 'Share outside',
};

export class Toolbar {
  readonly element: HTMLElement;
  private readonly events: ToolbarEvents;
  private readonly width: Choice<Width>;
  private readonly colour: Choice<Colouring>;
  private readonly icicle: HTMLButtonElement;
  private readonly fold: HTMLButtonElement;
  private readonly heaviest: HTMLButtonElement;
  private readonly only: HTMLButtonElement;
  private readonly resetButton: HTMLButtonElement;
  private readonly steps: readonly HTMLButtonElement[];
  readonly field: SearchField;
  private readonly chips = html('div', { class: 'chips' });
  private state!: State;

  constructor(views: Views, events: ToolbarEvents) {
    const { widths, colourings, hasSwitches, data } = views;
    this.events = events;
    const { change } = events;
    this.width = choice(
      'Width',
      widths.map((width) => [width, widthName(width, views)] as const),
      (width) => change({ width }),
    );
    if (widths.includes('cpu') && !hasSwitches) this.width.element.title = `Traced: ${tracedHint(data.meta)}`;
    this.colour = choice(
      'Colour',
      colourings.map((colouring) => [colouring, COLOUR_NAMES[colouring]] as const),
      (colouring) => change({ colouring }),
    );
    this.icicle = toggle('Icicle', 'callers above callees (i)', () => change({ isIcicle: !this.state.isIcicle }));
    this.fold = toggle('Fold recursion', 'merge recursive calls into one frame', () =>
      change({ foldsRecursion: !this.state.foldsRecursion }),
    );
    this.heaviest = toggle('Heaviest first', 'order siblings by weight, not by name (s)', () =>
      change({ order: this.state.order === 'name' ? 'weight' : 'name' }),
    );
    this.only = toggle('Only matches', 'hide frames without matches', () =>
      change({ isOnlyMatches: !this.state.isOnlyMatches }),
    );
    this.steps = [
      iconButton('◀', 'Previous match', 'previous match (N)', () => events.step(-1)),
      iconButton('▶', 'Next match', 'next match (n)', () => events.step(1)),
    ];
    this.resetButton = resetButton(events.reset);
    this.field = this.searchField();
    setAttributes(this.field.input, { spellcheck: 'false', autocomplete: 'off' });
    this.element = html(
      'div',
      { class: 'toolbar', role: 'toolbar', 'aria-label': 'View' },
      html(
        'div',
        { class: 'group' },
        this.width.element,
        this.colour.element,
        this.icicle,
        this.fold,
        this.heaviest,
        this.resetButton,
      ),
      html('div', { class: 'group search' }, this.field.input, ...this.steps, this.only, this.field.output),
      this.chips,
    );
  }

  show(state: State, chips: readonly Chip[]): void {
    this.state = state;
    this.width.show(state.width);
    this.colour.show(state.colouring);
    this.colour.lock(state.against === '' ? '' : 'colours show how threads differ');
    for (const [control, isOn] of [
      [this.icicle, state.isIcicle],
      [this.fold, state.foldsRecursion],
      [this.heaviest, state.order === 'weight' || state.width === 'self'],
      [this.only, state.isOnlyMatches],
    ] as const)
      control.setAttribute('aria-pressed', String(isOn));
    this.heaviest.disabled = state.width === 'self'; // trees from leaves are always ordered by weight
    this.resetButton.disabled = state.zoom.length === 0;
    this.showChips(chips);
  }

  /** `result`: of the search; empty if there is none. `problem`: why the search is invalid; empty if it is valid. */
  showResult(result: string, problem: string): void {
    this.field.show(this.state.search, result, problem);
    for (const control of [...this.steps, this.only]) control.disabled = result === '';
  }

  private showChips(chips: readonly Chip[]): void {
    const elements = chips.map(({ text, undo }) => {
      const chip = button('', `undo: ${text}`, () => this.events.change(undo));
      chip.className = 'chip';
      chip.append(html('span', {}, text), '✕');
      return chip;
    });
    this.chips.replaceChildren(...elements);
  }

  private searchField(): SearchField {
    const { change, type, step, leave } = this.events;
    return new SearchField({
      search: (search) => (search === '' ? change({ search, isOnlyMatches: false }) : type(search)),
      enter: ({ shiftKey }) => step(shiftKey ? -1 : 1),
      leave,
    });
  }
}

/** A select box with a label. */
interface Choice<Value extends string> {
  readonly element: HTMLElement;
  readonly show: (value: Value) => void;
  /** `reason`: why there is nothing to choose now; empty: there is. */
  readonly lock: (reason: string) => void;
}

function choice<Value extends string>(
  label: string,
  options: readonly (readonly [value: Value, text: string])[],
  change: (value: Value) => void,
): Choice<Value> {
  const hasNoChoice = options.length < 2;
  const select = html(
    'select',
    hasNoChoice ? { disabled: '', title: 'no other choice for this trace' } : {},
    ...options.map(([value, text]) => html('option', { value }, text)),
  );
  let isByPointer = false;
  select.addEventListener('pointerdown', () => (isByPointer = true));
  select.addEventListener('keydown', () => (isByPointer = false));
  select.addEventListener('change', () => {
    if (isByPointer) select.blur(); // otherwise it would receive keys meant for the graph
    change(select.value as Value);
  });
  return {
    element: html('label', { class: 'choice' }, `${label} `, select),
    show: (value) => {
      select.value = value;
    },
    lock: (reason) => {
      if (hasNoChoice) return;
      select.disabled = reason !== '';
      select.title = reason;
    },
  };
}

/** The actions on the entire page, next to its title. */
interface PageActions {
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
