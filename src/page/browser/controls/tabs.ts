/**
 * Tabs that switch between tables.
 */
import { htmlElement as html, setAttributes } from '../../../render/viewer/dom.js';

export interface TabOf<Id extends string> {
  readonly id: Id;
  readonly title: string;
  readonly content: HTMLElement;
}

export class Tabs<Id extends string> {
  readonly element: HTMLElement;
  private readonly ids: readonly Id[];
  private readonly choose: (id: Id) => void;
  private readonly tabs: readonly HTMLButtonElement[];
  private readonly panels: readonly HTMLElement[];

  /** `select`: called on user input; the tab changes only by `show`. */
  constructor(tabs: readonly TabOf<Id>[], select: (id: Id) => void) {
    this.ids = tabs.map(({ id }) => id);
    this.choose = select;
    this.tabs = tabs.map(({ id, title }) =>
      html('button', { type: 'button', role: 'tab', id: `tab-${id}`, 'aria-controls': `panel-${id}` }, title),
    );
    this.panels = tabs.map(({ id, content }) =>
      html('div', { role: 'tabpanel', id: `panel-${id}`, 'aria-labelledby': `tab-${id}` }, content),
    );
    const list = html('div', { role: 'tablist', class: 'tablist', 'aria-label': 'Tables' }, ...this.tabs);
    this.element = html('div', { class: 'tabs' }, list, ...this.panels);
    this.tabs.forEach((tab, at) => {
      tab.addEventListener('click', () => select(this.ids[at] as Id));
    });
    list.addEventListener('keydown', (event) => this.press(event));
  }

  show(id: Id): void {
    const chosen = this.ids.indexOf(id);
    this.tabs.forEach((tab, at) => {
      setAttributes(tab, { 'aria-selected': String(at === chosen), tabindex: at === chosen ? 0 : -1 });
      (this.panels[at] as HTMLElement).classList.toggle('closed', at !== chosen);
    });
  }

  setHidden(id: Id, isHidden: boolean): void {
    (this.tabs[this.ids.indexOf(id)] as HTMLElement).hidden = isHidden;
  }

  private press(event: KeyboardEvent): void {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (step === undefined) return;
    const shown = this.tabs.filter((tab) => !tab.hidden);
    const at = shown.findIndex((tab) => tab.getAttribute('aria-selected') === 'true');
    const next = shown[(at + step + shown.length) % shown.length] as HTMLButtonElement;
    this.choose(this.ids[this.tabs.indexOf(next)] as Id);
    next.focus();
    event.preventDefault();
    event.stopPropagation();
  }
}
