/**
 * What stands in the columns of the functions' table: what width stands for, then all that is known of a function.
 */
import { longestNs } from '../../../../analysis/tree/duration-stats.js';
import type { FunctionSums } from '../../../../analysis/tree/functions.js';
import type { TraceMeta } from '../../../../model/profile/profile.js';
import { formatCalls, formatCount, formatDuration, formatLongest, formatShare } from '../../../format.js';
import { formatWeight } from '../../../frames/frame-details.js';
import { htmlElement as html } from '../../../viewer/dom.js';
import { tracedHint } from '../../captions/details.js';
import type { FunctionRow } from '../../view/function-rows.js';
import type { Width } from '../../view/state.js';
import type { Views } from '../../view/views.js';
import type { TableColumn } from './virtual-table.js';

interface WidthTitles {
  readonly title: string;
  readonly hint: string;
  /** What is of the function alone; null: there is a column for that anyway. */
  readonly own: readonly [title: string, hint: string] | null;
}

const WIDTHS: Readonly<Record<Width, WidthTitles>> = {
  wall: {
    title: 'Total',
    hint: 'while it was on the stack; recursion counts once',
    own: ['Self', 'while it was on top'],
  },
  cpu: { title: 'On CPU', hint: 'of its total, while its thread had a processor', own: null },
  outside: {
    title: 'Outside',
    hint: 'in system calls and other stops, of it and of what it called',
    own: ['Out. self', 'in stops directly on it'],
  },
  'off-cpu': {
    title: 'Off CPU',
    hint: 'while its thread had no processor, in it and in what it called',
    own: ['Own', 'in waits that it began itself'],
  },
  calls: { title: 'With callees', hint: 'its calls, and those of all that it called', own: null },
  self: { title: 'Self', hint: 'while it was on top', own: null },
};

/** What width stands for. */
export function widthColumns(width: Width, whole: number, { hasSwitches, data }: Views): TableColumn<FunctionRow>[] {
  const { own, ...known } = WIDTHS[width];
  const [title, hint] = width === 'cpu' ? cpuTitle(hasSwitches, data.meta) : [known.title, known.hint];
  const format = (weight: number) => (width === 'calls' ? formatCount(weight) : formatWeight(weight, 'ns'));
  const column = { widthPx: width === 'calls' ? COUNT_PX : DURATION_PX };
  return [
    { ...column, key: 'weight', title, hint, value: ({ weight }) => weight, cell: ({ weight }) => format(weight) },
    {
      key: 'share',
      title: '%',
      hint: 'of what fills the width',
      widthPx: SHARE_PX,
      value: ({ weight }) => weight,
      cell: ({ weight }) => shareCell(weight, whole),
    },
    ...(own === null ? [] : [own]).map(
      ([title, hint]): TableColumn<FunctionRow> => ({
        ...column,
        key: 'own',
        title,
        hint,
        value: ({ ownWeight }) => ownWeight,
        cell: ({ ownWeight }) => format(ownWeight),
      }),
    ),
  ];
}

function cpuTitle(hasSwitches: boolean, meta: TraceMeta): [title: string, hint: string] {
  const { title, hint } = WIDTHS.cpu;
  return hasSwitches ? [title, hint] : ['Traced', `of its total, ${tracedHint(meta)}`];
}

function shareCell(weight: number, whole: number): HTMLElement {
  const cell = html('span', { class: 'share' }, formatShare(weight, whole));
  cell.style.setProperty('--share', `${Math.min(100, (100 * weight) / Math.max(1, whole))}%`);
  return cell;
}

// what they have no need of is the names'
const DURATION_PX = [53, 68] as const;
const SHORT_TITLE_PX = [53, 62] as const;
const COUNT_PX = [64, 84] as const;
const SHARE_PX = [52, 64] as const;
/** In the small font, and in the large one. */
const CHARACTER_PX = [6.3, 7] as const;

/** As wide as "4,999 of 5,000", if there are so many. */
function callsPx(rows: readonly FunctionRow[]): TableColumn<FunctionRow>['widthPx'] {
  const most = (calls: number[]) => calls.reduce((largest, count) => Math.max(largest, count), 0);
  const all = formatCount(most(rows.map(({ sums }) => sums.calls)));
  const cut = formatCalls(most(rows.map(({ sums }) => (sums.inferred > 0 ? sums.calls : 0))), 1);
  const characters = Math.max(6, all.length, cut.length);
  return [6 + CHARACTER_PX[0] * characters, 14 + CHARACTER_PX[1] * characters];
}

/** All that is known of a function; what width stands for is not said again. */
export function sumColumns(
  width: Width,
  rows: readonly FunctionRow[],
  { hasSwitches, hasUnwound, data }: Views,
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
  const share = (key: string, title: string, hint: string, value: (sums: FunctionSums) => number) => {
    const part = ({ sums }: FunctionRow) => (sums.totalNs > 0 ? value(sums) / sums.totalNs : Number.NaN);
    const cell = ({ sums }: FunctionRow) => (sums.totalNs > 0 ? formatShare(value(sums), sums.totalNs) : '–');
    return { key, title, hint, widthPx: SHARE_PX, isTime: true, value: part, cell };
  };
  const isWall = width === 'wall';
  const columns: (TableColumn<FunctionRow> | false)[] = [
    !isWall && duration('total', 'Total', 'while it was on the stack; recursion counts once', ({ totalNs }) => totalNs),
    !isWall && width !== 'self' && duration('self', 'Self', 'while it was on top', ({ selfNs }) => selfNs),
    width !== 'outside' &&
      duration(
        'outside',
        'Outside',
        'in system calls and other stops, of it and of what it called',
        (sums) => sums.outsideNs,
      ),
    width !== 'outside' &&
      ({
        ...duration('outside-self', 'Out. self', 'in stops directly on it', ({ outsideSelfNs }) => outsideSelfNs),
        widthPx: [58, 70],
      } as const),
    width !== 'cpu' && share('cpu', ...cpuTitle(hasSwitches, data.meta), ({ onCpuNs }) => onCpuNs),
    hasSwitches &&
      width !== 'off-cpu' &&
      duration('off-cpu', 'Off CPU', 'of its total, while its thread had no processor', ({ offCpuNs }) => offCpuNs),
    {
      ...count('calls', 'Calls', '“4 of 5”: four were seen whole, one was cut', ({ calls }) => calls),
      cell: ({ sums: { calls, inferred } }) => formatCalls(calls, inferred),
      widthPx: callsPx(rows),
    },
    hasUnwound && {
      ...count('unwound', 'Unwound', 'whole calls that an exception or longjmp ended', ({ unwound }) => unwound),
      widthPx: [58, 72],
    },
    statistic('avg', 'Avg', 'average of whole calls', ({ avgNs }) => avgNs),
    statistic('min', 'Min', 'of whole calls', ({ minNs }) => minNs),
    statistic('p50', 'p50', 'half of the whole calls took no longer', ({ p50Ns }) => p50Ns),
    statistic('p90', 'p90', 'nine of ten took no longer', ({ p90Ns }) => p90Ns),
    statistic('p99', 'p99', '99 of 100 took no longer', ({ p99Ns }) => p99Ns),
    {
      ...duration('max', 'Max', '“≥”: the longest was cut, and lasted that or longer', longestNs),
      cell: ({ sums: { maxNs, longestCutNs } }) => formatLongest(maxNs, longestCutNs),
      widthPx: [64, 78],
    },
  ];
  return columns.filter((column) => column !== false);
}
