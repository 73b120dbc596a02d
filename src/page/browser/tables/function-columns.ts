/**
 * Defines the columns of the functions table: the selected width, then all other numbers of a function.
 */
import type { TraceMeta } from '../../../model/profile/profile.js';
import {
  capitalized,
  formatCalls,
  formatCount,
  formatDuration,
  formatShare,
  formatTotal,
} from '../../../render/format.js';
import { formatWeight } from '../../../render/frames/frame-details.js';
import {
  BLOCKED_COLUMNS,
  FUNCTION_COLUMNS,
  type FunctionColumn,
  functionValue,
} from '../../../render/function-columns.js';
import { htmlElement as html } from '../../../render/viewer/dom.js';
import { differenceText } from '../../view/captions/changes.js';
import { tracedHint } from '../../view/captions/details.js';
import type { FunctionRow } from '../../view/function-rows.js';
import type { Width } from '../../view/state.js';
import type { Views } from '../../view/views.js';
import type { TableColumn } from './virtual-table.js';

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
  self: { ...titled('self'), own: null },
};

/** Upside down, what a function has without callees means nothing. */
const BLOCKED: WidthTitles = { ...titled('blocked', BLOCKED_COLUMNS), own: null };

function titled(name: string, columns: readonly FunctionColumn[] = FUNCTION_COLUMNS): Omit<WidthTitles, 'own'> {
  const column = columns.find((each) => each.name === name) as FunctionColumn;
  return { title: pageTitle(column), hint: column.hint };
}

/** Returns the columns of the selected width. */
export function widthColumns(
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
export const DIFFERENCE = 'difference';

/** Returns the columns of the threads that these are compared with. */
export function comparedColumns(width: Width): TableColumn<FunctionRow>[] {
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
export function sumColumns(
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
    self: ['self'],
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
