/**
 * `ptflame latency`: shows how long the calls of a function took, and why.
 */

import { basename } from 'node:path';
import * as z from 'zod';
import { interruptible } from '../../src/host/turns.js';
import { PtflameError } from '../../src/model/errors.js';
import { PERCENTILES } from '../../src/model/percentiles.js';
import { askLatency, type LatencyResult } from '../../src/pipeline/analyze.js';
import type { FunctionPattern } from '../../src/pipeline/replay/find-functions.js';
import { latencyAnswer } from '../../src/questions/latency/answer.js';
import type {
  CallerRow,
  ChildRow,
  DifferenceRow,
  Latency,
  LatencyStats,
  SlowCall,
} from '../../src/questions/latency/schema.js';
import {
  formatAtLeast,
  formatAverageCount,
  formatBounds,
  formatCount,
  formatDifference,
  formatDuration,
  formatMany,
  formatPercentile,
  formatTotal,
  longestInferredNs,
} from '../../src/render/format.js';
import { shellWords, visibleText } from '../../src/render/visible-text.js';
import {
  callsCell,
  distinctNames,
  durationCell,
  fullLine,
  LINE_TITLES,
  lineCells,
  lineColumns,
  longestCell,
  shareCell,
  topLines,
  traceLines,
  UNKNOWN,
} from '../answers/cells.js';
import { durationRow, histogramLines } from '../answers/histogram.js';
import { loadPlot, refusePlots, wantsPlot } from '../answers/latency-plot.js';
import { type CountRow, countRows } from '../answers/why-slow.js';
import { snapshotsOf } from '../input/captures.js';
import { type CommandInput, openInputs } from '../input/open-inputs.js';
import { requireTraces, withProgress } from '../input/traces.js';
import { durations, functionArgument } from '../options/question-values.js';
import {
  answering,
  limit,
  outputs,
  reading,
  regexFlag,
  shown,
  srcline,
  TRACES_OR_SNAPSHOTS,
} from '../options/shared.js';
import { path } from '../options/values.js';
import { type AnswerFormat, answerFormats, openAnswer } from '../output/answer.js';
import { notifyQuality } from '../output/lines.js';
import { type Output, openOutput, writeAll } from '../output/outputs.js';
import { refuseOverwriting } from '../output/refuse-overwriting.js';
import { writtenLines } from '../output/written-files.js';
import { notify } from '../terminal/notify.js';
import { alignColumns, bar, fittingName, type TableColumn, tableLines } from '../terminal/table.js';
import { defineCommand } from '../usage/define-command.js';
import { flag, group } from '../usage/flag.js';

const PLOTS = ['text', 'json', 'svg'];

/** The options of `ptflame latency`. */
export const LatencyOptions = z.object({
  function: path,
  inputs: z.array(path).min(1),
  ...group('Output', {
    slowest: limit(
      0,
      'show each of the N longest calls, compared with the average (not with --csv)',
      ['text', 'json'],
      'what was different in the N longest calls',
    ),
    by: flag(
      z.enum(['none', 'caller']).default('none'),
      'repeat the tables for each caller (JSON always has the callers)',
      { formats: ['text', 'csv'], common: 'repeat the tables for each caller', formerly: { 'by-caller': 'caller' } },
    ),
    top: limit(
      20,
      'maximum number of rows of a table; 0: all (JSON and CSV: all)',
      ['text'],
      'maximum number of rows, 0 for all',
    ),
    timeline: flag(
      z.boolean().default(false),
      'plot when calls began and how long they took: a dot for each, a heat map for more than 4,096',
      { formats: PLOTS, common: 'plot when calls began and how long they took' },
    ),
    heatmap: flag(z.boolean().default(false), 'like --timeline, but as a heat map also for few calls', {
      formats: PLOTS,
    }),
    ...answering(),
    output: outputs(
      'write FILE.txt, .csv or .json instead of printing, or the plot as FILE.svg; may be repeated',
      'write FILE.txt, .csv, .json, or the plot as .svg',
    ),
    csv: flag(z.boolean().default(false), 'print the callees (with --by caller: by caller) as CSV', {
      common: 'print the callees as CSV',
    }),
  }),
  ...group('Selection', {
    regex: regexFlag('FUNCTION'),
    latency: flag(durations.optional(), 'only calls of this duration, such as 1ms,10ms; either may be omitted', {
      value: 'MIN,MAX',
    }),
  }),
  ...srcline(),
  ...shown(),
  ...reading(),
});
export type LatencyOptions = z.infer<typeof LatencyOptions>;

