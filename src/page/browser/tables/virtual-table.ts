/**
 * A table of any length: only the visible rows are in the document.
 */
import { htmlElement as html, setAttributes } from '../../../render/viewer/dom.js';

export interface TableColumn<Row> {
  readonly key: string;
  readonly title: string;
  readonly hint?: string;
  /** If infinite, the column fills the rest, and at least a part of a wide table. */
  readonly widthPx: readonly [min: number, max: number];
  readonly isText?: boolean;
  /** Hidden for traces without times. */
  readonly isTime?: boolean;
  /** Returns the content of a cell. `availablePx`: width of the first column. */
  readonly cell: (row: Row, availablePx: number) => string | Node;
  /** Returns the sort key. */
  readonly value: (row: Row) => number | string;
}

/** Selects a row alone; adds or removes it (Ctrl); selects all rows from the last selected one (Shift). */
export type ChoiceMode = 'alone' | 'added' | 'through';

export interface TableEvents<Row> {
  /** `through`: the rows between the last selected one and this, inclusive. */
  readonly choose: (row: Row, how: ChoiceMode, through: readonly Row[]) => void;
  /** `by`: as in `TableRows.sortedBy`. */
  readonly sort: (by: string) => void;
  /** Opens a menu at a point of the window. */
  readonly menu?: (row: Row, xPx: number, yPx: number, back: () => void) => void;
}

export interface TableRows<Row> {
  readonly rows: readonly Row[];
  readonly columns: readonly TableColumn<Row>[];
  /** Key of the sort column, with prefix "-" if reversed; for any other text, the first column of numbers. */
  readonly sortedBy: string;
}

export interface RowMarks<Row> {
  readonly isChosen: (row: Row) => boolean;
  /** Whether the search matches a row; absent without a search. */
  readonly isFound?: (row: Row) => boolean;
  /** Whether a row can be selected; absent: all can. */
  readonly canChoose?: (row: Row) => boolean;
}

const ROW_PX = 26;
const HEAD_PX = 26;
/** The table may be lower on the screen than on paper; as in the style sheet. */
const PRINTED_ROWS = 20;
const ROWS_AHEAD = 6;
const ARROW_PX = 10;
/** Padding left and right of the content of a cell. */
const PADDING_PX = 6;

export class VirtualTable<Row> {
  /** The scrolling table. */
  readonly element: HTMLElement;
  private readonly canvas = html('div', { class: 'canvas', role: 'rowgroup' });
  private readonly head = html('div', { class: 'head', role: 'row', 'aria-rowindex': 1 });
  private readonly events: TableEvents<Row>;
  private columns: readonly TableColumn<Row>[] = [];
  private rows: readonly Row[] = [];
  private sorted!: TableColumn<Row>;
  /** Reverses the default order of the sort column. */
  private isReversed = false;
  private marks: RowMarks<Row> = { isChosen: () => false };
  private focusedRow = 0;
  private chosenLast: Row | null = null;

  constructor(label: string, events: TableEvents<Row>) {
    this.events = events;
    this.element = html(
      'div',
      { class: 'table', role: 'table', 'aria-label': label },
      html('div', { class: 'headgroup', role: 'rowgroup' }, this.head),
      this.canvas,
    );
    this.element.addEventListener('scroll', () => this.drawRows());
    new ResizeObserver(() => this.drawRows()).observe(this.element);
    this.canvas.addEventListener('click', (event) => this.choose(rowIndex(event.target), event));
    this.canvas.addEventListener('contextmenu', (event) => {
      if (this.openMenu(rowIndex(event.target), event.clientX, event.clientY)) event.preventDefault();
    });
    this.canvas.addEventListener('mousedown', (event) => event.shiftKey && event.preventDefault()); // prevents text selection
    this.element.tabIndex = -1;
    this.element.addEventListener('keydown', (event) => this.press(event));
    this.canvas.addEventListener('focusin', ({ target }) => {
      this.focusedRow = rowIndex(target) ?? this.focusedRow;
    });
  }

