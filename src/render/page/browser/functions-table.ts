/**
 * All functions of what is looked at: the twin of the graph, in numbers.
 */
import type { FunctionSums } from '../../../analysis/functions.js';
import type { SymbolId } from '../../../model/units.js';
import { htmlElement as html } from '../../browser/dom.js';
import { formatCount, formatDuration } from '../../format.js';
import { formatShare } from '../../frames/facts.js';
import type { View } from '../view/view.js';
import type { Views } from '../view/views.js';
import { type Column, VirtualTable } from './virtual-table.js';

export class FunctionsTable {
  private readonly table: VirtualTable<FunctionSums>;
  private allNs = 1;
  private shown: View | null = null;

  constructor(views: Views, choose: (symbol: SymbolId) => void) {
    const isTimed = views.data.meta.weight === 'ns';
    const columns = this.columns(views).filter(({ isTime }) => isTimed || !isTime);
    this.table = new VirtualTable('Functions', columns, isTimed ? 'total' : 'calls', {
      choose: ({ symbol }) => choose(symbol),
    });
  }

  get element(): HTMLElement {
    return this.table.element;
  }

  show(view: View, chosen: SymbolId | null): void {
    const isChosen = ({ symbol }: FunctionSums) => symbol === chosen;
    if (view === this.shown) return this.table.mark(isChosen);
    this.shown = view;
    this.allNs = view.allNs();
    const rows = [...view.functions().values()].sort((a, b) => b.totalNs - a.totalNs); // and by name, as symbols are
    this.table.show(rows, isChosen);
  }

  private columns(views: Views): Column<FunctionSums>[] {
    const nameOf = (symbol: SymbolId) => views.names[symbol] as string;
    const number = (key: string, title: string, hint: string, value: (row: FunctionSums) => number) => {
      return { key, title, hint, width: '78px', value };
    };
    const count = (...column: Parameters<typeof number>): Column<FunctionSums> => {
      return { ...number(...column), width: '88px', cell: (row) => formatCount(column[3](row)) };
    };
    const duration = (...column: Parameters<typeof number>): Column<FunctionSums> => {
      const cell = (ns: number) => (Number.isNaN(ns) ? '–' : formatDuration(ns));
      return { ...number(...column), isTime: true, cell: (row) => cell(column[3](row)) };
    };
    return [
      {
        key: 'name',
        title: 'Function',
        width: 'minmax(200px,1fr)',
        isText: true,
        value: ({ symbol }) => nameOf(symbol),
        cell: ({ symbol }) =>
          html('span', { title: [nameOf(symbol), views.fileOf(symbol)].filter(Boolean).join('\n') }, nameOf(symbol)),
      },
      { ...duration('total', 'Total', 'while it was on the stack; recursion counts once', ({ totalNs }) => totalNs) },
      {
        key: 'share',
        title: '%',
        hint: 'of all time that is looked at',
        width: '84px',
        isTime: true,
        value: ({ totalNs }) => totalNs,
        cell: ({ totalNs }) => this.shareCell(totalNs),
      },
      duration('self', 'Self', 'while it was on top', ({ selfNs }) => selfNs),
      duration(
        'outside',
        'Outside',
        'in system calls and other stops that it made itself',
        ({ outsideNs }) => outsideNs,
      ),
      {
        key: 'cpu',
        title: 'On CPU',
        hint: 'of its total, while its thread surely had a processor',
        width: '72px',
        isTime: true,
        value: ({ onCpuNs, totalNs }) => (totalNs > 0 ? onCpuNs / totalNs : Number.NaN),
        cell: ({ onCpuNs, totalNs }) => (totalNs > 0 ? formatShare(onCpuNs, totalNs) : '–'),
      },
      count('calls', 'Calls', 'all of them', ({ calls }) => calls),
      count('inferred', 'Inferred', 'calls of which the start or the end was not seen', ({ inferred }) => inferred),
      duration('avg', 'Average', 'of complete calls', ({ avgNs }) => avgNs),
      duration('min', 'Min', 'of complete calls', ({ minNs }) => minNs),
      duration('p50', 'p50', 'half of the complete calls took no longer', ({ p50Ns }) => p50Ns),
      duration('p90', 'p90', 'nine of ten took no longer', ({ p90Ns }) => p90Ns),
      duration('p99', 'p99', '99 of 100 took no longer', ({ p99Ns }) => p99Ns),
      duration('max', 'Max', 'of complete calls', ({ maxNs }) => maxNs),
    ];
  }

  private shareCell(totalNs: number): HTMLElement {
    const cell = html('span', { class: 'share' }, formatShare(totalNs, this.allNs));
    cell.style.setProperty('--share', `${Math.min(100, (100 * totalNs) / Math.max(1, this.allNs))}%`);
    return cell;
  }
}
