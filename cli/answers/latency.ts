/**
 * How long calls of a function took, as terminal text.
 */
import type { CallerRow, ChildRow, Latency, LatencyStats } from '../../src/answers.js';
import { formatAtLeast, formatCount, formatDuration, formatMany, longestCut, visibleText } from '../../src/text.js';
import { bar } from '../terminal/bar.js';
import { inColumns } from '../terminal/columns.js';
import { fittingName, type TableColumn, tableLines } from '../terminal/table.js';
import { distinctNames } from './distinct-names.js';
import { histogramLines } from './histogram.js';
import { callsCell, durationCell, longestCell, NOTHING, shareCell } from './numbers.js';
import { traceLines } from './report.js';
import { slowCallLines } from './slow-call.js';
import { topLines } from './top-lines.js';

export interface LatencyLooks {
  /** What was asked about, as it was typed. */
  readonly asked: string;
  /** "calls of 1 ms or more", if not all of them were asked about. */
  readonly bounds: string | null;
  readonly width: number;
  /** How many rows of a table; 0: all. */
  readonly top: number;
  readonly byCaller: boolean;
}

export function latencyLines(latency: Latency, looks: LatencyLooks): string[] {
  const { trace, quality, stats, histogram, children, callers, slowest } = latency;
  const told = looks.top === 0 ? callers : callers.slice(0, looks.top);
  const only = looks.bounds === null ? [] : [`only ${visibleText(looks.bounds)}`];
  const head = [...traceLines(trace, quality), '', ...functionLines(latency, looks), ...only, ''];
  if (stats.calls === 0) return [...head, 'no call'];
  const nameOfCaller = callerNames(callers);
  return [
    ...head,
    ...statsLines(stats, trace.hasSwitches),
    ...section('how long calls took, and how much of it was outside of traced code', [
      ...histogramLines(histogram, { width: looks.width, hasSwitches: trace.hasSwitches }),
    ]),
    ...section(
      latency.isOfParts ? 'no call was seen whole; in the parts that were seen:' : 'in these calls',
      childLines(children, trace.hasSwitches, looks),
    ),
    ...section('called by', callerLines(callers, looks)),
    ...(looks.byCaller
      ? told.flatMap((caller) => callerSection(caller, nameOfCaller(caller), trace.hasSwitches, looks))
      : []),
    ...section('on these paths', chainLines(latency, looks)),
    ...slowest.flatMap((call, place) => ['', ...slowCallLines(call, place, stats, looks.width)]),
  ];
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ['', title, ...lines];
}

/** What was asked about: of several functions, each with its calls. */
function functionLines({ functions }: Latency, { asked, width, top }: LatencyLooks): string[] {
  const [only, ...others] = functions;
  if (others.length === 0) return [fittingName(only?.name ?? asked, width)];
  const columns: TableColumn<(typeof functions)[number]>[] = [
    { title: 'total', text: ({ totalNs }) => formatDuration(totalNs) },
    { title: 'calls', text: callsCell },
    { title: 'avg', text: ({ avgNs }) => durationCell(avgNs) },
    { title: 'max', text: longestCell },
  ];
  const name = ({ name, dso }: (typeof functions)[number]) => (dso === null ? name : `${name} (${dso})`);
  const title = formatMany(functions.length, 'function');
  const options = { name, nameTitle: `${title}, taken together`, width };
  return topLines(functions, top, (rows) => tableLines(rows, columns, options));
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
  const outside = `${shareCell(outsideNs, totalNs)} outside of traced code${own}`;
  const offCpu = hasSwitches ? `, ${shareCell(offCpuNs, totalNs)} off the processor` : '';
  const lines = seenLines(stats);
  if (calls === inferred) return lines;
  lines.push(
    ...inColumns(
      [cells.map(([title]) => title), cells.map(([, ns]) => durationCell(ns))],
      cells.map(() => 'right'),
    ),
  );
  return [...lines, `${formatDuration(totalNs)} in all: ${outside}${offCpu}`];
}

