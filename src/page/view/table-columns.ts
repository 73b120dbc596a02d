/**
 * The columns of numbers that the functions table and the call tree can show, and which of them a reader chose.
 */
import type { Metric } from '../../analysis/tree/outside.js';
import type { SourceLine } from '../../model/symbol-table.js';
import { differenceText, numberText } from '../../render/diff/wording.js';
import {
  capitalized,
  formatCalls,
  formatCount,
  formatDuration,
  formatPercentChange,
  formatPercentile,
  formatShare,
  formatTotal,
} from '../../render/format.js';
import { CHANGE_SIGNS, type Change } from '../../render/frames/colours.js';
import { formatWeight } from '../../render/frames/frame-details.js';
import {
  BLOCKED_COLUMNS,
  FUNCTION_COLUMNS,
  type FunctionColumn,
  type FunctionNumbers,
  functionValue,
  KERNEL_COLUMNS,
} from '../../render/function-columns.js';
import { averageOf, averageText, inferredCalls, starredCalls } from './captions/counts.js';
import { shortLine, tracedHint } from './captions/details.js';
import { type ComparedNumber, MEASURES, type Measure, type RowComparison, type Sides } from './comparison.js';
import { metricOf, type Width } from './state.js';
import type { FunctionRow } from './view.js';
import type { Views } from './views.js';

export interface NumberColumn {
  /** In addresses, which last. */
  readonly key: string;
  readonly title: string;
  readonly hint: string;
  readonly widthPx: number;
  /** Left out of narrower tables. */
  readonly fromPx?: number;
  readonly isText?: boolean;
  /** Has no meaning in traces without times. */
  readonly isTime: boolean;
  /** Shown unless the reader chooses others. */
  readonly isUsual: boolean;
  readonly value: (row: FunctionRow) => number | string;
  readonly text: (row: FunctionRow) => string;
  /** Of a share: which part of its bar was running. */
  readonly running?: (row: FunctionRow) => number;
  /** Whether it is more or less than on the other side of a comparison. */
  readonly toneOf?: (row: FunctionRow) => 'more' | 'less' | '';
  /** What a text leaves out; empty: nothing. */
  readonly explain?: (row: FunctionRow) => string;
}

/** What the columns are of. */
export interface ColumnSubject {
  readonly views: Views;
  readonly width: Width;
  /** Weights are those of functions that start paths from leaves. */
  readonly isInverted: boolean;
  /** Rows are call paths: only functions have percentiles, and upside down, time is that of the first function. */
  readonly isTree: boolean;
  /** What is compared; null: nothing. */
  readonly sides: Sides | null;
  /** 100 % of the shares. */
  readonly totalWeight: number;
  readonly maxCalls: number;
}

/** Narrower tables have only the weight and its share; the next have no average. */
const SELF_FROM_PX = 520;
const AVERAGE_FROM_PX = 640;

const DURATION_PX = 86;
const SHARE_PX = 138;
const CHARACTER_PX = 7.6;
const PADDING_PX = 16;

/** Key of the column that a comparison is sorted by. */
const DIFFERENCE = 'difference';

/** Returns the columns that have a meaning, in the order of tables. */
export function knownColumns(subject: ColumnSubject): NumberColumn[] {
  const { views, sides } = subject;
  const all = subject.width === 'blocked' ? blockedColumns(subject) : columnsOf(subject);
  const known = all.filter(({ isTime }) => views.hasTimes || !isTime);
  if (sides === null) return known;
  const compared = comparedColumns(subject, sides);
  const others = known.filter(({ key }) => !NOT_OF_ONE_SIDE.includes(key) && !compared.some((own) => own.key === key));
  return [...compared, ...others.map((column) => ({ ...column, isUsual: false, fromPx: AVERAGE_FROM_PX }))];
}

/** Numbers of one side alone would be taken for those of both. */
const NOT_OF_ONE_SIDE: readonly string[] = [
  ...['share', 'outside', 'outside-self', 'cpu', 'waiting-share', 'off-cpu', 'min', 'p50', 'p90', 'max', 'unwound'],
];

