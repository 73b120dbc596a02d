/**
 * The numbers of a function, as tables of the terminal and of the page show them, and in CSV and JSON under their keys.
 */
import { havePercentile, PERCENTILES, type Percentiles } from '../model/percentiles.js';
import {
  formatAverage,
  formatCalls,
  formatCount,
  formatDuration,
  formatLongest,
  formatPercentile,
  formatShare,
  formatTotal,
  longestInferredNs,
} from './format.js';

/** What the columns read of a function. Unknown durations are null or NaN. */
export interface FunctionNumbers extends Percentiles<number | null> {
  readonly calls: number;
  readonly inferred: number;
  readonly unwound: number;
  readonly totalNs: number;
  readonly selfNs: number;
  readonly outsideNs: number;
  readonly outsideSelfNs: number;
  readonly onCpuNs: number;
  /** Only where a kernel was traced. */
  readonly userNs?: number | undefined;
  readonly kernelNs?: number | undefined;
  readonly interruptNs?: number | undefined;
  readonly offCpuNs?: number | undefined;
  readonly asideNs?: number | undefined;
  readonly avgNs: number | null;
  readonly minNs: number | null;
  readonly maxNs: number | null;
  readonly longestCutNs: number | null;
}

export interface FunctionColumn {
  readonly key: keyof FunctionNumbers;
  /** In addresses of the page, which last. */
  readonly name: string;
  readonly title: string;
  readonly hint: string;
  /** How wide its cells are. A share is that of the function's own total. */
  readonly kind: 'duration' | 'statistic' | 'percentile' | 'longest' | 'count' | 'calls' | 'share';
  /** If space is short, the columns of the highest rank are left out first. */
  readonly rank: number;
  readonly text: (row: FunctionNumbers) => string;
}

/** What a column is sorted by; NaN: unknown. */
export function functionValue({ key }: FunctionColumn, row: FunctionNumbers): number {
  if (key === 'onCpuNs' || isKernelColumn(key))
    return row.totalNs > 0 ? (row[key] ?? Number.NaN) / row.totalNs : Number.NaN;
  const part = PERCENTILES.find((percentile) => percentile.key === key)?.part;
  if (part !== undefined && !havePercentile(row, part)) return Number.NaN;
  if (key !== 'maxNs') return row[key] ?? Number.NaN;
  return longestInferredNs(row.maxNs, row.longestCutNs) ?? row.maxNs ?? Number.NaN;
}

const durationText = (ns: number | null) => (ns === null || Number.isNaN(ns) ? '–' : formatDuration(ns));

type Key<Value> = {
  [Name in keyof FunctionNumbers]-?: FunctionNumbers[Name] extends Value ? Name : never;
}[keyof FunctionNumbers];

const duration = (key: Key<number | null>, title: string, hint: string, rank = 0): FunctionColumn => ({
  ...{ key, name: title, title, hint, rank, kind: 'duration' },
  text: (row) => durationText(row[key]),
});
const statistic = (key: 'avgNs' | 'minNs', title: string, hint: string, rank = 0): FunctionColumn => ({
  ...duration(key, title, hint, rank),
  kind: 'statistic',
});

/** In the order of tables. */
export const FUNCTION_COLUMNS: readonly FunctionColumn[] = [
  {
    ...duration(
      'totalNs',
      'total',
      'time on the stack; recursion counts once; “≈”: its calls are not known to have lasted as long',
    ),
    text: formatTotal,
  },
  duration('selfNs', 'self', 'time on top of the stack'),
  duration('outsideNs', 'outside', 'time in system calls and other stops, with callees', 4),
  { ...duration('outsideSelfNs', 'out. self', 'time in stops that it entered itself', 5), name: 'outside-self' },
  {
    ...{
      key: 'onCpuNs',
      name: 'cpu',
      title: 'on CPU',
      hint: 'part of total while the thread was on a CPU',
      kind: 'share',
      rank: 6,
    },
    text: ({ onCpuNs, totalNs }) => (totalNs > 0 ? formatShare(onCpuNs, totalNs) : '–'),
  },
  {
    ...{
      key: 'calls',
      name: 'calls',
      title: 'calls',
      hint: '“4 of 5”: four complete, one inferred',
      kind: 'calls',
      rank: 0,
    },
    text: ({ calls, inferred }) => formatCalls(calls, inferred),
  },
  {
    ...{
      key: 'unwound',
      name: 'unwound',
      title: 'unwound',
      hint: 'complete calls ended by an exception or longjmp',
      kind: 'count',
      rank: 2,
    },
    text: ({ unwound }) => formatCount(unwound),
  },
  {
    ...statistic('avgNs', 'avg', 'average of complete calls; in brackets: with waits and halts that are not in total'),
    text: (row) => formatAverage(durationText(row.avgNs), row),
  },
  statistic('minNs', 'min', 'shortest complete call', 9),
  ...PERCENTILES.map(
    ({ key, title, part, hint, rank }): FunctionColumn => ({
      ...{ key, name: title, title, hint: `${hint}; “≈”: accurate to 1.6 %`, kind: 'percentile', rank },
      text: (row) => formatPercentile(row[key], row, part),
    }),
  ),
  {
    ...{
      key: 'maxNs',
      name: 'max',
      title: 'max',
      hint: '“≥”: the longest call is inferred; lower bound',
      kind: 'longest',
      rank: 0,
    },
    text: ({ maxNs, longestCutNs }) => formatLongest(maxNs, longestCutNs),
  },
];

export const KERNEL_KEYS = ['userNs', 'kernelNs', 'interruptNs', 'offCpuNs'] as const;
export type KernelKey = (typeof KERNEL_KEYS)[number];

function isKernelColumn(key: keyof FunctionNumbers): key is KernelKey {
  return (KERNEL_KEYS as readonly string[]).includes(key);
}

const part = (key: KernelKey, name: string, hint: string): FunctionColumn => ({
  ...{ key, name, title: name, hint: `part of total ${hint}`, kind: 'share', rank: 7 },
  text: ({ [key]: ns, totalNs }) => (ns !== undefined && totalNs > 0 ? formatShare(ns, totalNs) : '–'),
});

/** Where a kernel was traced: whose the total time is. */
export const KERNEL_COLUMNS: readonly FunctionColumn[] = [
  part('userNs', 'user', 'in the program'),
  part('kernelNs', 'kernel', 'in the kernel, for it'),
  part('interruptNs', 'interrupt', 'in interrupts'),
  part('offCpuNs', 'off-CPU', 'off CPU'),
];

/** Of time spent blocked, only sums are known, and of waits, how long their parts were. */
export const BLOCKED_COLUMNS: readonly FunctionColumn[] = [
  duration(
    'totalNs',
    'blocked',
    'blocked time with it on the path: of the waiter, or of the thread waited for; counts once',
  ),
  {
    ...{ key: 'calls', name: 'calls', title: 'parts of waits', kind: 'calls', rank: 0 },
    hint: 'parts of waits, as a wait is divided among those it was for; “4 of 5”: the time shown cuts one',
    text: ({ calls, inferred }) => formatCalls(calls, inferred),
  },
  statistic('avgNs', 'avg', 'average part'),
  statistic('minNs', 'min', 'shortest part', 2),
  {
    ...{
      key: 'maxNs',
      name: 'max',
      title: 'max',
      hint: 'longest part; “≥”: the time shown cuts its wait',
      kind: 'longest',
      rank: 0,
    },
    text: ({ maxNs, longestCutNs }) => formatLongest(maxNs, longestCutNs),
  },
];