/** Returns the files of `-o`: plots, and tables, undefined if they are printed. */
function latencyFiles({ output, timeline, heatmap }: Pick<LatencyOptions, 'output' | 'timeline' | 'heatmap'>) {
  const isPlot = (path: string) => path.toLowerCase().endsWith('.svg') || ((timeline || heatmap) && path === '-');
  return { plots: output?.filter(isPlot) ?? [], tables: output?.filter((path) => !isPlot(path)) };
}

function latencyFormats(options: LatencyOptions): (AnswerFormat | 'svg')[] {
  const { plots, tables } = latencyFiles(options);
  return [...answerFormats({ ...options, output: tables }), ...plots.map(() => 'svg' as const)];
}

export const command = defineCommand({
  details: 'Shows the distribution of durations, callees, callers, and how the slowest calls differ.',
  examples: [
    ['ptflame latency do_command perf.data', 'distribution, callees, callers and paths'],
    ['ptflame latency do_command trace.txt --slowest 3', 'the longest calls, compared with the average'],
    ['ptflame latency do_command trace.txt --latency 1ms, --by caller', 'only calls of at least 1 ms, by caller'],
    [
      "ptflame latency trx_commit trace.txt --inside 'do_command#10ms,'",
      'its calls inside slow calls of another function',
    ],
    ["ptflame latency '/^lock_/' trace.txt", 'several functions together'],
    ['ptflame latency parse slow --slowest 3', 'slow against typical calls in all snapshots of record --trigger'],
    ['ptflame latency do_command trace.txt --timeline', 'when its calls began, and how long they took'],
    ['ptflame latency do_command trace.txt --heatmap -o calls.svg', 'the same as a heat map, in a picture'],
  ],
  arguments: [
    { property: 'function', placeholder: 'FUNCTION', description: 'an exact name or /a regular expression/' },
    TRACES_OR_SNAPSHOTS,
  ],
  schema: LatencyOptions,
  formats: latencyFormats,
  run: (options, signal) => latency(options, functionArgument(options.function, options.regex, 'latency'), signal),
});

export async function latency(options: LatencyOptions, pattern: FunctionPattern, signal: AbortSignal): Promise<void> {
  refusePlots(options);
  const { tables, plots } = latencyFiles(options);
  const snapshots = snapshotsOf(options.inputs);
  if (snapshots !== null) refuseForSnapshots(options, snapshots);
  const inputs = snapshots === null ? await requireTraces(await openInputs(options.inputs, options, signal)) : null;
  const outputs: Output[] = [];
  for (const path of plots) outputs.push(await openOutput(path, options.inputs));
  const table = await openAnswer({ ...options, output: tables }, options.inputs);
  const { profile, calls, functions } = await (inputs === null
    ? askSnapshots(snapshots ?? [], pattern, options, signal)
    : askAbout(pattern, inputs, options, signal));
  const answer = await interruptible(() => latencyAnswer(profile, calls, functions));
  const { top, by } = options;
  const bounds = options.latency ? `calls of ${formatBounds(options.latency)}` : null;
  const text = (width: number) =>
    latencyLines(answer, { pattern: options.function, bounds, width, top, byCaller: by === 'caller' });
  const plot = await loadPlot(answer, options, bounds);
  if (plot !== null) await writeAll(outputs.map((output) => ({ output, chunks: () => plot.svg(profile) })));
  const lines = (width: number) => plot?.lines(width) ?? text(width);
  await table.write({ json: () => answer, text: lines, csv: () => csvRows(answer, options) });
  await notifyQuality(profile, options);
  if (!options.quiet) for (const line of await writtenLines(plots.map(svgFile), options.inputs, options)) notify(line);
}