/** Returns the columns that are shown. `chosen`: as in the state. */
export function chosenColumns(known: readonly NumberColumn[], chosen: string): readonly NumberColumn[] {
  const keys = chosen.split(',');
  const shown = known.filter(({ key }) => keys.includes(key));
  return chosen === '' || !known.some(({ key }) => keys.includes(key)) ? known.filter(({ isUsual }) => isUsual) : shown;
}

/** Returns the choice with one column more or less; the last one stays. */
export function withColumn(known: readonly NumberColumn[], chosen: string, key: string): string {
  const shown = new Set(chosenColumns(known, chosen).map((column) => column.key));
  if (!shown.delete(key)) shown.add(key);
  const keys = known.filter((column) => shown.has(column.key)).map((column) => column.key);
  const isUsual = known.every((column) => column.isUsual === shown.has(column.key));
  return isUsual ? '' : keys.length === 0 ? chosen : keys.join();
}

/** Returns what the rows are sorted by if the reader chose nothing. */
export function usualSort({ isInverted, sides }: Pick<ColumnSubject, 'isInverted' | 'sides'>): string {
  return sides !== null ? DIFFERENCE : isInverted ? 'self' : 'total';
}

interface Titled {
  readonly title: string;
  readonly hint: string;
}

function columnsOf(subject: ColumnSubject): NumberColumn[] {
  const { views, width, isTree, isInverted, maxCalls } = subject;
  const { hasSwitches, data } = views;
  const running = hasSwitches ? hintOf('cpu') : tracedHint(data.meta);
  const hasPercentiles = !isTree && data.threads.some(({ durations }) => durations !== null);
  return [
    ...weightColumns(subject, running),
    callsColumn(maxCalls, {
      title: 'Calls',
      hint: '“5*”: of five calls, some are inferred: their start or end was not seen',
    }),
    averageColumn,
    ...(width === 'outside' || (isTree && isInverted)
      ? []
      : [
          ofFunction('outside', 'Waiting', WAITING_HINT),
          ofFunction('outside-self', 'Waiting self', hintOf('outside-self')),
        ]),
    ...(width === 'cpu' ? [] : [duration('cpu', 'Running', running, ({ sums }) => sums.onCpuNs)]),
    {
      ...duration('waiting-share', 'Waiting %', 'part of its time that is waiting', waitingShare),
      text: ({ sums }) => (sums.totalNs > 0 ? formatShare(sums.outsideNs, sums.totalNs) : '–'),
    },
    ...(!hasSwitches || width === 'off-cpu'
      ? []
      : [duration('off-cpu', 'Off CPU', 'time off the CPU, with callees', ({ sums }) => sums.offCpuNs)]),
    ...(views.hasKernel && !(isTree && isInverted)
      ? KERNEL_COLUMNS.filter(({ name }) => name !== 'off-CPU').map(ofKernel)
      : []),
    ofFunction('min', 'Min'),
    ...(hasPercentiles ? ['p50', 'p90', 'p99'].map((name) => ofFunction(name, name)) : []),
    ofFunction('max', 'Max'),
    ...(views.hasUnwound ? [{ ...ofFunction('unwound', 'Unwound'), isTime: false }] : []),
    ...(data.symbols.lines === undefined ? [] : [lineColumn((row) => views.lineOf(row.sums.symbol))]),
  ];
}

/** As durations, like the column of time off the CPU. */
function ofKernel({ key, name, title, hint }: FunctionColumn): NumberColumn {
  return duration(name, capitalized(title), hint, ({ sums }) => (sums as FunctionNumbers)[key] ?? Number.NaN);
}

const WAITING_HINT = 'time off CPU, preempted, in system calls, untraced, lost; with callees';

function waitingShare({ sums: { outsideNs, totalNs } }: FunctionRow): number {
  return totalNs > 0 ? outsideNs / totalNs : Number.NaN;
}

/** Of blocked time, only sums are known, and how long its parts were. */
function blockedColumns(subject: ColumnSubject): NumberColumn[] {
  const total = weightColumn('total', { title: 'Blocked', hint: hintOf('blocked', BLOCKED_COLUMNS) }, 'wall', false);
  const parts = { title: 'Parts', hint: hintOf('calls', BLOCKED_COLUMNS) };
  return [
    total,
    shareColumn(subject),
    callsColumn(subject.maxCalls, parts),
    { ...averageColumn, hint: hintOf('avg', BLOCKED_COLUMNS) },
    ...['min', 'max'].map((name) => ({
      ...ofFunction(name, name === 'min' ? 'Min' : 'Max', hintOf(name, BLOCKED_COLUMNS)),
      isUsual: true,
    })),
  ];
}