  /** Shows rows, sorted stably. */
  show({ rows, columns, sortedBy }: TableRows<Row>, marks: RowMarks<Row>): void {
    const key = sortedBy.replace(/^-/, '');
    const known = columns.find((column) => column.key === key);
    this.columns = columns;
    this.sorted = known ?? (columns.find(({ isText }) => !isText) as TableColumn<Row>);
    this.isReversed = known !== undefined && sortedBy.startsWith('-');
    this.marks = marks;
    const widths = columns.map((column) => this.widthOf(column));
    this.element.style.setProperty('--columns', widths.map(([min, max]) => `minmax(${min},${max})`).join(' '));
    this.element.style.setProperty('--least', `calc(${widths.map(([min]) => min).join(' + ')})`);
    this.sort(rows);
  }

  /** Returns the bounds of the width as CSS; the sort column needs space for its arrow. */
  private widthOf(column: TableColumn<Row>): [min: string, max: string] {
    const arrowPx = column === this.sorted ? ARROW_PX : 0;
    const [minPx, maxPx] = column.widthPx;
    if (maxPx === Number.POSITIVE_INFINITY) return [`max(${minPx + arrowPx}px, 15cqw, 50cqw - 336px)`, '1fr'];
    return [`${minPx + arrowPx}px`, `${maxPx + arrowPx}px`];
  }

  /** Updates the marks only; scrolls a newly selected row into view. */
  mark(marks: RowMarks<Row>): void {
    const before = this.rows.findIndex(this.marks.isChosen);
    const chosen = this.rows.findIndex(marks.isChosen);
    this.marks = marks;
    if (chosen >= 0 && chosen !== before) this.scrollToOffset(chosen * ROW_PX);
    this.drawRows();
  }

  private sort(rows: readonly Row[]): void {
    const column = this.sorted;
    const value = (row: Row) => {
      const own = column.value(row);
      return typeof own === 'number' && Number.isNaN(own) ? Number.NEGATIVE_INFINITY : own;
    };
    const keyed = rows.map((row) => ({ row, key: value(row) }));
    const isAscending = this.isAscending(column);
    keyed.sort((a, b) => (a.key === b.key ? 0 : a.key < b.key === isAscending ? -1 : 1));
    this.rows = keyed.map(({ row }) => row);
    setAttributes(this.element, { 'aria-rowcount': this.rows.length + 1 });
    this.drawHead();
    this.drawRows();
  }

  private drawHead(): void {
    const cells = this.columns.map((column) => {
      const { key, title, hint, isText } = column;
      const isSorted = column === this.sorted;
      const isAscending = this.isAscending(column);
      const arrow = isSorted ? (isAscending ? ' ▲' : ' ▼') : '';
      const button = html('button', { type: 'button', ...(hint && { title: hint }) }, title + arrow);
      button.addEventListener('click', () => this.events.sort(isSorted && !this.isReversed ? `-${key}` : key));
      const sort = isSorted ? { 'aria-sort': isAscending ? 'ascending' : 'descending' } : {};
      return html('div', { role: 'columnheader', class: isText ? 'text' : 'number', ...sort }, button);
    });
    const focused = [...this.head.children].findIndex((cell) => cell.contains(document.activeElement));
    this.head.replaceChildren(...cells);
    if (focused >= 0) cells[focused]?.querySelector('button')?.focus();
  }

  /** By default, texts are sorted ascending and numbers descending. */
  private isAscending({ isText = false }: TableColumn<Row>): boolean {
    return isText !== this.isReversed;
  }

  private drawRows(): void {
    const hadFocus = this.canvas.contains(document.activeElement) || document.activeElement === this.element;
    this.canvas.style.height = `${this.rows.length * ROW_PX}px`;
    this.focusedRow = Math.max(0, Math.min(this.focusedRow, this.rows.length - 1));
    const { scrollTop, clientHeight } = this.element;
    const availablePx = (this.head.firstElementChild?.clientWidth ?? 0) - 2 * PADDING_PX;
    const first = Math.max(0, Math.floor(scrollTop / ROW_PX) - ROWS_AHEAD);
    const end = Math.min(
      this.rows.length,
      Math.max(Math.ceil((scrollTop + clientHeight) / ROW_PX), Math.ceil(scrollTop / ROW_PX) + PRINTED_ROWS) +
        ROWS_AHEAD,
    );
    const drawn = Array.from({ length: Math.max(0, end - first) }, (_, at) => this.rowElement(first + at, availablePx));
    this.canvas.replaceChildren(...drawn);
    const focused = drawn.find((row) => row.dataset['row'] === String(this.focusedRow));
    for (const row of focused ? [focused] : drawn.slice(0, 1)) row.tabIndex = 0;
    // while the focused row is scrolled out of view, the table has the focus
    if (hadFocus) (focused ?? this.element).focus({ preventScroll: true });
  }

