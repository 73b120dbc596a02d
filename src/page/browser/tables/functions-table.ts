/**
 * The table of the functions in view; with a search, the list of its matches.
 */
import type { SymbolId } from '../../../model/units.js';
import { formatCount, formatMany } from '../../../render/format.js';
import { fitLabel } from '../../../render/frames/labels.js';
import { htmlElement as html } from '../../../render/viewer/dom.js';
import { shortLine } from '../../view/captions/details.js';
import type { FunctionRow, FunctionRows } from '../../view/function-rows.js';
import type { State, Width } from '../../view/state.js';
import type { Views } from '../../view/views.js';
import { comparedColumns, DIFFERENCE, sumColumns, widthColumns } from './function-columns.js';
import { type RowMarks, type TableColumn, VirtualTable } from './virtual-table.js';

export interface FunctionsTableEvents {
  readonly choose: (symbol: SymbolId) => void;
  readonly changeLayout: (change: Partial<State>) => void;
}

export class FunctionsTable {
  readonly element: HTMLElement;
  private readonly views: Views;
  private readonly characterPx: number;
  private readonly table: VirtualTable<FunctionRow>;
  private readonly onlyFound = html('input', { type: 'checkbox' });
  private readonly count = html('span', {});
  private readonly above = html('label', { class: 'above', hidden: '' }, this.onlyFound, this.count);
  private shown: readonly unknown[] = [];

  constructor(views: Views, characterPx: number, { choose, changeLayout }: FunctionsTableEvents) {
    this.views = views;
    this.characterPx = characterPx;
    this.table = new VirtualTable('Functions', {
      choose: ({ sums }) => choose(sums.symbol),
      sort: (functionsSort) => changeLayout({ functionsSort }),
    });
    this.onlyFound.addEventListener('change', () => changeLayout({ listsAll: !this.onlyFound.checked }));
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
    const width = views.widthOf(state);
    const shown = [list, isMatch, width, state.functionsSort, state.listsAll];
    if (shown.every((part, at) => part === this.shown[at])) return this.table.mark(marks);
    this.shown = shown;
    const found = isMatch && list.rows.filter(({ sums }) => isMatch[sums.symbol]);
    this.showCount(found?.length ?? null, list.rows.length, state);
    const rows = found === null || state.listsAll ? list.rows : found;
    const isCompared = state.against !== '';
    const columns = this.columns(list, width, isCompared ? comparedColumns(width) : []);
    this.table.show({ rows, columns, sortedBy: state.functionsSort || (isCompared ? DIFFERENCE : '') }, marks);
  }

  /** `found`: number of matches; null without a search. */
  private showCount(found: number | null, all: number, { listsAll }: State): void {
    this.above.hidden = found === null;
    this.onlyFound.checked = !listsAll;
    this.count.textContent = ` only matches: ${formatCount(found ?? 0)} of ${formatMany(all, 'function')}`;
  }

  private columns(
    { rows, totalWeight }: FunctionRows,
    width: Width,
    compared: readonly TableColumn<FunctionRow>[],
  ): TableColumn<FunctionRow>[] {
    const { views } = this;
    const [weight, ...own] = widthColumns(width, totalWeight, views);
    const sums = sumColumns(width, rows, views).filter((column) => compared.length === 0 || isNextToOthers(column));
    const known = [this.nameColumn(), weight as TableColumn<FunctionRow>, ...compared, ...own, ...sums];
    return known.filter(({ isTime }) => this.views.hasTimes || !isTime);
  }

  private nameColumn(): TableColumn<FunctionRow> {
    const { views, characterPx } = this;
    const nameOf = ({ sums }: FunctionRow) => views.names[sums.symbol] as string;
    return {
      key: 'name',
      title: 'Function',
      widthPx: [120, Number.POSITIVE_INFINITY],
      isText: true,
      value: nameOf,
      cell: (row, availablePx) => {
        const { symbol } = row.sums;
        const line = views.lineOf(symbol);
        const where = line && `${line.file}:${line.line}`;
        const title = [nameOf(row), views.fileOf(symbol), where].filter(Boolean).join('\n');
        const suffix = views.nameSuffix(symbol);
        const width = Math.floor(availablePx / characterPx) - suffix.length;
        const text = fitLabel({ name: nameOf(row), numbers: [] }, width) + suffix;
        // where it begins, if there is space
        const quiet =
          line && text.length + shortLine(line).length < width ? [' ', html('em', {}, shortLine(line))] : [];
        return html('bdi', { title }, text, ...quiet);
      },
    };
  }
}

/** The columns of a comparison take the place of these. */
function isNextToOthers({ key }: TableColumn<FunctionRow>): boolean {
  return key !== 'min' && key !== 'p50' && key !== 'p90';
}
