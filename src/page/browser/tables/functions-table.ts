/**
 * The table of the functions in view; with a search, the list of its matches.
 */
import { formatCount, formatMany } from '../../../render/format.js';
import { htmlElement as html } from '../../../render/viewer/dom.js';
import type { State } from '../../view/state.js';
import { chosenColumns, knownColumns, type NumberColumn, usualSort } from '../../view/table-columns.js';
import type { FunctionRow, FunctionRows } from '../../view/view.js';
import type { Views } from '../../view/views.js';
import type { FrameActions } from '../graph/frame-actions.js';
import type { Navigation } from '../platform/navigation.js';
import type { ColumnsMenu } from './columns-menu.js';
import { cellColumn, nameCell } from './row-cells.js';
import { type RowMarks, type TableColumn, VirtualTable } from './virtual-table.js';

export class FunctionsTable {
  readonly element: HTMLElement;
  private readonly table: VirtualTable<FunctionRow>;
  private readonly onlyFound = html('input', { type: 'checkbox' });
  private readonly count = html('span', {});
  private readonly above = html('label', { class: 'above', hidden: '' }, this.onlyFound, this.count);
  private known: readonly NumberColumn[] = [];
  private shown: readonly unknown[] = [];

  constructor(
    private readonly views: Views,
    private readonly menu: ColumnsMenu,
    private readonly characterPx: number,
    navigation: Navigation,
    actions: FrameActions,
  ) {
    this.table = new VirtualTable('Functions', {
      choose: ({ sums }) => actions.choose(sums.symbol),
      sort: (functionsSort) => navigation.changeLayout({ functionsSort }),
    });
    this.onlyFound.addEventListener('change', () => navigation.changeLayout({ listsAll: !this.onlyFound.checked }));
    this.element = html('div', { class: 'listed' }, this.above, this.table.element);
  }

  show(state: State): void {
    const { views } = this;
    const list = views.functionsAt(state);
    const { isMatch } = views.namesAt(state);
    const marks: RowMarks<FunctionRow> = {
      isChosen: ({ sums }) => sums.symbol === state.chosen,
      canChoose: () => views.hasTimes,
      ...(isMatch && { isFound: ({ sums }) => isMatch[sums.symbol] === true }),
    };
    const { functionsSort, listsAll, columns, isInverted } = state;
    const width = views.widthOf(state);
    const shown = [list, isMatch, width, isInverted, functionsSort, listsAll, columns];
    if (shown.every((part, at) => part === this.shown[at])) {
      this.menu.show(this.known, columns);
      return this.table.mark(marks);
    }
    this.shown = shown;
    const found = isMatch && list.rows.filter(({ sums }) => isMatch[sums.symbol]);
    this.showCount(found?.length ?? null, list.rows.length, state);
    const rows = found === null || listsAll ? list.rows : found;
    this.known = this.columnsOf(list, state);
    this.menu.show(this.known, columns);
    const numbers = chosenColumns(this.known, columns).map((column) => cellColumn(column, list.totalWeight));
    const sortedBy = functionsSort || usualSort({ isInverted, sides: views.sidesAt(state) });
    this.table.show({ rows, columns: [...numbers, this.nameColumn()], sortedBy }, marks);
  }

  /** `found`: number of matches; null without a search. */
  private showCount(found: number | null, all: number, { listsAll, isInverted }: State): void {
    this.above.hidden = found === null;
    this.onlyFound.checked = !listsAll;
    const rule = isInverted ? ', those with time of their own' : '';
    this.count.textContent = ` only matches: ${formatCount(found ?? 0)} of ${formatMany(all, 'function')}${rule}`;
  }

  private columnsOf({ rows, totalWeight }: FunctionRows, state: State): NumberColumn[] {
    const { views } = this;
    const maxCalls = rows.reduce((most, { sums }) => Math.max(most, sums.calls), 0);
    const width = views.widthOf(state);
    const { isInverted } = state;
    return knownColumns({
      views,
      width,
      isInverted,
      isTree: false,
      sides: views.sidesAt(state),
      totalWeight,
      maxCalls,
    });
  }

  private nameColumn(): TableColumn<FunctionRow> {
    const { views, characterPx } = this;
    return {
      key: 'name',
      title: 'Function',
      widthPx: [120, Number.POSITIVE_INFINITY],
      isNames: true,
      isText: true,
      value: ({ sums }) => views.names[sums.symbol] as string,
      cell: ({ sums: { symbol } }, availablePx) =>
        html('span', {}, ...nameCell(views, symbol, { colour: views.classOf(symbol), availablePx, characterPx })),
    };
  }
}
