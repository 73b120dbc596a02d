/**
 * Formats how long the calls of a function took, and why, as terminal text.
 */
import type { CallerRow, ChildRow, Latency, LatencyStats } from '../../src/questions/schema.js';
import {
  formatAtLeast,
  formatCount,
  formatDuration,
  formatMany,
  formatPercentile,
  formatTotal,
  longestInferredNs,
} from '../../src/render/format.js';
import { visibleText } from '../../src/render/visible-text.js';
import { bar } from '../terminal/bar.js';
import { alignColumns } from '../terminal/columns.js';
import { fittingName, type TableColumn, tableLines } from '../terminal/table.js';
import { distinctNames } from './distinct-names.js';
import { durationRow, histogramLines } from './histogram.js';
import { callsCell, durationCell, longestCell, shareCell, UNKNOWN } from './numbers.js';
import { traceLines } from './report.js';
import { slowCallLines } from './slow-call.js';
import { fullLine, lineColumns } from './source-lines.js';
import { topLines } from './top-lines.js';

export interface LatencyTextOptions {
  /** FUNCTION as typed. */
  readonly pattern: string;
  /** "calls of 1 ms or more"; null: all calls. */
  readonly bounds: string | null;
  readonly width: number;
  /** Maximum number of rows of a table; 0: all. */
  readonly top: number;
  readonly byCaller: boolean;
}

export function latencyLines(latency: Latency, options: LatencyTextOptions): string[] {
  const { trace, quality, stats, children, callers, slowest } = latency;
  const shownCallers = options.top === 0 ? callers : callers.slice(0, options.top);
  const only = options.bounds === null ? [] : [`only ${visibleText(options.bounds)}`];
  const head = [...traceLines(trace, quality), '', ...functionLines(latency, options), ...only, ''];
  if (stats.calls === 0) return [...head, 'no calls'];
  const nameOfCaller = callerNames(callers);
  return [
    ...head,
    ...statsLines(stats, trace.hasSwitches),
    ...slowest.flatMap((call, rank) => ['', ...slowCallLines(call, rank, stats, options.width)]),
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
    ['avg', stats.avgNs],
    ['min', stats.minNs],
    ['p50', stats.p50Ns],
    ['p90', stats.p90Ns],
    ['p99', stats.p99Ns],
    ['p99.9', stats.p999Ns],
    ['max', stats.maxNs],
  ] as const;
  const own = outsideNs > 0 ? ` (${shareCell(outsideSelfNs, totalNs)} directly)` : '';
  const outside = `${shareCell(outsideNs, totalNs)} outside traced code${own}`;
  const offCpu = hasSwitches ? `, ${shareCell(offCpuNs, totalNs)} off CPU` : '';
  const lines = completenessLines(stats);
  if (calls === inferred) return lines;
  lines.push(
    ...alignColumns(
      [
        cells.map(([title]) => title),
        cells.map(([title, ns]) => (title.startsWith('p') ? formatPercentile(ns, stats) : durationCell(ns))),
      ],
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
    { title: 'p50', text: ({ stats }) => formatPercentile(stats.p50Ns, stats), rank: 4 },
    { title: 'p99', text: ({ stats }) => formatPercentile(stats.p99Ns, stats), rank: 2 },
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