/** @throws PtflameError BAD_OPTION for plots, as the time between snapshots is not recorded, and for outputs that are snapshots */
function refuseForSnapshots(options: LatencyOptions, snapshots: readonly string[]): void {
  refuseOverwriting(snapshots, options.output ?? ['-']);
  if (!wantsPlot(options)) return;
  throw new PtflameError('BAD_OPTION', '--timeline and --heatmap show one recording, and these are several', {
    hint: `pass one of them: ${shellWords(snapshots.slice(0, 1))}`,
  });
}

/** Of one recording, not of all: it may be too short to have such a call. */
const MISSING: ReadonlySet<string> = new Set(['NO_SUCH_FUNCTION', 'NO_BRANCHES', 'NOTHING_SELECTED']);

/** @throws PtflameError as `askAbout`, if it holds for all snapshots */
async function askSnapshots(
  snapshots: readonly string[],
  pattern: FunctionPattern,
  options: LatencyOptions,
  signal: AbortSignal,
): Promise<LatencyResult> {
  const { LatencySum } = await import('../../src/fleet/join-latency.js');
  const sum = new LatencySum(options.slowest);
  const refusals = new Map<string, PtflameError>();
  for (const path of snapshots) {
    const inputs = await requireTraces(await openInputs([path], options, signal));
    try {
      sum.add(await askAbout(pattern, inputs, options, signal, 'apart'), basename(path));
    } catch (error) {
      if (!(error instanceof PtflameError) || !MISSING.has(error.code)) throw error;
      refusals.set(path, error);
    }
  }
  const [first] = refusals.values();
  if (first !== undefined && refusals.size === snapshots.length) throw first;
  for (const [path, { message }] of refusals) notify(`warning: not counted: ${visibleText(path)}: ${message}`);
  return sum.build();
}

function svgFile(path: string) {
  return { path, format: 'svg' } as const;
}

function askAbout(
  functions: FunctionPattern,
  inputs: readonly CommandInput[],
  options: LatencyOptions,
  signal: AbortSignal,
  trees: 'apart' | 'together' = 'together',
): Promise<LatencyResult> {
  const { latency: bounds = {}, slowest } = options;
  const overTime = wantsPlot(options);
  return withProgress(inputs, options, signal, (analyzing) =>
    askLatency(inputs, { functions, ...bounds, slowest, overTime }, { ...analyzing, trees, durations: true }),
  );
}

const COLUMNS = 'name dso calls totalNs outsideNs offCpuNs onCpuNs avgNs perCallNs share inferred'.split(
  ' ',
) as Exclude<keyof ChildRow, 'srcline'>[];

function csvRows(
  { children, callers }: Latency,
  { by, srcline }: LatencyOptions,
): (string | number | boolean | null)[][] {
  const columns = [...COLUMNS, ...(srcline ? LINE_TITLES : [])];
  const cells = (row: ChildRow) => [...COLUMNS.map((column) => row[column]), ...(srcline ? lineCells(row) : [])];
  if (by !== 'caller') return [columns, ...children.map(cells)];
  return [
    ['caller', ...columns],
    ...callers.flatMap(({ name, children: own }) => own.map((row) => [name, ...cells(row)])),
  ];
}

/** Formats how long the calls of a function took, and why, as terminal text. */
interface LatencyTextOptions {
  /** FUNCTION as typed. */
  readonly pattern: string;
  /** "calls of 1 ms or more"; null: all calls. */
  readonly bounds: string | null;
  readonly width: number;
  /** Maximum number of rows of a table; 0: all. */
  readonly top: number;
  readonly byCaller: boolean;
}