const SELF: Titled = { title: 'Self', hint: hintOf('self') };

/** What is counted, with callees and without. */
const WEIGHTS: Readonly<Record<Metric, { readonly total: Titled; readonly self: Titled | null }>> = {
  wall: { total: { title: 'Total', hint: hintOf('total') }, self: SELF },
  cpu: { total: { title: 'Running', hint: hintOf('cpu') }, self: { ...SELF, hint: 'running, on top of the stack' } },
  outside: {
    total: { title: 'Waiting', hint: WAITING_HINT },
    self: { title: 'Waiting self', hint: hintOf('outside-self') },
  },
  'off-cpu': {
    total: { title: 'Off CPU', hint: 'time off the CPU, with callees' },
    self: { title: 'Off CPU self', hint: 'time in waits that it entered itself' },
  },
  calls: { total: { title: 'With callees', hint: 'calls of the function and of its callees' }, self: null },
};

const OWN_CALLS: Titled = { title: 'Calls', hint: 'calls of the function' };

function weightColumns(subject: ColumnSubject, running: string): NumberColumn[] {
  const { isTree, isInverted } = subject;
  const width = metricOf(subject.width);
  if (isInverted) {
    const self = { ...weightColumn('self', WEIGHTS[width].self ?? OWN_CALLS, width, false), fromPx: 0 };
    const total = ofFunction('total', 'Total');
    return [...(isTree ? [] : [{ ...total, fromPx: SELF_FROM_PX, isUsual: true }]), ...[self, shareColumn(subject)]];
  }
  const { total, self } = WEIGHTS[width];
  const format = formatOf(width);
  return [
    weightColumn('total', width === 'cpu' ? { ...total, hint: running } : total, width, width === 'wall'),
    shareColumn(subject),
    ...(self === null
      ? []
      : [
          {
            ...duration('self', self.title, self.hint, ({ selfWeight }) => selfWeight),
            fromPx: SELF_FROM_PX,
            isUsual: true,
            text: ({ selfWeight }: FunctionRow) => format(selfWeight),
          },
        ]),
  ];
}

function formatOf(width: Metric): (weight: number) => string {
  return width === 'calls' ? formatCount : (weight) => formatWeight(weight, 'ns');
}

/** `isTotal`: the total time of its calls, which may not be known to have lasted as long. */
function weightColumn(key: string, { title, hint }: Titled, width: Metric, isTotal: boolean): NumberColumn {
  const format = formatOf(width);
  return {
    ...duration(key, title, hint, ({ weight }) => weight),
    ...{ fromPx: 0, isTime: width !== 'calls', isUsual: true },
    text: ({ weight, sums }) => (isTotal ? formatTotal(sums) : format(weight)),
  };
}

/** The bar in it shows which part of the time was running. */
function shareColumn({ totalWeight, width }: ColumnSubject): NumberColumn {
  const isBlockedTime = width === 'blocked';
  const bar = isBlockedTime ? '' : '; the bar: how much of it was running, and how much not';
  return {
    ...{ key: 'share', title: 'Share', hint: `share of the view${bar}` },
    running: ({ sums: { onCpuNs, totalNs } }) => (isBlockedTime ? 0 : onCpuNs / Math.max(1, totalNs)),
    ...{ widthPx: SHARE_PX, isTime: false, isUsual: true },
    value: ({ weight }) => weight,
    text: ({ weight }) => formatShare(weight, totalWeight),
    explain: ({ sums: { onCpuNs, totalNs } }) =>
      totalNs > 0 && !isBlockedTime
        ? `${formatShare(onCpuNs, totalNs)} running, ${formatShare(totalNs - onCpuNs, totalNs)} not`
        : '',
  };
}

