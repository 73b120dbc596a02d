/**
 * The menu of the columns that the functions table and the call tree show.
 */
import { htmlElement as html } from '../../../render/viewer/dom.js';
import { chosenColumns, type NumberColumn, withColumn } from '../../view/table-columns.js';

export class ColumnsMenu {
  readonly element: HTMLElement;
  private readonly opener = html(
    'button',
    { type: 'button', 'aria-haspopup': 'menu', 'aria-expanded': 'false', title: 'choose what the table shows' },
    'Columns ▾',
  );
  private readonly menu = html('div', { class: 'menu', role: 'menu', 'aria-label': 'Columns', hidden: '' });
  private readonly choose: (columns: string) => void;
  private known: readonly NumberColumn[] = [];
  private chosen = '';

  /** `choose`: gets the choice as the state has it. */
  constructor(choose: (columns: string) => void) {
    this.choose = choose;
    this.element = html('div', { class: 'columns' }, this.opener, this.menu);
    this.opener.addEventListener('click', () => (this.menu.hidden ? this.open() : this.close()));
    this.element.addEventListener('keydown', (event) => this.press(event));
    document.addEventListener('pointerdown', ({ target }) => {
      if (!this.element.contains(target as Node)) this.close();
    });
  }

  /** `known`: the columns that the table could show. */
  show(known: readonly NumberColumn[], chosen: string): void {
    this.known = known.filter(({ key }) => key !== 'there' && key !== 'difference');
    this.chosen = chosen;
    if (!this.menu.hidden) this.draw();
  }

  private open(): void {
    this.menu.hidden = false;
    this.opener.setAttribute('aria-expanded', 'true');
    this.draw();
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

  private draw(): void {
    const { known, chosen } = this;
    const shown = chosenColumns(known, chosen);
    const focused = this.items.indexOf(document.activeElement as HTMLButtonElement);
    const items = known.map((column) => {
      const item = html(
        'button',
        {
          ...{ type: 'button', role: 'menuitemcheckbox', tabindex: -1, title: column.hint },
          'aria-checked': String(shown.includes(column)),
        },
        column.title,
      );
      item.addEventListener('click', () => this.choose(withColumn(known, chosen, column.key)));
      return item;
    });
    const reset = html('button', { type: 'button', role: 'menuitem', tabindex: -1 }, 'Reset');
    reset.addEventListener('click', () => this.choose(''));
    const others = known.findIndex(({ isUsual }) => !isUsual);
    const rule = () => html('div', { role: 'separator' });
    this.menu.replaceChildren(
      ...items.slice(0, others < 0 ? items.length : others),
      ...(others < 0 ? [] : [rule(), ...items.slice(others)]),
      ...[rule(), reset],
    );
    this.items[focused]?.focus();
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