function latencyLines(latency: Latency, options: LatencyTextOptions): string[] {
  const { trace, quality, stats, children, callers, slowest } = latency;
  const shownCallers = options.top === 0 ? callers : callers.slice(0, options.top);
  const only = options.bounds === null ? [] : [`only ${visibleText(options.bounds)}`];
  const head = [...traceLines(trace, quality), '', ...functionLines(latency, options), ...only, ''];
  if (stats.calls === 0) return [...head, 'no calls'];
  const nameOfCaller = callerNames(callers);
  return [
    ...head,
    ...statsLines(stats, trace.hasSwitches),
    ...slowest.flatMap((call, rank) => ['', ...slowCallLines(call, rank, latency, options.width)]),
    ...section('calls by duration, and by time outside traced code', callHistogram(latency, options.width)),
    ...section(
      latency.isOfParts ? 'no complete calls; in the recorded parts of calls' : 'in these calls',
      childLines(children, trace.hasSwitches, options),
    ),
    ...section('called by', callerLines(callers, options)),
    ...(options.byCaller
      ? shownCallers.flatMap((caller) => callerSection(caller, nameOfCaller(caller), trace.hasSwitches, options))
      : []),
    ...section('on these paths', chainLines(latency, options)),
  ];
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ['', title, ...lines];
}

function callHistogram({ histogram, trace: { hasSwitches } }: Latency, width: number): string[] {
  const rows = histogram.map(({ fromNs, toNs, calls, outsideCalls, offCpuCalls }) => {
    return durationRow(fromNs, toNs, [calls, outsideCalls, ...(hasSwitches ? [offCpuCalls] : [])]);
  });
  return histogramLines(rows, ['calls', 'outside', ...(hasSwitches ? ['off CPU'] : [])], width);
}

/** One function: its name. Several: a table. */
function functionLines({ functions }: Latency, { pattern, width, top }: LatencyTextOptions): string[] {
  const [only, ...others] = functions;
  if (others.length === 0) return [fittingName(only?.name ?? pattern, width), ...lineOf(only)];
  const columns: TableColumn<(typeof functions)[number]>[] = [
    { title: 'total', text: formatTotal },
    { title: 'calls', text: callsCell },
    { title: 'avg', text: ({ avgNs }) => durationCell(avgNs) },
    { title: 'max', text: longestCell },
    ...lineColumns(functions),
  ];
  const name = ({ name, dso }: (typeof functions)[number]) => (dso === null ? name : `${name} (${dso})`);
  const title = formatMany(functions.length, 'function');
  const options = { name, nameTitle: `${title} together`, width };
  return topLines(functions, top, (rows) => tableLines(rows, columns, options));
}

/** Where a function begins, on a line of its own. */
function lineOf(fn: Latency['functions'][number] | undefined): string[] {
  const line = fn && fullLine(fn);
  return line ? [line] : [];
}

function statsLines(stats: LatencyStats, hasSwitches: boolean): string[] {
  const { calls, inferred, totalNs, outsideNs, outsideSelfNs, offCpuNs } = stats;
  const cells = [
    ['avg', durationCell(stats.avgNs)],
    ['min', durationCell(stats.minNs)],
    ...PERCENTILES.map(({ title, key, part }) => [title, formatPercentile(stats[key], stats, part)] as const),
    ['p99.9', formatPercentile(stats.p999Ns, stats, 0.999)],
    ['max', durationCell(stats.maxNs)],
  ] as const;
  const own = outsideNs > 0 ? ` (${shareCell(outsideSelfNs, totalNs)} directly)` : '';
  const outside = `${shareCell(outsideNs, totalNs)} outside traced code${own}`;
  const offCpu = hasSwitches ? `, ${shareCell(offCpuNs, totalNs)} off CPU` : '';
  const lines = completenessLines(stats);
  if (calls === inferred) return lines;
  lines.push(
    ...alignColumns(
      [cells.map(([title]) => title), cells.map(([, text]) => text)],
      cells.map(() => 'right'),
    ),
  );
  return [...lines, `${formatDuration(totalNs)} in total: ${outside}${offCpu}`];
}