function callsColumn(maxCalls: number, { title, hint }: Titled): NumberColumn {
  return {
    ...{ key: 'calls', title, hint, fromPx: SELF_FROM_PX, isTime: false, isUsual: true },
    widthPx: Math.max(72, PADDING_PX + CHARACTER_PX * starredCalls(maxCalls, 1).length),
    value: ({ sums }) => sums.calls,
    text: ({ sums }) => starredCalls(sums.calls, sums.inferred),
    explain: ({ sums }) => inferredCalls(sums.calls, sums.inferred),
  };
}

const averageColumn: NumberColumn = {
  ...duration(
    'avg',
    'Average',
    'average duration of whole calls, also where something is hidden; “≥”: some are inferred, and may have lasted longer',
    ({ sums }) => averageOf(sums).ns,
  ),
  isUsual: true,
  text: ({ sums }) => averageText(sums),
  explain: ({ sums }) => (sums.inferred > 0 ? `${formatCalls(sums.calls, sums.inferred)} calls complete` : ''),
};

function lineColumn(lineOf: (row: FunctionRow) => SourceLine | null): NumberColumn {
  const text = (row: FunctionRow) => {
    const line = lineOf(row);
    return line === null ? '' : shortLine(line);
  };
  return {
    ...{ key: 'line', title: 'Source line', hint: 'where the function begins' },
    ...{ widthPx: 130, fromPx: AVERAGE_FROM_PX, isText: true, isTime: false, isUsual: false },
    value: text,
    text,
    explain: (row) => {
      const line = lineOf(row);
      return line === null ? '' : `${line.file}:${line.line}`;
    },
  };
}

const CHANGE_PX = 104;

const MEASURED: Readonly<Record<Exclude<Measure, 'total'>, Titled>> = {
  self: { title: 'Self', hint: 'time of its own' },
  calls: { title: 'Calls', hint: 'calls, complete or inferred' },
  avg: { title: 'Average', hint: 'average duration of complete calls' },
  p99: { title: 'p99', hint: '99 % of complete calls are not longer' },
};

/** Returns the columns of a comparison: of each number, what it is on both sides, and how it changed. */
function comparedColumns({ isTree, isInverted, ...subject }: ColumnSubject, { names }: Sides): NumberColumn[] {
  const width = metricOf(subject.width);
  const { total, self } = WEIGHTS[width];
  const titles = { ...MEASURED, ...(self && { self }), total: isInverted ? (self ?? OWN_CALLS) : total };
  const measures = MEASURES.filter(
    (measure) => !(measure === 'self' && (isInverted || self === null)) && !(measure === 'p99' && isTree),
  );
  return measures.flatMap((measure) => {
    const titled = titles[measure];
    const isUsual = measure === 'total';
    const isCount = measure === 'calls' || (width === 'calls' && (measure === 'total' || measure === 'self'));
    const ofSide = (row: FunctionRow, side: 'before' | 'after') => row.compared?.of[measure][side] ?? Number.NaN;
    const name = (word: string) => (isUsual ? capitalized(word) : `${titled.title} ${word}`);
    const side = (side: 'before' | 'after', key: string, fromPx: number): NumberColumn => ({
      ...{ key, title: side === 'after' && !isUsual ? titled.title : name(names[side]), isTime: !isCount, fromPx },
      ...{ hint: `${titled.hint}: ${names[side]}`, isUsual: isUsual || (measure === 'calls' && side === 'after') },
      widthPx: Math.max(DURATION_PX, PADDING_PX + CHARACTER_PX * name(names[side]).length),
      value: (row) => ofSide(row, side),
      text: (row) => measureText(measure, ofSide(row, side), isCount),
    });
    const change = {
      ...{ isTime: !isCount, toneOf: (row: FunctionRow) => toneOf(row, measure) },
      explain: (row: FunctionRow) => noiseText(row.compared?.of[measure]),
    };
    const key: string = measure;
    return [
      side('after', key, 0),
      side('before', `${key}-before`, isUsual ? SELF_FROM_PX : AVERAGE_FROM_PX),
      {
        ...{ ...change, key: isUsual ? DIFFERENCE : `${key}-change`, title: name('change'), widthPx: CHANGE_PX },
        ...{ hint: 'how much more or less it is', isUsual: isUsual || measure === 'calls' },
        fromPx: isUsual ? 0 : AVERAGE_FROM_PX,
        value: (row) => Math.abs(ofSide(row, 'after') - (ofSide(row, 'before') || 0)),
        text: (row) => changeText(row, measure, isCount),
      },
      {
        ...{ ...change, key: `${key}-percent`, title: name('%').replace(/^%/, 'Change %'), isUsual },
        widthPx: CHANGE_PX,
        ...{ hint: `the same, relative to ${names.before}`, fromPx: AVERAGE_FROM_PX },
        value: (row) => Math.abs(ofSide(row, 'after') / ofSide(row, 'before') - 1),
        text: (row) => percentText(row, measure),
      },
    ];
  });
}

