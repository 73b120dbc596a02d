/**
 * The table of the functions in view; with a search, the list of its matches.
 */

import type { TraceMeta } from '../../../model/profile/profile.js';
import type { SymbolId } from '../../../model/units.js';
import {
  capitalized,
  formatCalls,
  formatCount,
  formatDuration,
  formatMany,
  formatShare,
  formatTotal,
} from '../../../render/format.js';
import { formatWeight } from '../../../render/frames/frame-details.js';
import { fitLabel } from '../../../render/frames/labels.js';
import {
  BLOCKED_COLUMNS,
  FUNCTION_COLUMNS,
  type FunctionColumn,
  functionValue,
} from '../../../render/function-columns.js';
import { htmlElement as html } from '../../../render/viewer/dom.js';
import { shortLine, tracedHint } from '../../view/captions/details.js';
import { differenceText } from '../../view/captions/legend.js';
import type { State, Width } from '../../view/state.js';
import type { FunctionRow, FunctionRows } from '../../view/view.js';
import type { Views } from '../../view/views.js';
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

interface WidthTitles {
  readonly title: string;
  readonly hint: string;
  /** Column without callees; null if another column shows that. */
  readonly own: { readonly title: string; readonly hint: string } | null;
}

const WIDTHS: Readonly<Record<Width, WidthTitles>> = {
  wall: { ...titled('total'), own: titled('self') },
  cpu: { ...titled('cpu'), own: null },
  outside: { ...titled('outside'), own: titled('outside-self') },
  'off-cpu': {
    title: 'Off CPU',
    hint: 'time off the CPU, with callees',
    own: { title: 'Own', hint: 'time in waits that it entered itself' },
  },
  calls: { title: 'With callees', hint: 'calls of the function and of its callees', own: null },
};

/** Upside down, what a function has without callees means nothing. */
const BLOCKED: WidthTitles = { ...titled('blocked', BLOCKED_COLUMNS), own: null };

function titled(name: string, columns: readonly FunctionColumn[] = FUNCTION_COLUMNS): Omit<WidthTitles, 'own'> {
  const column = columns.find((each) => each.name === name) as FunctionColumn;
  return { title: pageTitle(column), hint: column.hint };
}

/**
 * Defines the columns of the functions table: the selected width, then all other numbers of a function.
 *
 * Returns the columns of the selected width.
 */
function widthColumns(
  width: Width,
  totalWeight: number,
  { hasSwitches, isBlockedTime, data }: Views,
): TableColumn<FunctionRow>[] {
  const { own, ...known } = isBlockedTime ? BLOCKED : WIDTHS[width];
  const [title, hint] = width === 'cpu' ? cpuTitle(hasSwitches, data.meta) : [known.title, known.hint];
  const format = (weight: number) => (width === 'calls' ? formatCount(weight) : formatWeight(weight, 'ns'));
  const column = { widthPx: width === 'calls' ? COUNT_PX : DURATION_PX };
  return [
    {
      ...column,
      key: 'weight',
      title,
      hint,
      value: ({ weight }) => weight,
      cell: ({ weight, sums }) => (width === 'wall' && !isBlockedTime ? formatTotal(sums) : format(weight)),
    },
    {
      key: 'share',
      title: '%',
      hint: 'share of the view',
      widthPx: SHARE_PX,
      value: ({ weight }) => weight,
      cell: ({ weight }) => shareCell(weight, totalWeight),
    },
    ...(own === null ? [] : [own]).map(
      ({ title, hint }): TableColumn<FunctionRow> => ({
        ...column,
        key: 'own',
        title,
        hint,
        value: ({ selfWeight }) => selfWeight,
        cell: ({ selfWeight }) => format(selfWeight),
      }),
    ),
  ];
}

/** Key of the column that a comparison is sorted by. */
const DIFFERENCE = 'difference';

/** Returns the columns of the threads that these are compared with. */
function comparedColumns(width: Width): TableColumn<FunctionRow>[] {
  const weight = width === 'calls' ? 'calls' : 'ns';
  const column = { widthPx: width === 'calls' ? COUNT_PX : DURATION_PX };
  const there = ({ otherWeight = 0 }: FunctionRow) => otherWeight;
  const difference = (row: FunctionRow) => row.weight - there(row);
  const format = (value: number) => (weight === 'calls' ? formatCount(value) : formatWeight(value, weight));
  return [
    {
      ...column,
      key: 'there',
      title: 'Other',
      hint: 'the same in the threads that these are compared with',
      value: there,
      cell: (row) => format(there(row)),
    },
    {
      key: DIFFERENCE,
      widthPx: DIFFERENCE_PX,
      title: 'Δ',
      hint: 'how much more it is here',
      value: (row) => Math.abs(difference(row)),
      cell: (row) => differenceText(difference(row), weight),
    },
  ];
}

