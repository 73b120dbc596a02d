/**
 * A table of any length: only the visible rows are in the document. Columns that have no room are left out, so that none is
 * cut.
 */

import { consume, htmlElement as html } from '../../../render/viewer/dom.js';
import { onResize } from '../platform/lifetime.js';

export interface TableColumn<Row> {
  readonly key: string;
  readonly title: string;
  readonly hint?: string;
  /** Infinite: it fills the rest. */
  readonly widthPx: readonly [min: number, max: number];
  /** What rows are of: the column stays if there is little room. */
  readonly isNames?: boolean;
  /** Left out of narrower tables. */
  readonly fromPx?: number;
  readonly isText?: boolean;
  /** Hidden for traces without times. */
  readonly isTime?: boolean;
  /** Returns the content of a cell. `availablePx`: width of the column of names. */
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
  /** Enter, or a double click; absent: Enter selects. */
  readonly enter?: (row: Row) => void;
  /** Any other key on a row; returns whether it did something. `at`: of the row. */
  readonly press?: (row: Row, key: string, at: number) => boolean;
  /** Opens a menu at a point of the window. */
  readonly menu?: (row: Row, xPx: number, yPx: number, back: () => void) => void;
}

export interface TableRows<Row> {
  readonly rows: readonly Row[];
  readonly columns: readonly TableColumn<Row>[];
  /** Key of the sort column, with prefix "-" if reversed; for any other text, the first column of numbers. */
  readonly sortedBy: string;
  /** Rows are in order already. */
  readonly isSorted?: boolean;
}

export interface RowMarks<Row> {
  readonly isChosen: (row: Row) => boolean;
  /** Whether the search matches a row; absent without a search. */
  readonly isFound?: (row: Row) => boolean;
  /** Whether a row can be selected; absent: all can. */
  readonly canChoose?: (row: Row) => boolean;
  /** Where a row is in a tree. `isOpen`: null if there is nothing below it. */
  readonly levelOf?: (row: Row) => { readonly level: number; readonly isOpen: boolean | null };
}

const ROW_PX = 27;
const HEAD_PX = 28;
/** The table may be lower on the screen than on paper; as in the style sheet. */
const PRINTED_ROWS = 40;
const ROWS_AHEAD = 6;
const ARROW_PX = 12;
/** Padding left and right of the content of a cell. */
const PADDING_PX = 8;

/** How rows are sorted: by a column, in its default order or reversed. */
class Sorting<Row> {
  readonly column: TableColumn<Row>;
  readonly isReversed: boolean;

  /** `sortedBy`: as in `TableRows`. */
  constructor(columns: readonly TableColumn<Row>[], sortedBy: string) {
    const known = columns.find(({ key }) => key === sortedBy.replace(/^-/, ''));
    this.column = known ?? (columns.find(({ isText }) => !isText) as TableColumn<Row>);
    this.isReversed = known !== undefined && sortedBy.startsWith('-');
  }

  /** By default, texts are sorted ascending and numbers descending. */
  get isAscending(): boolean {
    return (this.column.isText ?? false) !== this.isReversed;
  }

  /** Sorts stably; what has no number comes last. */
  sorted(rows: readonly Row[]): Row[] {
    const { column, isAscending } = this;
    const keyed = rows.map((row) => {
      const value = column.value(row);
      return { row, key: typeof value === 'number' && Number.isNaN(value) ? Number.NEGATIVE_INFINITY : value };
    });
    keyed.sort((a, b) => (a.key === b.key ? 0 : a.key < b.key === isAscending ? -1 : 1));
    return keyed.map(({ row }) => row);
  }
}

/** Returns the order of rows, for tables that get theirs sorted. */
export function sorterBy<Row>(columns: readonly TableColumn<Row>[], sortedBy: string): (rows: Row[]) => Row[] {
  const sorting = new Sorting(columns, sortedBy);
  return (rows) => sorting.sorted(rows);
}