/** How many calls were seen whole, and what is known of the others. */
function seenLines({ calls, inferred, unwound, maxNs, longestCutNs }: LatencyStats): string[] {
  const left = unwound === 0 ? [] : [`${formatCount(unwound)} unwound: ended by an exception or a longjmp`];
  if (inferred === 0) return [formatMany(calls, 'call'), ...left];
  const cutNs = longestCut(maxNs, longestCutNs);
  const longest = cutNs === null ? '' : `; the longest of all was cut: ${formatAtLeast(cutNs)}`;
  const counted = calls === inferred ? '' : '; no time below counts them';
  const whole = `${formatCount(calls - inferred)} of ${formatMany(calls, 'call')} whole`;
  return [`${whole}, ${formatCount(inferred)} cut: start or end not seen${longest}${counted}`, ...left];
}

function childLines(children: readonly ChildRow[], hasSwitches: boolean, { width, top }: LatencyLooks): string[] {
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
  ];
  const options = { name: distinctNames(children), nameTitle: 'child', width };
  return topLines(children, top, (rows) => tableLines(rows, columns, options));
}

/** Names callers of these. */
function callerNames(callers: readonly CallerRow[]): (caller: CallerRow) => string {
  const named = ({ name, dso }: CallerRow) => ({ name: name ?? 'nothing that was seen', dso });
  const nameOf = distinctNames(callers.map(named));
  return (caller) => nameOf(named(caller));
}

function callerLines(callers: readonly CallerRow[], { width, top }: LatencyLooks): string[] {
  const columns: TableColumn<CallerRow>[] = [
    { title: 'total', text: ({ stats }) => formatDuration(stats.totalNs) },
    { title: 'calls', text: ({ stats }) => callsCell(stats) },
    { title: 'avg', text: ({ stats }) => durationCell(stats.avgNs) },
    { title: 'p50', text: ({ stats }) => durationCell(stats.p50Ns), rank: 4 },
    { title: 'p99', text: ({ stats }) => durationCell(stats.p99Ns), rank: 2 },
    { title: 'max', text: ({ stats }) => longestCell(stats), rank: 1 },
    { title: 'outside', text: ({ stats }) => formatDuration(stats.outsideNs), rank: 3 },
  ];
  return topLines(callers, top, (rows) =>
    tableLines(rows, columns, { name: callerNames(callers), nameTitle: 'caller', width }),
  );
}

function callerSection(caller: CallerRow, name: string, hasSwitches: boolean, looks: LatencyLooks): string[] {
  const title = `called by ${fittingName(name, looks.width - 10)}`;
  const children = childLines(caller.children, hasSwitches, looks);
  return ['', title, ...statsLines(caller.stats, hasSwitches), ...(children.length === 0 ? [] : ['', ...children])];
}

type Chain = Latency['chains'][number];

function chainLines({ chains, chainsLeftOut }: Latency, { width, top }: LatencyLooks): string[] {
  const unlisted = `${NOTHING} and ${formatCount(chainsLeftOut)} with less time, which would be too long to be listed`;
  return [...topLines(chains, top, (rows) => pathTable(rows, width)), ...(chainsLeftOut > 0 ? [unlisted] : [])];
}

/** Numbers in columns, and in what room is left the end of each path. */
function pathTable(chains: readonly Chain[], width: number): string[] {
  const columns: TableColumn<Chain>[] = [
    { title: 'total', text: ({ totalNs }) => formatDuration(totalNs) },
    { title: 'calls', text: callsCell },
    { title: 'avg', text: ({ avgNs }) => durationCell(avgNs) },
    { title: 'max', text: longestCell, rank: 1 },
  ];
  const [titles = '', ...lines] = tableLines(chains, columns, { name: () => '', nameTitle: PATH, width });
  const numbersWidth = titles.length - PATH.length;
  const room = width - numbersWidth;
  return [titles, ...lines.map((line, row) => line.padEnd(numbersWidth) + pathText(chains[row]?.path ?? [], room))];
}

const PATH = 'path';
const CUT = '… → ';

/** "main → run → do_command": the end of a long one tells most. */
function pathText(path: readonly string[], width: number): string {
  const names = path.map(visibleText);
  let text = fittingName(path.at(-1) ?? '', width - (path.length > 1 ? CUT.length : 0));
  for (let at = names.length - 2; at >= 0; at--) {
    const longer = `${names[at]} → ${text}`;
    if (longer.length + (at > 0 ? CUT.length : 0) > width) return CUT + text;
    text = longer;
  }
  return text;
}