  private rowElement(index: number, availablePx: number): HTMLElement {
    const row = this.rows[index] as Row;
    const cells = this.columns.map(({ cell, isText }) =>
      html('div', { role: 'cell', class: isText ? 'text' : 'number' }, cell(row, availablePx)),
    );
    const { isChosen, isFound, canChoose } = this.marks;
    const classes = ['row'];
    if (isChosen(row)) classes.push('chosen');
    if (isFound?.(row)) classes.push('found');
    if (canChoose?.(row) === false) classes.push('inert');
    const attributes = {
      role: 'row',
      class: classes.join(' '),
      'aria-rowindex': index + 2,
      'data-row': index,
      tabindex: -1,
    };
    const element = html('div', isChosen(row) ? { ...attributes, 'aria-current': 'true' } : attributes, ...cells);
    element.style.transform = `translateY(${index * ROW_PX}px)`;
    return element;
  }

  private choose(index: number | null, { ctrlKey, metaKey, shiftKey }: MouseEvent | KeyboardEvent): void {
    const row = index === null ? undefined : this.rows[index];
    if (index === null || row === undefined || this.marks.canChoose?.(row) === false) return;
    const how = shiftKey ? 'through' : ctrlKey || metaKey ? 'added' : 'alone';
    if (how !== 'through') this.chosenLast = row;
    const last = Math.max(0, this.rows.indexOf(this.chosenLast as Row));
    this.events.choose(row, how, this.rows.slice(Math.min(last, index), Math.max(last, index) + 1));
  }

  private press(event: KeyboardEvent): void {
    if (event.altKey || this.head.contains(event.target as Node)) return;
    const isChoice = event.key === 'Enter' || event.key === ' ';
    if ((event.ctrlKey || event.metaKey) && !isChoice) return;
    const page = Math.max(1, Math.floor(this.element.clientHeight / ROW_PX) - 1);
    const steps: Readonly<Record<string, number>> = {
      ArrowUp: this.focusedRow - 1,
      ArrowDown: this.focusedRow + 1,
      PageUp: this.focusedRow - page,
      PageDown: this.focusedRow + page,
      Home: 0,
      End: this.rows.length - 1,
    };
    const to = steps[event.key];
    if (to !== undefined) this.moveTo(to);
    else if (event.key === 'm') return this.pressMenu(event);
    else if (isChoice) this.choose(this.focusedRow, event);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  private pressMenu(event: KeyboardEvent): void {
    const row = this.rowBelow(this.focusedRow)?.getBoundingClientRect();
    if (row === undefined || !this.openMenu(this.focusedRow, row.left, row.bottom)) return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** Returns whether there is a menu. */
  private openMenu(index: number | null, xPx: number, yPx: number): boolean {
    const row = index === null ? undefined : this.rows[index];
    const { menu } = this.events;
    if (index === null || row === undefined || menu === undefined) return false;
    menu(row, xPx, yPx, () => this.moveTo(index));
    return true;
  }

  private rowBelow(index: number): HTMLElement | null {
    return this.canvas.querySelector<HTMLElement>(`[data-row="${index}"]`);
  }

  /** Scrolls to a row; the head covers the top of the table. */
  private scrollToOffset(topPx: number): void {
    const { scrollTop, clientHeight } = this.element;
    if (topPx < scrollTop) this.element.scrollTop = topPx;
    else if (topPx + ROW_PX + HEAD_PX > scrollTop + clientHeight)
      this.element.scrollTop = topPx + ROW_PX + HEAD_PX - clientHeight;
  }

  private moveTo(index: number): void {
    this.focusedRow = Math.max(0, Math.min(index, this.rows.length - 1));
    this.scrollToOffset(this.focusedRow * ROW_PX);
    this.drawRows();
    this.rowBelow(this.focusedRow)?.focus({ preventScroll: true });
  }
}

function rowIndex(target: EventTarget | null): number | null {
  const row = target instanceof Element ? target.closest<HTMLElement>('.row') : null;
  return row === null ? null : Number(row.dataset['row']);
}
