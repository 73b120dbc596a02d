/**
 * Formats measurements of the page as Markdown.
 */
import { type MachineFacts, table, whereText } from '../report.js';
import { median } from '../rounds.js';
import { STEPS, type Timing, type Visit } from './browser.js';
import type { PageFile } from './page-file.js';
import type { D3Timing, Yardstick } from './yardsticks.js';

export interface PageResult {
  readonly name: string;
  readonly file: PageFile;
  readonly visits: readonly Visit[];
  /** Of the page of another build; null: there is none. */
  readonly otherVisits: readonly Visit[] | null;
}

export interface PageReport {
  readonly machine: MachineFacts;
  readonly browser: string;
  readonly runs: number;
  readonly yardsticks: readonly Yardstick[];
  readonly pages: readonly PageResult[];
  /** d3-flame-graph alone; null: not measured. */
  readonly compared: { readonly name: string; readonly runs: readonly D3Timing[] } | null;
}

export function markdown({ machine, browser, runs, yardsticks, pages, compared }: PageReport): string {
  const yardstick = {
    scriptMs: median(yardsticks.map(({ scriptMs }) => scriptMs)),
    paintMs: median(yardsticks.map(({ paintMs }) => paintMs)),
  };
  return [
    `${whereText(machine)} ${browser}. Medians of ${runs} runs. Yardsticks: script ${ms(yardstick.scriptMs)} ms, 5,000 rectangles ${ms(yardstick.paintMs)} ms.`,
    table(FILE_COLUMNS, pages.map(fileRow)),
    table(
      TIME_COLUMNS,
      pages.flatMap((page) => timeRows(page, yardstick)),
    ),
    ...(pages.some(({ visits }) => visits.some(({ time }) => time !== null))
      ? [table(COURSE_COLUMNS, pages.flatMap(courseRow))]
      : []),
    ...(compared === null ? [] : [table(D3_COLUMNS, d3Rows(compared, pages))]),
  ].join('\n\n');
}

const FILE_COLUMNS = [
  'page',
  'nodes',
  'threads',
  'functions',
  'MB',
  'shell KB',
  'names KB',
  'bytes/node',
  'durations/node',
  'write s',
  'heap MB',
];
function fileRow({ name, file, visits }: PageResult): string[] {
  const { bytes, shellBytes, timelineBytes, nameBytes, durationBytes, nodes, threads, functions, writeSeconds } = file;
  return [
    name,
    nodes.toLocaleString('en-US'),
    String(threads),
    functions.toLocaleString('en-US'),
    (bytes / 1e6).toFixed(1),
    (shellBytes / 1e3).toFixed(0),
    (nameBytes / 1e3).toFixed(0),
    ((bytes - shellBytes - timelineBytes - nameBytes) / nodes).toFixed(1),
    (durationBytes / nodes).toFixed(1),
    writeSeconds.toFixed(1),
    (median(visits.map(({ heapBytes }) => heapBytes)) / 1e6).toFixed(0),
  ];
}

const TIME_COLUMNS = [
  'page',
  'what',
  'painted ms',
  'min',
  'CPU ms',
  'frames',
  '× script',
  '× 5,000 rectangles',
  '× other build',
  'CPU × other',
];
function timeRows({ name, visits, otherVisits }: PageResult, { scriptMs, paintMs }: Yardstick): string[][] {
  const row = (what: string, timingsOf: (visit: Visit) => readonly Timing[]) => {
    const all = visits.flatMap(timingsOf);
    const others = otherVisits?.flatMap(timingsOf) ?? null;
    const of = (timings: readonly Timing[], key: keyof Timing) => median(timings.map((timing) => timing[key]));
    const [painted, cpu] = [of(all, 'paintedMs'), of(all, 'cpuMs')];
    return [
      name,
      what,
      ms(painted),
      ms(Math.min(...all.map(({ paintedMs }) => paintedMs))),
      ms(cpu),
      String(of(all, 'boxes')),
      (painted / scriptMs).toFixed(2),
      (painted / paintMs).toFixed(2),
      others === null ? '' : (painted / of(others, 'paintedMs')).toFixed(2),
      others === null ? '' : (cpu / of(others, 'cpuMs')).toFixed(2),
    ];
  };
  return [row('open', ({ load }) => [load]), ...STEPS.map((step) => row(step, ({ steps }) => steps[step]))];
}

/** Of a change of the range: the main thread's CPU time, tables included; of a drag of the stack chart: each frame. */
const COURSE_COLUMNS = [
  'page',
  'time MB',
  'range painted ms',
  'max',
  'range CPU ms',
  'max',
  'frame ms',
  '99 %',
  'frames',
];
function courseRow({ name, file, visits }: PageResult): string[][] {
  const times = visits.flatMap(({ time }) => time ?? []);
  if (times.length === 0) return [];
  const ranges = times.flatMap((time) => time.ranges);
  const [painted, cpu] = [ranges.map(({ paintedMs }) => paintedMs), ranges.map(({ cpuMs }) => cpuMs)];
  const frames = times.flatMap(({ frameMs }) => frameMs).sort((a, b) => a - b);
  const last = frames[Math.floor(0.99 * (frames.length - 1))] ?? Number.NaN;
  return [
    [
      name,
      (file.timelineBytes / 1e6).toFixed(2),
      ...[painted, cpu].flatMap((all) => [ms(median(all)), ms(Math.max(...all))]),
      median(frames).toFixed(1),
      last.toFixed(1),
      String(frames.length),
    ],
  ];
}

const D3_COLUMNS = ['page', 'drawn by', 'frames', 'open ms', 'zoom in ms'];
function d3Rows({ name, runs }: NonNullable<PageReport['compared']>, pages: readonly PageResult[]): string[][] {
  const page = pages.find((each) => each.name === name);
  const of = (visits: readonly Visit[], value: (visit: Visit) => number) => median(visits.map(value));
  const own = page && [
    name,
    'ptflame',
    String(of(page.visits, ({ load }) => load.boxes)),
    ms(of(page.visits, ({ load }) => load.paintedMs)),
    ms(median(page.visits.flatMap(({ steps }) => steps.zoom.map(({ paintedMs }) => paintedMs)))),
  ];
  const other = [
    name,
    'd3-flame-graph',
    ...(['frames', 'loadMs', 'zoomMs'] as const).map((key) => ms(median(runs.map((run) => run[key])))),
  ];
  return own ? [own, other] : [other];
}

const ms = (value: number) => value.toFixed(0);
