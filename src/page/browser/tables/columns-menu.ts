/**
 * The menu of the columns that the functions table and the call tree show.
 */
import { htmlElement as html } from '../../../render/viewer/dom.js';
import { chosenColumns, type NumberColumn, withColumn } from '../../view/table-columns.js';

const MARGIN_PX = 4;

export class ColumnsMenu {
  readonly element: HTMLElement;
  private readonly opener = html(
    'button',
    { type: 'button', 'aria-haspopup': 'menu', 'aria-expanded': 'false', title: 'choose what the table shows' },
    'Columns ▾',
  );
  private readonly menu = html('div', { class: 'choices', role: 'menu', 'aria-label': 'Columns', hidden: '' });
  private readonly choose: (columns: string) => void;
  private known: readonly NumberColumn[] = [];
  private chosen = '';

  /** `choose`: gets the choice as the state has it. */
  constructor(choose: (columns: string) => void) {
    this.choose = choose;
    this.element = html('div', { class: 'columns' }, this.opener, this.menu);
    this.opener.addEventListener('click', () => (this.menu.hidden ? this.open() : this.close()));
    this.element.addEventListener('keydown', (event) => this.press(event));
    this.element.addEventListener('mousedown', (event) => event.preventDefault()); // keeps the focus
    this.element.addEventListener('focusout', ({ relatedTarget }) => {
      if (!this.element.contains(relatedTarget as Node | null)) this.close();
    });
  }

  /** `known`: the columns that the table could show. */
  show(known: readonly NumberColumn[], chosen: string): void {
    this.known = known.filter(({ key }) => key !== 'there' && key !== 'difference');
    this.chosen = chosen;
    this.check();
  }

  private open(): void {
    this.menu.hidden = false;
    this.opener.setAttribute('aria-expanded', 'true');
    this.fill();
    // below the button, or as low as the window permits
    const roomPx = innerHeight - MARGIN_PX - this.element.getBoundingClientRect().top - this.menu.offsetHeight;
    this.menu.style.top = `${Math.min(this.opener.offsetHeight + MARGIN_PX, roomPx)}px`;
    this.items[0]?.focus();
  }

  private close(): void {
    if (this.menu.hidden) return;
    const hadFocus = this.menu.contains(document.activeElement);
    this.menu.hidden = true;
    this.opener.setAttribute('aria-expanded', 'false');
    if (hadFocus) this.opener.focus();
  }

  private get items(): HTMLButtonElement[] {
    return [...this.menu.querySelectorAll('button')];
  }

  private fill(): void {
    const { known } = this;
    const items = known.map(({ key, title, hint }) => {
      const attributes = { type: 'button', role: 'menuitemcheckbox', tabindex: -1, title: hint, 'data-key': key };
      const item = html('button', attributes, title);
      item.addEventListener('click', () => this.choose(withColumn(this.known, this.chosen, key)));
      return item;
    });
    const reset = html('button', { type: 'button', role: 'menuitem', tabindex: -1 }, 'Reset');
    reset.addEventListener('click', () => this.choose(''));
    const rule = () => html('div', { role: 'separator' });
    const usual = items.filter((_, at) => known[at]?.isUsual);
    const others = items.filter((item) => !usual.includes(item));
    this.menu.replaceChildren(...usual, ...(others.length > 0 ? [rule(), ...others] : []), ...[rule(), reset]);
    this.check();
  }

  private check(): void {
    const shown = chosenColumns(this.known, this.chosen).map(({ key }) => key);
    for (const item of this.menu.querySelectorAll<HTMLElement>('[data-key]'))
      item.setAttribute('aria-checked', String(shown.includes(item.dataset['key'] as string)));
  }

  private press(event: KeyboardEvent): void {
    if (this.menu.hidden) return;
    const { items } = this;
    const at = items.indexOf(document.activeElement as HTMLButtonElement);
    const to: Readonly<Record<string, number>> = {
      ArrowDown: (at + 1) % items.length,
      ArrowUp: (at - 1 + items.length) % items.length,
      Home: 0,
      End: items.length - 1,
    };
    const next = to[event.key];
    if (next !== undefined) items[next]?.focus();
    else if (event.key === 'Escape') this.close();
    else if (event.key === 'Tab') return this.close();
    else if (event.key === 'Enter' || event.key === ' ') return event.stopPropagation(); // the button handles it
    event.preventDefault();
    event.stopPropagation();
  }
}
