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
import { type Saved, saveAs } from './downloads.js';
import type { MainGraph } from './graph/main-graph.js';
import { type Action, type Group, type Menu, menuButton } from './menu.js';
import { otherTheme, themeIsDark } from './platform/canvas.js';
import type { Navigation } from './platform/navigation.js';
import { clicksZoom, setClicksZoom } from './platform/preferences.js';

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
    private readonly navigation: Navigation,
    private readonly main: MainGraph,
    help: () => void,
  ) {
    this.field = new SearchField({
      search: (search) =>
        search === '' ? navigation.change({ search, isOnlyMatches: false }) : navigation.typeSearch(search),
      enter: ({ shiftKey }) => this.step(shiftKey ? -1 : 1),
      leave: () => {
        this.field.input.blur(); // no view has a graph but one
        main.graph.focus(main.graph.focusedBox);
      },
    });
    setAttributes(this.field.input, {
      spellcheck: 'false',
      autocomplete: 'off',
      placeholder: 'Search functions or /regex/',
    });
    this.steps = [
      iconButton('‹', 'Previous match', 'previous match (N)', () => this.step(-1)),
      iconButton('›', 'Next match', 'next match (n)', () => this.step(1)),
    ];
    this.only = toggle('Only matches', 'hide frames without matches', () =>
      navigation.change({ isOnlyMatches: !this.state.isOnlyMatches }),
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

  /** Steps to another match of the search. */
  step(by: 1 | -1, takesFocus = false): void {
    this.main.stepMatch(by, takesFocus);
    this.showResult(this.main.result, '');
  }

  private viewItems(): readonly Group[] {
    const { views, state, navigation } = this;
    const choice = (text: string, key: string, isOn: boolean, to: Partial<State>): Action => {
      return { text, key, isOn, act: () => navigation.change(to) };
    };
    const isByName = state.order === 'name';
    const switchTheme = () => navigation.changeLayout({ theme: otherTheme() });
    const colours = views
      .colouringsAt(state)
      .map((colouring) =>
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
      {
        heading: 'Page',
        actions: [
          { text: 'Dark', key: 'd', isOn: themeIsDark(), act: switchTheme },
          ...(views.server === null ? [] : [{ text: 'Open a recording…', key: '', act: () => open('page') }]),
        ],
      },
    ];
  }

  private saveItems(): readonly Action[] {
    const { views, main } = this;
    const item = (text: string, what: Saved, title: string): Action => {
      return { text, key: '', title, act: () => saveAs(what, main, views, this.state) };
    };
    return [
      item('Picture (SVG)', 'svg', 'this view as an image'),
      ...(views.data.compared !== undefined
        ? [] // two recordings are no profile
        : [item('Profile (JSON)', 'json', 'the profile of the time that is shown, as ptflame render -o out.json')]),
      item('Table (CSV)', 'csv', 'the functions in view'),
      item('Folded stacks', 'folded', 'the stacks in view, for other flame graph tools'),
      item('Copy link', 'link', 'the address of this view'),
      { text: 'Print', key: '', act: () => setTimeout(() => print()) },
    ];
  }
}
