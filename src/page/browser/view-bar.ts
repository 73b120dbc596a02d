/**
 * What the page leaves out, as chips; and the bar of views, with what widths count and what colours mean.
 */
import { consume, htmlElement as html, setAttributes } from '../../render/viewer/dom.js';
import { button, toggle } from '../../render/viewer/search-field.js';
import { tracedHint, WIDTH_HINTS, widthName } from '../view/captions/details.js';
import type { Chip } from '../view/captions/misfits.js';
import type { ShownView, State } from '../view/state.js';
import type { Views } from '../view/views.js';
import { type Action, type Menu, menuButton } from './menu.js';
import type { Navigation } from './platform/navigation.js';

export const VIEW_NAMES: Readonly<Record<ShownView, string>> = {
  graph: 'Flame graph',
  tree: 'Call tree',
  functions: 'Functions',
  threads: 'Threads',
  timeline: 'Timeline',
  requests: 'Requests',
  locks: 'Locks',
};

export class ViewBar {
  readonly element: HTMLElement;
  private readonly tabs: Tabs<ShownView>;
  private readonly lens: HTMLButtonElement;
  private readonly inverted: HTMLButtonElement;
  private readonly columns: HTMLElement;
  private state!: State; // set by the first `show`

  /** `shown`: the views that the page has. `columns`: their menu. `legend`: of the flame graph. */
  constructor(
    private readonly views: Views,
    menu: Menu,
    shown: readonly ShownView[],
    { columns, legend }: { readonly columns: HTMLElement; readonly legend: HTMLElement },
    private readonly navigation: Navigation,
    open: (view: ShownView) => void,
  ) {
    this.tabs = new Tabs(
      'Views',
      shown.map((id) => ({ id, title: VIEW_NAMES[id], content: 'view' })),
      open,
    );
    this.lens = menuButton(menu, '', 'What widths and tables count', () => this.lenses());
    this.inverted = toggle('Inverted', 'functions with their callers, by what is their own (b)', () =>
      navigation.change({ isInverted: !this.state.isInverted }),
    );
    this.lens.hidden = views.widths.length < 2;
    this.columns = columns;
    this.element = html('div', { class: 'bar' }, this.tabs.element, this.lens, this.inverted, columns, legend);
  }

  show(state: State, view: ShownView): void {
    this.state = state;
    this.tabs.show(view);
    (this.lens.firstElementChild as HTMLElement).textContent = widthName(this.views.widthOf(state), this.views);
    this.lens.disabled = view === 'timeline' || view === 'requests' || view === 'locks';
    this.columns.hidden = this.inverted.disabled = view !== 'graph' && view !== 'tree' && view !== 'functions';
    this.inverted.hidden = this.views.isBlockedAt(state) || !this.views.hasTimes;
    this.inverted.setAttribute('aria-pressed', String(state.isInverted));
  }

  /** The view after another, or before it. */
  next(view: ShownView, by: 1 | -1): ShownView {
    return this.tabs.next(view, by);
  }

  private lenses(): readonly Action[] {
    const { views, state, navigation } = this;
    return views.widths.map((width, at) => {
      const hint = width === 'cpu' && !views.hasSwitches ? tracedHint(views.data.meta) : WIDTH_HINTS[width];
      return {
        text: widthName(width, views),
        key: `${at + 1}`,
        isOn: views.widthOf(state) === width,
        act: () => navigation.change({ width }),
        ...(hint !== '' && { title: hint }),
      };
    });
  }
}

/** One chip for each thing that is left out; a press brings it back. */
export class Chips {
  readonly element = html('div', { class: 'chips', role: 'group', 'aria-label': 'Left out' });

  constructor(private readonly change: (change: Partial<State>) => void) {}

  /** `rest`: compares what is shown with the rest; null: there is none, or they are compared. */
  show(chips: readonly Chip[], rest: Partial<State> | null): void {
    const elements = chips.map(({ text, undo }) => {
      const chip = button('', `undo: ${text}`, () => this.change(undo));
      chip.className = 'chip';
      chip.append(html('span', {}, text), html('span', { 'aria-hidden': 'true' }, '✕'));
      return chip;
    });
    const all = () => this.change(Object.assign({}, ...chips.map(({ undo }) => undo)));
    this.element.replaceChildren(
      ...elements,
      ...(rest === null
        ? []
        : [button('Compare with the rest', 'what is more here than elsewhere (x)', () => this.change(rest))]),
      ...(chips.length < 2 ? [] : [button('Clear all', 'show everything again', all)]),
    );
  }
}

/** A tab, and the id of the element that shows its content. */
export interface TabOf<Id extends string> {
  readonly id: Id;
  readonly title: string;
  readonly content: string;
}

/** Tabs of which one is chosen by pointer or by arrow keys. */
export class Tabs<Id extends string> {
  readonly element: HTMLElement;
  private readonly ids: readonly Id[];
  private readonly tabs: readonly HTMLButtonElement[];

  /** `choose`: called on user input; the tab changes only by `show`. */
  constructor(
    label: string,
    tabs: readonly TabOf<Id>[],
    private readonly choose: (id: Id) => void,
  ) {
    this.ids = tabs.map(({ id }) => id);
    this.tabs = tabs.map(({ id, title, content }) =>
      html('button', { type: 'button', role: 'tab', id: `tab-${id}`, 'aria-controls': content }, title),
    );
    this.element = html('div', { role: 'tablist', 'aria-label': label }, ...this.tabs);
    this.tabs.forEach((tab, at) => {
      tab.addEventListener('click', () => choose(this.ids[at] as Id));
    });
    this.element.addEventListener('keydown', (event) => this.press(event));
  }

  show(id: Id): void {
    const chosen = this.ids.indexOf(id);
    this.tabs.forEach((tab, at) => {
      setAttributes(tab, { 'aria-selected': String(at === chosen), tabindex: at === chosen ? 0 : -1 });
    });
  }

  next(id: Id, by: number): Id {
    return this.ids[(this.ids.indexOf(id) + by + this.ids.length) % this.ids.length] as Id;
  }

  private press(event: KeyboardEvent): void {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const at = this.tabs.findIndex((tab) => tab.getAttribute('aria-selected') === 'true');
    if (step === undefined || at === -1) return;
    const id = this.next(this.ids[at] as Id, step);
    this.choose(id);
    this.tabs[this.ids.indexOf(id)]?.focus();
    consume(event);
  }
}