export class VirtualTable<Row> {
  /** The scrolling table. */
  readonly element: HTMLElement;
  private readonly canvas = html('div', { class: 'canvas', role: 'rowgroup' });
  private readonly head = html('div', { class: 'head', role: 'row', 'aria-rowindex': 1 });
  private readonly cellRole: 'cell' | 'gridcell';
  /** With those that have no room. */
  private known: readonly TableColumn<Row>[] = [];
  private columns: readonly TableColumn<Row>[] = [];
  private rows: readonly Row[] = [];
  private sorting!: Sorting<Row>;
  private marks: RowMarks<Row> = { isChosen: () => false };
  private focusedRow = 0;
  private chosenLast: Row | null = null;

  constructor(
    label: string,
    private readonly events: TableEvents<Row>,
    role: 'table' | 'treegrid' = 'table',
  ) {
    this.cellRole = role === 'table' ? 'cell' : 'gridcell';
    this.element = html(
      'div',
      { class: 'table', role, 'aria-label': label },
      html('div', { class: 'headgroup', role: 'rowgroup' }, this.head),
      this.canvas,
    );
    this.element.addEventListener('scroll', () => this.drawRows());
    onResize(this.element, () => this.fit());
    this.canvas.addEventListener('click', (event) => {
      if (event.detail < 2 || events.enter === undefined) this.choose(rowIndex(event.target), event);
    });
    this.canvas.addEventListener('dblclick', ({ target }) => this.enter(rowIndex(target)));
    this.canvas.addEventListener('contextmenu', (event) => {
      if (this.openMenu(rowIndex(event.target), event.clientX, event.clientY)) event.preventDefault();
    });
    this.canvas.addEventListener('mousedown', (event) => {
      if (event.shiftKey || event.detail > 1) event.preventDefault(); // prevents text selection
    });
    this.element.tabIndex = -1;
    this.element.addEventListener('keydown', (event) => this.press(event));
    this.canvas.addEventListener('focusin', ({ target }) => {
      this.focusedRow = rowIndex(target) ?? this.focusedRow;
    });
  }

  show({ rows, columns, sortedBy, isSorted = false }: TableRows<Row>, marks: RowMarks<Row>): void {
    this.sorting = new Sorting(columns, sortedBy);
    this.marks = marks;
    this.rows = isSorted ? rows : this.sorting.sorted(rows);
    this.known = columns;
    this.element.setAttribute('aria-rowcount', String(this.rows.length + 1));
    this.showColumns();
  }

  /** Updates the marks only; scrolls a newly selected row into view. */
  mark(marks: RowMarks<Row>): void {
    const before = this.rows.findIndex(this.marks.isChosen);
    const chosen = this.rows.findIndex(marks.isChosen);
    this.marks = marks;
    if (chosen >= 0 && chosen !== before) this.scrollToOffset(chosen * ROW_PX);
    this.drawRows();
  }

  /** Moves the focus to a row. */
  moveTo(index: number): void {
    this.focusedRow = Math.max(0, Math.min(index, this.rows.length - 1));
    this.scrollToOffset(this.focusedRow * ROW_PX);
    this.drawRows();
    this.rowBelow(this.focusedRow)?.focus({ preventScroll: true });
  }

  private fit(): void {
    const fitting = this.fittingColumns();
    if (fitting.every((column, at) => column === this.columns[at]) && fitting.length === this.columns.length)
      this.drawRows();
    else this.showColumns();
  }

  private showColumns(): void {
    this.columns = this.fittingColumns();
    const widths = this.columns.map(({ widthPx: [min, max] }, at) => {
      const arrowPx = this.columns[at] === this.sorting.column ? ARROW_PX : 0;
      return `minmax(${min + arrowPx}px,${max === Number.POSITIVE_INFINITY ? '1fr' : `${max + arrowPx}px`})`;
    });
    this.element.style.setProperty('--columns', widths.join(' '));
    this.drawHead();
    this.drawRows();
  }

