/**
 * The table of the functions in view; with a search, the list of its matches.
 */
import { formatCount, formatMany } from '../../../render/format.js';
import { htmlElement as html } from '../../../render/viewer/dom.js';
import type { State } from '../../view/state.js';
import type { FunctionRow } from '../../view/view.js';
import type { Views } from '../../view/views.js';
import type { FrameActions } from '../graph/frame-actions.js';
import type { Navigation } from '../platform/navigation.js';
import type { ColumnsMenu } from './columns-menu.js';
import { type NumbersSource, NumbersTable } from './numbers-table.js';
import { nameCell } from './row-cells.js';
import { VirtualTable } from './virtual-table.js';

export class FunctionsTable extends NumbersTable<FunctionRow> {
  readonly element: HTMLElement;
  protected readonly table: VirtualTable<FunctionRow>;
  protected readonly ownMarks = { canChoose: () => this.views.hasTimes };
  private readonly onlyFound = html('input', { type: 'checkbox' });
  private readonly count = html('span', {});
  private readonly above = html('label', { class: 'above', hidden: '' }, this.onlyFound, this.count);

  constructor(views: Views, menu: ColumnsMenu, characterPx: number, navigation: Navigation, actions: FrameActions) {
    super(views, menu, characterPx);
    this.table = new VirtualTable('Functions', {
      choose: ({ sums }) => actions.choose(sums.symbol),
      sort: (functionsSort) => navigation.changeLayout({ functionsSort }),
    });
    this.onlyFound.addEventListener('change', () => navigation.changeLayout({ listsAll: !this.onlyFound.checked }));
    this.element = html('div', { class: 'listed' }, this.above, this.table.element);
  }

  protected sourceAt(state: State): NumbersSource<FunctionRow> {
    const list = this.views.functionsAt(state);
    const { rows: all, totalWeight } = list;
    return {
      isTree: false,
      totalWeight,
      maxCalls: () => all.reduce((most, { sums }) => Math.max(most, sums.calls), 0),
      asked: [list, state.listsAll],
      nameTitle: 'Function',
      rows: () => {
        const { isMatch } = this.views.namesAt(state);
        const found = isMatch && all.filter(({ sums }) => isMatch[sums.symbol]);
        this.showCount(found?.length ?? null, all.length, state);
        return { rows: found === null || state.listsAll ? all : found };
      },
    };
  }

  /** `found`: number of matches; null without a search. */
  private showCount(found: number | null, all: number, { listsAll, isInverted }: State): void {
    this.above.hidden = found === null;
    this.onlyFound.checked = !listsAll;
    const rule = isInverted ? ', those with time of their own' : '';
    this.count.textContent = ` only matches: ${formatCount(found ?? 0)} of ${formatMany(all, 'function')}${rule}`;
  }

  protected cell({ sums: { symbol } }: FunctionRow, availablePx: number): HTMLElement {
    const { views, characterPx } = this;
    return html('span', {}, ...nameCell(views, symbol, { colour: views.classOf(symbol), availablePx, characterPx }));
  }
}