/** Shortest and longest calls of the side are not compared, so that only short percentiles are known to be exact. */
const UNKNOWN_RANGE = { minNs: null, maxNs: Number.NaN };

/** Returns "12 µs", "1.3" or "–" if it is not known. */
export function measureText(measure: Measure, value: number, isCount = measure === 'calls'): string {
  if (Number.isNaN(value)) return '–';
  if (measure === 'p99') return formatPercentile(value, UNKNOWN_RANGE, 0.99);
  return numberText(value, isCount ? 'calls' : 'ns');
}

/** Returns "▲ +12 µs"; "–" if it is not known. */
export function changeText({ compared }: FunctionRow, measure: Measure, isCount = measure === 'calls'): string {
  if (compared === undefined) return '–';
  const { before, after } = compared.of[measure];
  if (Number.isNaN(before + after)) return '–';
  if (before === after) return CHANGE_SIGNS.same;
  return `${CHANGE_SIGNS[changeOfRow(compared, measure)]} ${differenceText(after - before, isCount ? 'calls' : 'ns')}`;
}

/** Returns "+40 %", "new", or "–" if it is not known. */
export function percentText({ compared }: FunctionRow, measure: Measure): string {
  if (compared === undefined) return '–';
  const { before, after } = compared.of[measure];
  if (Number.isNaN(before + after) || (before === 0 && !compared.isNew)) return '–';
  return compared.isNew ? 'new' : formatPercentChange(before, after);
}

/** Text colour of a change; empty: none. */
export function toneOf({ compared }: FunctionRow, measure: Measure): 'more' | 'less' | '' {
  const change = compared === undefined ? 'same' : changeOfRow(compared, measure);
  if (change === 'same' || change === 'noise') return '';
  return change === 'more' || change === 'new' ? 'more' : 'less';
}

export function noiseText(number: ComparedNumber | undefined): string {
  if (number === undefined || number.before === number.after) return '';
  const { noise, isNoise } = number;
  const range = Number.isNaN(noise) ? [] : [`differences up to ${formatDuration(noise)} may be chance`];
  return [...(isNoise ? ['within noise: calls vary that much anyway'] : []), ...range].join('; ');
}

function changeOfRow({ isNew, isGone, of }: RowComparison, measure: Measure): Change {
  const { before, after, isNoise } = of[measure];
  if (before === after || Number.isNaN(before + after)) return 'same';
  if (isNew || isGone) return isNew ? 'new' : 'gone';
  return isNoise ? 'noise' : after > before ? 'more' : 'less';
}

function duration(key: string, title: string, hint: string, value: (row: FunctionRow) => number): NumberColumn {
  return {
    ...{ key, title, hint, value, isTime: true, isUsual: false, fromPx: AVERAGE_FROM_PX },
    widthPx: Math.max(DURATION_PX, PADDING_PX + CHARACTER_PX * title.length),
    text: (row) => formatDuration(value(row)),
  };
}

function namedColumn(name: string, columns: readonly FunctionColumn[]): FunctionColumn {
  return columns.find((column) => column.name === name || column.title === name) as FunctionColumn;
}

function hintOf(name: string, columns = FUNCTION_COLUMNS): string {
  return namedColumn(name, columns).hint;
}

/** Returns a column as reports have it. */
function ofFunction(name: string, title: string, hint = hintOf(name)): NumberColumn {
  const column = namedColumn(name, FUNCTION_COLUMNS);
  const value = ({ sums }: FunctionRow) => functionValue(column, sums);
  return { ...duration(name, title, hint, value), text: ({ sums }) => column.text(sums) };
}