  /** Returns the columns for which there is room; the last ones go first. All of a table that is not seen. */
  private fittingColumns(): readonly TableColumn<Row>[] {
    const { clientWidth } = this.element;
    if (clientWidth === 0) return this.known;
    const fitting = this.known.filter(({ fromPx = 0 }) => clientWidth >= fromPx);
    const leastPx = () => fitting.reduce((sum, { widthPx: [min] }) => sum + min, ARROW_PX);
    while (leastPx() > clientWidth && fitting.length > 2)
      fitting.splice(
        fitting.findLastIndex(({ isNames }) => !isNames),
        1,
      );
    return fitting;
  }

  private drawHead(): void {
    const { sorting } = this;
    const cells = this.columns.map((column) => {
      const { key, title, hint } = column;
      const isSorted = column === sorting.column;
      const arrow = isSorted ? (sorting.isAscending ? ' ↑' : ' ↓') : '';
      const click = () => this.events.sort(isSorted && !sorting.isReversed ? `-${key}` : key);
      const button = html('button', { type: 'button', ...(hint && { title: hint }), click }, title + arrow);
      const sort = isSorted ? { 'aria-sort': sorting.isAscending ? 'ascending' : 'descending' } : {};
      return html('div', { role: 'columnheader', class: classOf(column), ...sort }, button);
    });
    const focused = [...this.head.children].findIndex((cell) => cell.contains(document.activeElement));
    this.head.replaceChildren(...cells);
    if (focused >= 0) cells[focused]?.querySelector('button')?.focus();
  }

  private drawRows(): void {
    const hadFocus = this.canvas.contains(document.activeElement) || document.activeElement === this.element;
    this.canvas.style.height = `${this.rows.length * ROW_PX}px`;
    this.focusedRow = Math.max(0, Math.min(this.focusedRow, this.rows.length - 1));
    const { scrollTop, clientHeight } = this.element;
    const names = this.head.children[this.columns.findIndex(({ isNames }) => isNames)];
    const availablePx = (names?.clientWidth ?? 0) - 2 * PADDING_PX;
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
    const cells = this.columns.map((column) =>
      html('div', { role: this.cellRole, class: classOf(column) }, column.cell(row, availablePx)),
    );
    const { isChosen, isFound, canChoose, levelOf } = this.marks;
    const classes = ['row'];
    if (isChosen(row)) classes.push('chosen');
    if (isFound?.(row)) classes.push('found');
    if (canChoose?.(row) === false) classes.push('inert');
    const inTree = levelOf?.(row);
    const attributes = {
      role: 'row',
      class: classes.join(' '),
      'aria-rowindex': index + 2,
      'data-row': index,
      tabindex: -1,
      ...(isChosen(row) && { 'aria-current': 'true' }),
      ...(inTree && { 'aria-level': inTree.level }),
      ...(inTree && inTree.isOpen !== null && { 'aria-expanded': String(inTree.isOpen) }),
    };
    const element = html('div', attributes, ...cells);
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

  private enter(index: number | null): void {
    const row = index === null ? undefined : this.rows[index];
    if (row !== undefined) this.events.enter?.(row);
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
    const row = this.rows[this.focusedRow];
    if (to !== undefined) this.moveTo(to);
    else if (row !== undefined && this.events.press?.(row, event.key, this.focusedRow)) this.drawRows();
    else if (event.key === 'm') return this.pressMenu(event);
    else if (event.key === 'Enter' && this.events.enter !== undefined) this.enter(this.focusedRow);
    else if (isChoice) this.choose(this.focusedRow, event);
    else return;
    consume(event);
  }

  private pressMenu(event: KeyboardEvent): void {
    const row = this.rowBelow(this.focusedRow)?.getBoundingClientRect();
    if (row === undefined || !this.openMenu(this.focusedRow, row.left, row.bottom)) return;
    consume(event);
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
}

function classOf({ isText = false, isNames = false }: Pick<TableColumn<never>, 'isText' | 'isNames'>): string {
  return isNames ? 'text names' : isText ? 'text' : 'number';
}

function rowIndex(target: EventTarget | null): number | null {
  const row = target instanceof Element ? target.closest<HTMLElement>('.row') : null;
  return row === null ? null : Number(row.dataset['row']);
}
