/**
 * What the tables of functions and of call paths have in common: numbers before names, the menu of columns, and marks.
 */
import type { State } from '../../view/state.js';
import { chosenColumns, knownColumns, type NumberColumn, usualSort } from '../../view/table-columns.js';
import type { FunctionRow } from '../../view/view.js';
import type { Views } from '../../view/views.js';
import type { ColumnsMenu } from './columns-menu.js';
import { cellColumn } from './row-cells.js';
import type { RowMarks, TableColumn, TableRows, VirtualTable } from './virtual-table.js';

/** What a table lists in a state. */
export interface NumbersSource<Row> {
  readonly isTree: boolean;
  readonly totalWeight: number;
  /** Computed when columns are. */
  readonly maxCalls: () => number;
  /** What rows and names depend on, besides the columns. */
  readonly asked: readonly unknown[];
  readonly nameTitle: string;
  readonly rows: (columns: readonly TableColumn<Row>[], sortedBy: string) => Pick<TableRows<Row>, 'rows' | 'isSorted'>;
}

export abstract class NumbersTable<Row extends FunctionRow> {
  protected abstract readonly table: VirtualTable<Row>;
  protected state!: State; // set by the first draw
  private source!: NumbersSource<Row>; // likewise
  private known: readonly NumberColumn[] = [];
  private shown: readonly unknown[] = [];

  constructor(
    protected readonly views: Views,
    private readonly menu: ColumnsMenu,
    protected readonly characterPx: number,
  ) {}

  protected abstract sourceAt(state: State): NumbersSource<Row>;
  /** Draws a name. */
  protected abstract cell(row: Row, widthPx: number): HTMLElement;
  /** Besides those of what is chosen and found. */
  protected abstract readonly ownMarks: Pick<RowMarks<Row>, 'canChoose' | 'levelOf'>;

  show(state: State): void {
    const { views, menu } = this;
    const { functionsSort, columns, isInverted } = state;
    const width = views.widthOf(state);
    this.state = state;
    this.source = this.sourceAt(state);
    const { asked, isTree, totalWeight, maxCalls } = this.source;
    const shown = [...asked, views.namesAt(state).isMatch, width, isInverted, functionsSort, columns];
    const isSame = shown.every((part, at) => part === this.shown[at]);
    this.shown = shown;
    if (!isSame) {
      const sides = views.sidesAt(state);
      this.known = knownColumns({ views, width, isInverted, isTree, sides, totalWeight, maxCalls: maxCalls() });
    }
    menu.show(this.known, columns);
    if (isSame) this.table.mark(this.marks());
    else this.draw();
  }

  protected draw(): void {
    const { views, source, state } = this;
    const { functionsSort, columns: chosen, isInverted } = state;
    const numbers = chosenColumns(this.known, chosen).map((column) => cellColumn(column, source.totalWeight));
    const columns: readonly TableColumn<Row>[] = [...numbers, this.nameColumn()];
    const sortedBy = functionsSort || usualSort({ isInverted, sides: views.sidesAt(state) });
    this.table.show({ ...source.rows(columns, sortedBy), columns, sortedBy }, this.marks());
  }

  private marks(): RowMarks<Row> {
    const { chosen } = this.state; // as it is now: the table compares marks with those before
    const { isMatch } = this.views.namesAt(this.state);
    return {
      ...this.ownMarks,
      isChosen: ({ sums }) => sums.symbol === chosen,
      ...(isMatch && { isFound: ({ sums }: Row) => isMatch[sums.symbol] === true }),
    };
  }

  private nameColumn(): TableColumn<Row> {
    return {
      key: 'name',
      title: this.source.nameTitle,
      widthPx: [120, Number.POSITIVE_INFINITY],
      isNames: true,
      isText: true,
      value: ({ sums }) => this.views.names[sums.symbol] as string,
      cell: (row, widthPx) => this.cell(row, widthPx),
    };
  }
}
