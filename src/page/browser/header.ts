/**
 * The head of the page: the search, and the menus View and Save. Its name, numbers and trust chip are in the file.
 */
import { WIDTHS } from '../../render/diff/paths.js';
import { capitalized } from '../../render/format.js';
import { htmlElement as html, setAttributes } from '../../render/viewer/dom.js';
import { helpButton, iconButton, SearchField, toggle } from '../../render/viewer/search-field.js';
import type { Sides } from '../view/comparison.js';
import { COLOURING_NAMES, LABELS, type Labels, type State } from '../view/state.js';
import type { Views } from '../view/views.js';
import { type Action, type Group, type Menu, menuButton } from './menu.js';
import { themeIsDark } from './platform/canvas.js';
import { clicksZoom, setClicksZoom } from './platform/preferences.js';

/** What the page saves. */
export type Saved = 'svg' | 'json' | 'csv' | 'folded' | 'link';

export interface HeaderEvents {
  readonly change: (change: Partial<State>) => void;
  readonly switchTheme: () => void;
  readonly type: (search: string) => void;
  /** Steps through the matches. */
  readonly step: (by: 1 | -1) => void;
  /** Moves the focus back to the chart. */
  readonly leave: () => void;
  readonly save: (what: Saved) => void;
  readonly help: () => void;
}

const LABEL_NAMES: Readonly<Record<Labels, string>> = {
  calls: 'Calls × average',
  total: 'Total and share',
  names: 'Names alone',
};

export class Header {
  readonly elements: readonly HTMLElement[];
  readonly field: SearchField;
  private readonly only: HTMLButtonElement;
  private readonly steps: readonly HTMLButtonElement[];
  private readonly hits: HTMLElement;
  private state!: State; // set by the first `show`

  constructor(
    private readonly views: Views,
    menu: Menu,
    private readonly events: HeaderEvents,
  ) {
    const { change, type, step, leave, help } = events;
    this.field = new SearchField({
      search: (search) => (search === '' ? change({ search, isOnlyMatches: false }) : type(search)),
      enter: ({ shiftKey }) => step(shiftKey ? -1 : 1),
      leave,
    });
    setAttributes(this.field.input, {
      spellcheck: 'false',
      autocomplete: 'off',
      placeholder: 'Search functions or /regex/',
    });
    this.steps = [
      iconButton('‹', 'Previous match', 'previous match (N)', () => step(-1)),
      iconButton('›', 'Next match', 'next match (n)', () => step(1)),
    ];
    this.only = toggle('Only matches', 'hide frames without matches', () =>
      change({ isOnlyMatches: !this.state.isOnlyMatches }),
    );
    this.hits = html('div', { class: 'hits' }, this.field.output, ...this.steps, this.only);
    const search = html(
      'div',
      { class: 'search', role: 'search' },
      this.field.input,
      html('kbd', { 'aria-hidden': 'true' }, '/'),
      this.hits,
    );
    this.elements = [
      search,
      menuButton(menu, 'View', 'View', () => this.viewItems()),
      menuButton(menu, 'Save', 'Save', () => this.saveItems()),
      helpButton(help),
    ];
  }

  show(state: State): void {
    this.state = state;
    this.only.setAttribute('aria-pressed', String(state.isOnlyMatches));
  }

  /** `result`: of the search; empty if there is none. `problem`: why the search is invalid; empty if it is valid. */
  showResult(result: string, problem: string): void {
    this.field.show(this.state.search, result, problem);
    this.hits.classList.toggle('found', result !== '' || problem !== '');
    for (const control of [...this.steps, this.only]) control.hidden = result === '';
  }

  private viewItems(): readonly Group[] {
    const { views, state, events } = this;
    const { change } = events;
    const choice = (text: string, key: string, isOn: boolean, to: Partial<State>): Action => {
      return { text, key, isOn, act: () => change(to) };
    };
    const isByName = state.order === 'name';
    const colours = views.colourings.map((colouring) =>
      choice(COLOURING_NAMES[colouring], 'a', views.colouringOf(state) === colouring, { colouring }),
    );
    const sides = views.sidesAt(state);
    const widths = ({ names }: Sides) =>
      WIDTHS.map((widthOf) => {
        const text = widthOf === 'larger' ? 'Larger of both' : capitalized(names[widthOf]);
        return choice(text, '', state.widthOf === widthOf, { widthOf });
      });
    return [
      {
        heading: 'Flame graph',
        actions: [
          choice('Callers on top', 'i', state.isIcicle, { isIcicle: !state.isIcicle }),
          choice('Heaviest first', 's', !isByName, { order: isByName ? 'weight' : 'name' }),
          choice('Fold recursion', '', state.foldsRecursion, { foldsRecursion: !state.foldsRecursion }),
          { text: 'A click zooms', key: '', isOn: clicksZoom(), act: () => setClicksZoom(!clicksZoom()) },
        ],
      },
      {
        heading: 'Labels',
        actions: LABELS.map((labels) => choice(LABEL_NAMES[labels], '', state.labels === labels, { labels })),
      },
      ...(sides === null ? [] : [{ heading: 'Width of frames', actions: widths(sides) }]),
      ...(colours.length < 2 || sides !== null ? [] : [{ heading: 'Colour', actions: colours }]),
      { heading: 'Page', actions: [{ text: 'Dark', key: 'd', isOn: themeIsDark(), act: this.events.switchTheme }] },
    ];
  }

  private saveItems(): readonly Action[] {
    const { save } = this.events;
    const item = (text: string, what: Saved, title: string): Action => {
      return { text, key: '', title, act: () => save(what) };
    };
    return [
      item('Picture (SVG)', 'svg', 'this view as an image'),
      ...(this.views.data.compared !== undefined
        ? [] // two recordings are no profile
        : [item('Profile (JSON)', 'json', 'the profile of the time that is shown, as ptflame render -o out.json')]),
      item('Table (CSV)', 'csv', 'the functions in view'),
      item('Folded stacks', 'folded', 'the stacks in view, for other flame graph tools'),
      item('Copy link', 'link', 'the address of this view'),
      { text: 'Print', key: '', act: () => setTimeout(() => print()) },
    ];
  }
}