/** States how many calls are complete, and what is known about the others. */
function completenessLines({ calls, inferred, unwound, maxNs, longestCutNs }: LatencyStats): string[] {
  const unwoundLines = unwound === 0 ? [] : [`${formatCount(unwound)} unwound by an exception or longjmp`];
  if (inferred === 0) return [formatMany(calls, 'call'), ...unwoundLines];
  const cutNs = longestInferredNs(maxNs, longestCutNs);
  const longest = cutNs === null ? '' : `; the longest is inferred: ${formatAtLeast(cutNs)}`;
  const counted = calls === inferred ? '' : '; not counted below';
  const complete = `${formatCount(calls - inferred)} of ${formatMany(calls, 'call')} complete`;
  return [`${complete}, ${formatCount(inferred)} inferred: start or end not seen${longest}${counted}`, ...unwoundLines];
}

function childLines(children: readonly ChildRow[], hasSwitches: boolean, { width, top }: LatencyTextOptions): string[] {
  if (children.length === 0) return [];
  const offCpu: TableColumn<ChildRow>[] = hasSwitches
    ? [{ title: 'off CPU', text: ({ offCpuNs }) => formatDuration(offCpuNs), rank: 5 }]
    : [];
  const columns: TableColumn<ChildRow>[] = [
    { title: 'total', text: ({ totalNs }) => formatDuration(totalNs) },
    { title: '%', text: ({ share }) => shareCell(share, 1) },
    { title: '', text: ({ share }) => bar(share, 10), isLeft: true, rank: 6 },
    { title: 'calls', text: (row) => (row.isSelf ? '' : callsCell(row)) },
    { title: 'avg', text: ({ avgNs, isSelf }) => (isSelf ? '' : durationCell(avgNs)), rank: 2 },
    { title: 'per call', text: ({ perCallNs }) => durationCell(perCallNs), rank: 1 },
    { title: 'outside', text: ({ outsideNs }) => formatDuration(outsideNs), rank: 3 },
    ...offCpu,
    { title: hasSwitches ? 'on CPU' : 'traced', text: ({ onCpuNs, totalNs }) => shareCell(onCpuNs, totalNs), rank: 4 },
    ...lineColumns(children),
  ];
  const options = { name: distinctNames(children), nameTitle: 'callee', width };
  return topLines(children, top, (rows) => tableLines(rows, columns, options));
}

/** Returns a function that names callers, with their binary if a name alone is ambiguous. */
function callerNames(callers: readonly CallerRow[]): (caller: CallerRow) => string {
  const named = ({ name, dso }: CallerRow) => ({ name: name ?? 'no caller seen', dso });
  const nameOf = distinctNames(callers.map(named));
  return (caller) => nameOf(named(caller));
}

function callerLines(callers: readonly CallerRow[], { width, top }: LatencyTextOptions): string[] {
  const columns: TableColumn<CallerRow>[] = [
    { title: 'total', text: ({ stats }) => totalCell(stats) },
    { title: 'calls', text: ({ stats }) => callsCell(stats) },
    { title: 'avg', text: ({ stats }) => durationCell(stats.avgNs) },
    { title: 'p50', text: ({ stats }) => formatPercentile(stats.p50Ns, stats, 0.5), rank: 4 },
    { title: 'p99', text: ({ stats }) => formatPercentile(stats.p99Ns, stats, 0.99), rank: 2 },
    { title: 'max', text: ({ stats }) => longestCell(stats), rank: 1 },
    { title: 'outside', text: ({ stats }) => formatDuration(stats.outsideNs), rank: 3 },
    ...lineColumns(callers),
  ];
  return topLines(callers, top, (rows) =>
    tableLines(rows, columns, { name: callerNames(callers), nameTitle: 'caller', width }),
  );
}