function cpuTitle(hasSwitches: boolean, meta: TraceMeta): [title: string, hint: string] {
  const { title, hint } = WIDTHS.cpu;
  return hasSwitches ? [title, hint] : ['Traced', `part of total ${tracedHint(meta)}`];
}

function shareCell(weight: number, total: number): HTMLElement {
  const cell = html('span', { class: 'share' }, formatShare(weight, total));
  cell.style.setProperty('--share', `${Math.min(100, (100 * weight) / Math.max(1, total))}%`);
  return cell;
}

/** What is counted of blocked time. */
export const PARTS: Pick<TableColumn<FunctionRow>, 'title' | 'hint'> = {
  title: 'Parts',
  hint: (BLOCKED_COLUMNS.find(({ key }) => key === 'calls') as FunctionColumn).hint,
};

// widths in the small and in the large layout; the rest of the table is for names
const DURATION_PX = [53, 68] as const;
const DIFFERENCE_PX = [62, 80] as const;
const COUNT_PX = [64, 84] as const;
const SHARE_PX = [56, 68] as const;
const WIDTH_PX: Readonly<Record<Exclude<FunctionColumn['kind'], 'calls'>, TableColumn<FunctionRow>['widthPx']>> = {
  duration: DURATION_PX,
  statistic: [53, 62],
  percentile: [64, 78],
  longest: [64, 78],
  count: COUNT_PX,
  share: SHARE_PX,
};
/** Of columns whose title is wider than their cells. */
const TITLE_PX: Readonly<Record<string, TableColumn<FunctionRow>['widthPx']>> = {
  'outside-self': [58, 70],
  unwound: [58, 72],
};
/** Width of a character in the small and in the large font. */
const CHARACTER_PX = [6.3, 7] as const;

/** Returns the width of the calls column, for the longest text such as "4,999 of 5,000". */
function callsPx(rows: readonly FunctionRow[]): TableColumn<FunctionRow>['widthPx'] {
  const max = (calls: number[]) => calls.reduce((largest, count) => Math.max(largest, count), 0);
  const all = formatCount(max(rows.map(({ sums }) => sums.calls)));
  const inferred = formatCalls(max(rows.map(({ sums }) => (sums.inferred > 0 ? sums.calls : 0))), 1);
  const characters = Math.max(6, all.length, inferred.length);
  return [6 + CHARACTER_PX[0] * characters, 14 + CHARACTER_PX[1] * characters];
}

/** Returns the columns of the other numbers; those of the selected width are not repeated. */
function sumColumns(
  width: Width,
  rows: readonly FunctionRow[],
  { hasSwitches, hasUnwound, isBlockedTime, data }: Views,
): TableColumn<FunctionRow>[] {
  const shown = (column: FunctionColumn): TableColumn<FunctionRow> => ({
    key: column.name,
    title: pageTitle(column),
    hint: column.hint,
    widthPx: column.kind === 'calls' ? callsPx(rows) : (TITLE_PX[column.name] ?? WIDTH_PX[column.kind]),
    isTime: column.kind !== 'calls' && column.kind !== 'count',
    value: ({ sums }) => functionValue(column, sums),
    cell: ({ sums }) => column.text(sums),
  });
  if (isBlockedTime) return BLOCKED_COLUMNS.slice(1).map(shown);
  const repeated: Partial<Record<Width, readonly string[]>> = {
    wall: ['total', 'self'],
    outside: ['outside', 'outside-self'],
    cpu: ['cpu'],
  };
  const hasPercentiles = data.threads.some(({ durations }) => durations !== null);
  const isShown = ({ name, kind }: FunctionColumn) =>
    !repeated[width]?.includes(name) && (name !== 'unwound' || hasUnwound) && (kind !== 'percentile' || hasPercentiles);
  const columns = FUNCTION_COLUMNS.filter(isShown).map((column) => {
    if (column.name !== 'cpu') return shown(column);
    const [title, hint] = cpuTitle(hasSwitches, data.meta);
    return { ...shown(column), title, hint };
  });
  if (!hasSwitches || width === 'off-cpu') return columns;
  const offCpu: TableColumn<FunctionRow> = {
    key: 'off-cpu',
    title: 'Off CPU',
    hint: 'part of total while the thread was off the CPU',
    widthPx: DURATION_PX,
    isTime: true,
    value: ({ sums }) => sums.offCpuNs,
    cell: ({ sums }) => formatDuration(sums.offCpuNs),
  };
  return columns.toSpliced(
    columns.findIndex(({ key }) => key === 'calls'),
    0,
    offCpu,
  );
}

/** Titles begin with a capital letter, but for those of percentiles. */
function pageTitle({ title, shortTitle = title, kind }: FunctionColumn): string {
  return kind === 'percentile' ? title : capitalized(shortTitle);
}
