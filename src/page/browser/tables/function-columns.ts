/**
 * Defines the columns of the functions table: the selected width, then all other numbers of a function.
 */

import type { FunctionSums } from '../../../analysis/tree/functions.js';
import { longestNs } from '../../../analysis/tree/functions.js';
import type { TraceMeta } from '../../../model/profile/profile.js';
import {
  formatCalls,
  formatCount,
  formatDuration,
  formatLongest,
  formatPercentile,
  formatShare,
  formatTotal,
} from '../../../render/format.js';
import { formatWeight } from '../../../render/frames/frame-details.js';
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
  readonly own: readonly [title: string, hint: string] | null;
}

const WIDTHS: Readonly<Record<Width, WidthTitles>> = {
  wall: {
    title: 'Total',
    hint: 'time on the stack; recursion counts once; “≈”: its calls are not known to have lasted as long',
    own: ['Self', 'time on top of the stack'],
  },
  cpu: { title: 'On CPU', hint: 'part of total while the thread was on a CPU', own: null },
  outside: {
    title: 'Outside',
    hint: 'time in system calls and other stops, with callees',
    own: ['Out. self', 'time in stops that it entered itself'],
  },
  'off-cpu': {
    title: 'Off CPU',
    hint: 'time off the CPU, with callees',
    own: ['Own', 'time in waits that it entered itself'],
  },
  calls: { title: 'With callees', hint: 'calls of the function and of its callees', own: null },
  self: { title: 'Self', hint: 'time on top of the stack', own: null },
};

/** Upside down, what a function has without callees means nothing. */
const BLOCKED: WidthTitles = {
  title: 'Blocked',
  hint: 'blocked time with it on the path: of the waiter, or of the thread waited for; counts once',
  own: null,
};

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
      ([title, hint]): TableColumn<FunctionRow> => ({
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

// widths in the small and in the large layout; the rest of the table is for names
const DURATION_PX = [53, 68] as const;
const DIFFERENCE_PX = [62, 80] as const;
const SHORT_TITLE_PX = [53, 62] as const;
const COUNT_PX = [64, 84] as const;
const SHARE_PX = [56, 68] as const;
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

/** What is counted of blocked time. */
export const PARTS = 'Parts';
export const PARTS_HINT =
  'parts of waits, as a wait is divided among those it was for; “4 of 5”: the time shown cuts one';

/** Returns the columns of the other numbers; those of the selected width are not repeated. */
export function sumColumns(
  width: Width,
  rows: readonly FunctionRow[],
  { hasSwitches, hasUnwound, isBlockedTime, data }: Views,
): TableColumn<FunctionRow>[] {
  const count = (key: string, title: string, hint: string, value: (sums: FunctionSums) => number) => {
    const column = { key, title, hint, widthPx: COUNT_PX };
    return {
      ...column,
      value: ({ sums }: FunctionRow) => value(sums),
      cell: ({ sums }: FunctionRow) => formatCount(value(sums)),
    };
  };
  const duration = (key: string, title: string, hint: string, value: (sums: FunctionSums) => number) => {
    const cell = (ns: number) => (Number.isNaN(ns) ? '–' : formatDuration(ns));
    const column = { key, title, hint, widthPx: DURATION_PX, isTime: true };
    return {
      ...column,
      value: ({ sums }: FunctionRow) => value(sums),
      cell: ({ sums }: FunctionRow) => cell(value(sums)),
    };
  };
  const statistic = (...of: Parameters<typeof duration>) => ({ ...duration(...of), widthPx: SHORT_TITLE_PX });
  const percentile = (title: string, hint: string, key: 'p50Ns' | 'p90Ns' | 'p99Ns') => ({
    ...duration(title, title, `${hint}; “≈”: accurate to 1.6 %`, (sums) => sums[key]),
    cell: ({ sums }: FunctionRow) => formatPercentile(sums[key], sums),
    widthPx: [64, 78] as const,
  });
  const share = (key: string, title: string, hint: string, value: (sums: FunctionSums) => number) => {
    const part = ({ sums }: FunctionRow) => (sums.totalNs > 0 ? value(sums) / sums.totalNs : Number.NaN);
    const cell = ({ sums }: FunctionRow) => (sums.totalNs > 0 ? formatShare(value(sums), sums.totalNs) : '–');
    return { key, title, hint, widthPx: SHARE_PX, isTime: true, value: part, cell };
  };
  const calls = (title: string, hint: string): TableColumn<FunctionRow> => ({
    ...count('calls', title, hint, ({ calls }) => calls),
    cell: ({ sums: { calls, inferred } }) => formatCalls(calls, inferred),
    widthPx: callsPx(rows),
  });
  const longest = (hint: string): TableColumn<FunctionRow> => ({
    ...duration('max', 'Max', hint, longestNs),
    cell: ({ sums: { maxNs, longestCutNs } }) => formatLongest(maxNs, longestCutNs),
    widthPx: [64, 78],
  });
  if (isBlockedTime)
    return [
      calls(PARTS, PARTS_HINT),
      statistic('avg', 'Avg', 'average part', ({ avgNs }) => avgNs),
      statistic('min', 'Min', 'shortest part', ({ minNs }) => minNs),
      longest('longest part; “≥”: the time shown cuts its wait'),
    ];
  const isWall = width === 'wall';
  const columns: (TableColumn<FunctionRow> | false)[] = [
    !isWall && {
      ...duration('total', 'Total', WIDTHS.wall.hint, ({ totalNs }) => totalNs),
      cell: ({ sums }: FunctionRow) => formatTotal(sums),
    },
    !isWall && width !== 'self' && duration('self', 'Self', 'time on top of the stack', ({ selfNs }) => selfNs),
    width !== 'outside' &&
      duration('outside', 'Outside', 'time in system calls and other stops, with callees', (sums) => sums.outsideNs),
    width !== 'outside' &&
      ({
        ...duration(
          'outside-self',
          'Out. self',
          'time in stops that it entered itself',
          ({ outsideSelfNs }) => outsideSelfNs,
        ),
        widthPx: [58, 70],
      } as const),
    width !== 'cpu' && share('cpu', ...cpuTitle(hasSwitches, data.meta), ({ onCpuNs }) => onCpuNs),
    hasSwitches &&
      width !== 'off-cpu' &&
      duration('off-cpu', 'Off CPU', 'part of total while the thread was off the CPU', ({ offCpuNs }) => offCpuNs),
    calls('Calls', '“4 of 5”: four complete, one inferred'),
    hasUnwound && {
      ...count('unwound', 'Unwound', 'complete calls ended by an exception or longjmp', ({ unwound }) => unwound),
      widthPx: [58, 72],
    },
    statistic('avg', 'Avg', 'average of complete calls', ({ avgNs }) => avgNs),
    statistic('min', 'Min', 'shortest complete call', ({ minNs }) => minNs),
    percentile('p50', 'half of the complete calls took no longer', 'p50Ns'),
    percentile('p90', '90 % of the complete calls took no longer', 'p90Ns'),
    percentile('p99', '99 % of the complete calls took no longer', 'p99Ns'),
    longest('“≥”: the longest call is inferred; lower bound'),
  ];
  return columns.filter((column) => column !== false);
}