/** Of complete calls, the sum is known; of inferred ones, how long the longest lasted at least. */
function totalCell({
  calls,
  inferred,
  totalNs,
  longestCutNs,
}: Pick<LatencyStats, 'calls' | 'inferred' | 'totalNs' | 'longestCutNs'>): string {
  if (inferred === 0) return formatDuration(totalNs);
  const knownNs = totalNs + (longestCutNs ?? 0);
  return calls === inferred && longestCutNs === null ? UNKNOWN : formatAtLeast(knownNs);
}

function callerSection(caller: CallerRow, name: string, hasSwitches: boolean, options: LatencyTextOptions): string[] {
  const title = `called by ${fittingName(name, options.width - 10)}`;
  const children = childLines(caller.children, hasSwitches, options);
  return ['', title, ...statsLines(caller.stats, hasSwitches), ...(children.length === 0 ? [] : ['', ...children])];
}

type Chain = Latency['chains'][number];

function chainLines({ chains, chainsLeftOut, isOfParts }: Latency, { width, top }: LatencyTextOptions): string[] {
  const unlisted = `${UNKNOWN} and ${formatCount(chainsLeftOut)} with less time, too long to list`;
  return [
    ...topLines(chains, top, (rows) => pathTable(rows, isOfParts, width)),
    ...(chainsLeftOut > 0 ? [unlisted] : []),
  ];
}

/** Formats numbers in columns, and as much of the end of each path as fits. */
function pathTable(chains: readonly Chain[], isOfParts: boolean, width: number): string[] {
  const columns: TableColumn<Chain>[] = [
    { title: 'total', text: (chain) => (isOfParts ? formatTotal(chain) : totalCell(chain)) },
    { title: 'calls', text: callsCell },
    { title: 'avg', text: ({ avgNs }) => durationCell(avgNs) },
    { title: 'max', text: longestCell, rank: 1 },
  ];
  const [titles = '', ...lines] = tableLines(chains, columns, { name: () => '', nameTitle: PATH, width });
  const numbersWidth = titles.length - PATH.length;
  const pathWidth = width - numbersWidth;
  return [
    titles,
    ...lines.map((line, row) => line.padEnd(numbersWidth) + pathText(chains[row]?.path ?? [], pathWidth)),
  ];
}

const PATH = 'path';
const ELLIPSIS = '… → ';

/** "main → run → do_command". A long path keeps its end, its most important part. */
function pathText(path: readonly string[], width: number): string {
  const names = path.map(visibleText);
  let text = fittingName(path.at(-1) ?? '', width - (path.length > 1 ? ELLIPSIS.length : 0));
  for (let at = names.length - 2; at >= 0; at--) {
    const longer = `${names[at]} → ${text}`;
    if (longer.length + (at > 0 ? ELLIPSIS.length : 0) > width) return ELLIPSIS + text;
    text = longer;
  }
  return text;
}

/** Rows below this share of the difference of the call are left out. */
const MIN_SHARE = 0.02;
const MAX_ROWS = 40;

/** Formats one of the slowest calls: how its time differs from that of the average call. */
function slowCallLines(call: SlowCall, rank: number, { stats, typical }: Latency, width: number): string[] {
  const { avgNs } = stats;
  const { recording, tid, comm, start, durationNs, isUnwound, outsideNs } = call;
  const who = `thread ${tid}${comm === null ? '' : ` ${visibleText(comm)}`}`;
  const outside = `${shareCell(outsideNs, durationNs)} outside traced code`;
  const average = avgNs === null ? '' : `; the average call takes ${formatDuration(avgNs)}`;
  const head = `slowest call ${rank + 1}${recording === undefined ? '' : ` (${recording})`}: ${formatDuration(durationNs)}${isUnwound ? ' (unwound)' : ''} from ${start} in ${who}, ${outside}${average}`;
  const rows = notableRows(call.differences);
  const options = {
    name: ({ name }: DifferenceRow) => name,
    nameTitle: 'frame',
    indent: ({ depth }: DifferenceRow) => '  '.repeat(Math.min(depth, 20)),
    width,
  };
  return [
    head,
    ...valueLines(call),
    ...tableLines(rows, DIFFERENCE_COLUMNS, options),
    ...leftOutLines(call.differences.length - rows.length),
    ...workLines(call, width),
    ...countLines(call, typical, width),
  ];
}

