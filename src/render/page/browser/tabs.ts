/**
 * Several tables in one place.
 */
import { htmlElement as html, setAttributes } from '../../browser/dom.js';

export interface Tab {
  readonly id: string;
  readonly title: string;
  readonly content: HTMLElement;
}

export class Tabs {
  readonly element: HTMLElement;
  private readonly tabs: readonly HTMLButtonElement[];
  private readonly panels: readonly HTMLElement[];

  constructor(tabs: readonly Tab[]) {
    this.tabs = tabs.map(({ id, title }) =>
      html('button', { type: 'button', role: 'tab', id: `tab-${id}`, 'aria-controls': `panel-${id}` }, title),
    );
    this.panels = tabs.map(({ id, content }) =>
      html('div', { role: 'tabpanel', id: `panel-${id}`, 'aria-labelledby': `tab-${id}` }, content),
    );
    const list = html('div', { role: 'tablist', class: 'tablist', 'aria-label': 'Tables' }, ...this.tabs);
    this.element = html('div', { class: 'tabs' }, list, ...this.panels);
    this.tabs.forEach((tab, at) => {
      tab.addEventListener('click', () => this.select(at));
    });
    list.addEventListener('keydown', (event) => this.press(event));
    this.select(0);
  }

  private select(chosen: number): void {
    this.tabs.forEach((tab, at) => {
      setAttributes(tab, { 'aria-selected': String(at === chosen), tabindex: at === chosen ? 0 : -1 });
      (this.panels[at] as HTMLElement).classList.toggle('closed', at !== chosen);
    });
  }

  private press(event: KeyboardEvent): void {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (step === undefined) return;
    const at = this.tabs.findIndex((tab) => tab.getAttribute('aria-selected') === 'true');
    const next = (at + step + this.tabs.length) % this.tabs.length;
    this.select(next);
    this.tabs[next]?.focus();
    event.preventDefault();
    event.stopPropagation();
  }
}
