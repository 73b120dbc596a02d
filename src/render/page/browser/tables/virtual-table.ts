/**
 * A table of any length: only the rows that can be seen are in the page.
 */
import { htmlElement as html, setAttributes } from '../../../viewer/dom.js';

export interface TableColumn<Row> {
  readonly key: string;
  readonly title: string;
  readonly hint?: string;
  /** Infinite: it takes what is left, and of a wide table a part at least. */
  readonly widthPx: readonly [least: number, most: number];
  readonly isText?: boolean;
  /** Of a trace without times there is none. */
  readonly isTime?: boolean;
  /** What stands in it; `roomPx`: how wide that may be in the first column. */
  readonly cell: (row: Row, roomPx: number) => string | Node;
  /** What it is sorted by. */
  readonly value: (row: Row) => number | string;
}

/** A row by itself; added to what is chosen, or taken from it (Ctrl); all up to it from the one that was chosen last (Shift). */
export type ChoiceMode = 'alone' | 'added' | 'through';

export interface TableEvents<Row> {
  /** `through`: the rows between the two, with both. */
  readonly choose: (row: Row, how: ChoiceMode, through: readonly Row[]) => void;
  /** As `sortBy` takes it. */
  readonly sort: (by: string) => void;
}

/** What is shown of it. */
export interface TableRows<Row> {
  readonly rows: readonly Row[];
  readonly columns: readonly TableColumn<Row>[];
  /** The column that it is sorted by, behind "-" the other way round; any other text: as the first column of numbers has it. */
  readonly sortedBy: string;
}

/** How rows are marked. */
export interface RowMarks<Row> {
  readonly isChosen: (row: Row) => boolean;
  /** What a search finds; left out: nothing is searched for. */
  readonly isFound?: (row: Row) => boolean;
  /** A click does something; left out: it does. */
  readonly canChoose?: (row: Row) => boolean;
}

const ROW_PX = 26;
const HEAD_PX = 26;
const ROWS_AHEAD = 6;
const ARROW_PX = 10;
/** Left and right of what stands in a cell. */
const PADDING_PX = 6;

export class VirtualTable<Row> {
  /** The table, which scrolls. */
  readonly element: HTMLElement;
  private readonly canvas = html('div', { class: 'canvas', role: 'rowgroup' });
  private readonly head = html('div', { class: 'head', role: 'row', 'aria-rowindex': 1 });
  private readonly events: TableEvents<Row>;
  private columns: readonly TableColumn<Row>[] = [];
  private rows: readonly Row[] = [];
  private sorted!: TableColumn<Row>;
  /** The other way round than a reader expects of the column. */
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
    this.canvas.addEventListener('mousedown', (event) => event.shiftKey && event.preventDefault()); // selects no text
    this.element.tabIndex = -1;
    this.element.addEventListener('keydown', (event) => this.press(event));
    this.canvas.addEventListener('focusin', ({ target }) => {
      this.focusedRow = rowIndex(target) ?? this.focusedRow;
    });
  }

  /** The order of the rows decides between equal ones. */
  show({ rows, columns, sortedBy }: TableRows<Row>, marks: RowMarks<Row>): void {
    const key = sortedBy.replace(/^-/, '');
    const known = columns.find((column) => column.key === key);
    this.columns = columns;
    this.sorted = known ?? (columns.find(({ isText }) => !isText) as TableColumn<Row>);
    this.isReversed = known !== undefined && sortedBy.startsWith('-');
    this.marks = marks;
    const widths = columns.map((column) => this.widthOf(column));
    this.element.style.setProperty('--columns', widths.map(([least, most]) => `minmax(${least},${most})`).join(' '));
    this.element.style.setProperty('--least', `calc(${widths.map(([least]) => least).join(' + ')})`);
    this.sort(rows);
  }

  /** In CSS. Beside the title of what it is sorted by stands an arrow. */
  private widthOf(column: TableColumn<Row>): [least: string, most: string] {
    const arrowPx = column === this.sorted ? ARROW_PX : 0;
    const [leastPx, mostPx] = column.widthPx;
    if (mostPx === Number.POSITIVE_INFINITY) return [`max(${leastPx + arrowPx}px, 16cqw, 50cqw - 330px)`, '1fr'];
    return [`${leastPx + arrowPx}px`, `${mostPx + arrowPx}px`];
  }

  /** Only how rows are marked may have changed: what is chosen now comes into sight. */
  mark(marks: RowMarks<Row>): void {
    const before = this.rows.findIndex(this.marks.isChosen);
    const chosen = this.rows.findIndex(marks.isChosen);
    this.marks = marks;
    if (chosen >= 0 && chosen !== before) this.bringIntoSight(chosen * ROW_PX);
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

  /** Texts begin with the first, numbers with the largest. */
  private isAscending({ isText = false }: TableColumn<Row>): boolean {
    return isText !== this.isReversed;
  }

  private drawRows(): void {
    const hadFocus = this.canvas.contains(document.activeElement) || document.activeElement === this.element;
    this.canvas.style.height = `${this.rows.length * ROW_PX}px`;
    this.focusedRow = Math.max(0, Math.min(this.focusedRow, this.rows.length - 1));
    const { scrollTop, clientHeight } = this.element;
    const roomPx = (this.head.firstElementChild?.clientWidth ?? 0) - 2 * PADDING_PX;
    const first = Math.max(0, Math.floor(scrollTop / ROW_PX) - ROWS_AHEAD);
    const end = Math.min(this.rows.length, Math.ceil((scrollTop + clientHeight) / ROW_PX) + ROWS_AHEAD);
    const drawn = Array.from({ length: Math.max(0, end - first) }, (_, at) => this.rowElement(first + at, roomPx));
    this.canvas.replaceChildren(...drawn);
    const focused = drawn.find((row) => row.dataset['row'] === String(this.focusedRow));
    for (const row of focused ? [focused] : drawn.slice(0, 1)) row.tabIndex = 0;
    // a row that was scrolled away keeps its place: the table has the focus meanwhile
    if (hadFocus) (focused ?? this.element).focus({ preventScroll: true });
  }

  private rowElement(index: number, roomPx: number): HTMLElement {
    const row = this.rows[index] as Row;
    const cells = this.columns.map(({ cell, isText }) =>
      html('div', { role: 'cell', class: isText ? 'text' : 'number' }, cell(row, roomPx)),
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
    else if (isChoice) this.choose(this.focusedRow, event);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** Rows stand below the head, which stays in sight. */
  private bringIntoSight(topPx: number): void {
    const { scrollTop, clientHeight } = this.element;
    if (topPx < scrollTop) this.element.scrollTop = topPx;
    else if (topPx + ROW_PX + HEAD_PX > scrollTop + clientHeight)
      this.element.scrollTop = topPx + ROW_PX + HEAD_PX - clientHeight;
  }

  private moveTo(index: number): void {
    this.focusedRow = Math.max(0, Math.min(index, this.rows.length - 1));
    this.bringIntoSight(this.focusedRow * ROW_PX);
    this.drawRows();
    this.canvas.querySelector<HTMLElement>(`[data-row="${this.focusedRow}"]`)?.focus({ preventScroll: true });
  }
}

function rowIndex(target: EventTarget | null): number | null {
  const row = target instanceof Element ? target.closest<HTMLElement>('.row') : null;
  return row === null ? null : Number(row.dataset['row']);
}