/** "with job=0x7f0010 id=12, returned 0". */
function valueLines({ values = [] }: SlowCall): string[] {
  const listed = (at: 'entry' | 'return') =>
    values.filter((each) => each.at === at).map(({ name, value }) => visibleText(`${name}=${value}`));
  const [given, returned] = [listed('entry'), listed('return')].map((texts) => texts.join(' '));
  const parts = [...(given ? [`with ${given}`] : []), ...(returned ? [`returned ${returned}`] : [])];
  return parts.length === 0 ? [] : [parts.join(', ')];
}

type WorkRow = NonNullable<SlowCall['work']>[number];

/** What the kernel did in it. */
function workLines({ work = [] }: SlowCall, width: number): string[] {
  if (work.length === 0) return [];
  const time = (ns: number | null) => (ns === null ? '' : formatDuration(ns));
  const columns: TableColumn<WorkRow>[] = [
    { title: 'this call', text: ({ count }) => formatAverageCount(count) },
    { title: 'average', text: ({ averageCount }) => formatAverageCount(averageCount) },
    { title: 'time', text: ({ ns }) => time(ns) },
    { title: 'average', text: ({ averageNs }) => time(averageNs) },
  ];
  return ['', ...tableLines(work, columns, { name: ({ kind }: WorkRow) => kind, nameTitle: 'in the kernel', width })];
}

/** What the CPU did in it: instructions, cycles, iterations, and how fast it was clocked. */
function countLines(call: SlowCall, typical: Latency['typical'], width: number): string[] {
  const rows = countRows(call, typical);
  if (rows.length === 0) return [];
  const columns: TableColumn<CountRow>[] = [
    { title: 'this call', text: ({ own }) => own },
    ...(typical ? [{ title: `median of ${typical.calls}`, text: ({ usual }: CountRow) => usual }] : []),
  ];
  const options = { name: ({ name }: CountRow) => name, nameTitle: 'on the CPU', width };
  return ['', ...tableLines(rows, columns, options)];
}

const DIFFERENCE_COLUMNS: readonly TableColumn<DifferenceRow>[] = [
  { title: 'more', text: ({ differenceNs }) => formatDifference(differenceNs) },
  { title: 'this call', text: ({ ns }) => formatDuration(ns) },
  { title: 'average', text: ({ averageNs }) => formatDuration(averageNs) },
  { title: 'calls', text: ({ calls, isSelf }) => (isSelf ? '' : formatAverageCount(calls)), rank: 1 },
  { title: 'average', text: ({ averageCalls, isSelf }) => (isSelf ? '' : formatAverageCount(averageCalls)), rank: 2 },
];

/** Returns rows that differ notably, and their callers. */
function notableRows(rows: readonly DifferenceRow[]): DifferenceRow[] {
  const minNs = MIN_SHARE * Math.abs(rows[0]?.differenceNs ?? 0);
  const found: DifferenceRow[] = [];
  let hiddenBelow = Number.POSITIVE_INFINITY;
  for (const row of rows) {
    if (row.depth > hiddenBelow) continue;
    const isNotable = row.depth === 0 || Math.abs(row.differenceNs) > minNs;
    hiddenBelow = isNotable ? Number.POSITIVE_INFINITY : row.depth;
    if (isNotable && found.length < MAX_ROWS) found.push(row);
  }
  return found;
}

function leftOutLines(rows: number): string[] {
  return rows > 0 ? [`– and ${rows} more that differ less`] : [];
}
