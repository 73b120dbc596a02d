/**
 * Formats why threads waited, where, and who woke them, as terminal text.
 */
import type { StagePoint, StageRow, WaitPlace, WaitStats, WaitsAnswer } from '../../src/questions/waits/schema.js';
import { formatCount, formatDuration, formatLongest, formatMany } from '../../src/render/format.js';
import { visibleText } from '../../src/render/visible-text.js';
import { type TableColumn, tableLines } from '../terminal/table.js';
import { durationRow, histogramLines } from './histogram.js';
import { missingLines } from './missing-lines.js';
import { durationCell, shareCell } from './numbers.js';
import { slowWaitLines } from './slow-wait.js';
import { type HasLine, lineColumns } from './source-lines.js';
import { topLines } from './top-lines.js';
import { placeText, threadName, wakerText } from './wait-names.js';

export interface WaitsTextOptions {
  /** FUNCTION of --in; null: all waits. */
  readonly inside: string | null;
  readonly width: number;
  /** Maximum number of rows of a table; 0: all. */
  readonly top: number;
}

export function waitsLines(answer: WaitsAnswer, options: WaitsTextOptions): string[] {
  const { stats, reasons, wakers, candidates, places, threads, slowest, stages, trace } = answer;
  const table = (title: string, rows: readonly NamedStats[]) =>
    rows.length === 0 ? [] : ['', ...topLines(rows, options.top, (shown) => statsTable(title, shown, stats, options))];
  const head = [...summaryLines(answer), ...insideLines(answer, options), ...missingLines(answer.missing)];
  // What was asked for by name comes before what every answer has.
  const asked = [
    ...stageLines(stages, options),
    ...slowest.flatMap((slow, rank) => ['', ...slowWaitLines(slow, rank, options.width)]),
  ];
  if (stats.waits === 0) return [...head, ...asked];
  const knownPlaces = trace.hasCalls ? places.map((row) => namedPlace(placeText(row), row)) : [];
  return [
    ...head,
    ...asked,
    ...barLines(answer, options.width),
    ...table(
      'reason',
      reasons.map(({ reason, inferred, stats }) => ({ name: reason, inferred, stats })),
    ),
    ...table(
      'waker',
      wakers.map((row) => namedPlace(wakerText(row), row)),
    ),
    ...table(
      'waker, from calls alone',
      candidates.map((row) => namedPlace(wakerText(row), row)),
    ),
    ...table('place', knownPlaces),
    ...table(
      'thread',
      threads.map((row) => ({ name: threadName(row.thread), stats: row.stats })),
    ),
  ];
}

/** The line is that of the function, not of what it called. */
function namedPlace(name: string, row: WaitPlace & Pick<NamedStats, 'stats'>): NamedStats {
  return { name, stats: row.stats, srcline: row.function?.srcline };
}

function summaryLines({ trace, stats, wakeUps }: WaitsAnswer): string[] {
  const { totalNs, blockedNs, wakeUpNs, preemptedNs, unknownNs, unexplainedNs, cutWaits } = stats;
  const parts = [
    [blockedNs, 'blocked'],
    [wakeUpNs, 'from waking to running'],
    [preemptedNs, 'preempted'],
    [unknownNs, 'unknown (switches missing)'],
  ] as const;
  const shares = parts.filter(([ns]) => ns > 0).map(([ns, name]) => `${shareCell(ns, totalNs)} ${name}`);
  const recorded = `${formatMany(trace.threads, 'thread')} in ${formatDuration(trace.durationNs)} from ${trace.start}`;
  const cut = cutWaits === 0 ? '' : `; it cuts ${formatMany(cutWaits, 'wait')}: not in averages`;
  const part = trace.part === null ? [] : [`only ${visibleText(trace.part)}${cut}`];
  if (!trace.hasSwitches) return ['waits are not known', ...part];
  if (stats.waits === 0) return [`no waits${trace.threads === 0 ? '' : ` of ${recorded}`}`, ...part];
  const lines = [
    `${formatMany(stats.waits, 'wait')} of ${recorded}: ${formatDuration(totalNs)} off the CPU`,
    ...part,
    ...(shares.length === 0 ? [] : [`${shares.join(', ')}; unexplained: ${shareCell(unexplainedNs, totalNs)}`]),
  ];
  if (wakeUps.waits === 0) return lines;
  const { avgNs, p50Ns, p99Ns, maxNs } = wakeUps;
  const cells = `avg ${durationCell(avgNs)}, p50 ${durationCell(p50Ns)}, p99 ${durationCell(p99Ns)}, max ${durationCell(maxNs)}`;
  return [...lines, `from waking to running: ${cells}`];
}

/** How long waits lasted, and how long it took from waking to running. */
function barLines({ histogram, wakeUps }: WaitsAnswer, width: number): string[] {
  const hasWakeUps = wakeUps.waits > 0;
  const rows = histogram.map((row) => {
    return durationRow(row.fromNs, row.toNs, [row.waits, ...(hasWakeUps ? [row.wakeUps] : [])]);
  });
  const lines = histogramLines(rows, ['waits', ...(hasWakeUps ? ['waking to running'] : [])], width);
  return lines.length === 0 ? [] : ['', ...lines];
}

function insideLines({ inside }: WaitsAnswer, { inside: name }: WaitsTextOptions): string[] {
  if (inside === null || name === null) return [];
  const { calls, inferred, totalNs, offNs } = inside;
  const cut = inferred === 0 ? '' : ` (${formatCount(inferred)} of them inferred)`;
  const per = calls === 0 ? '' : `, ${formatDuration(offNs / calls)} per call`;
  const share = `${shareCell(offNs, totalNs)} of their ${formatDuration(totalNs)} off the CPU${per}`;
  return [`only inside ${formatMany(calls, 'call')} of ${visibleText(name)}${cut}: ${share}`];
}

interface NamedStats extends HasLine {
  readonly name: string;
  readonly stats: WaitStats;
  /** Of a reason: waits of which it was concluded from other waits. */
  readonly inferred?: number;
}

/** Columns that are zero in all rows are left out. */
function statsTable(
  title: string,
  rows: readonly NamedStats[],
  { totalNs }: WaitStats,
  { width }: WaitsTextOptions,
): string[] {
  const part = (
    name: string,
    key: 'blockedNs' | 'wakeUpNs' | 'preemptedNs',
    rank: number,
  ): TableColumn<NamedStats>[] =>
    rows.some(({ stats }) => stats[key] > 0)
      ? [{ title: name, text: ({ stats }) => formatDuration(stats[key]), rank }]
      : [];
  const columns: TableColumn<NamedStats>[] = [
    { title: 'total', text: ({ stats }) => formatDuration(stats.totalNs) },
    { title: '%', text: ({ stats }) => shareCell(stats.totalNs, totalNs), rank: 2 },
    { title: 'waits', text: ({ stats }) => formatCount(stats.waits) },
    ...(rows.some(({ inferred = 0 }) => inferred > 0)
      ? [{ title: 'inferred', text: ({ inferred = 0 }: NamedStats) => formatCount(inferred) }]
      : []),
    ...part('blocked', 'blockedNs', 4),
    ...part('wake-up', 'wakeUpNs', 1),
    ...part('preempted', 'preemptedNs', 3),
    { title: 'avg', text: ({ stats }) => durationCell(stats.avgNs) },
    { title: 'p50', text: ({ stats }) => durationCell(stats.p50Ns), rank: 6 },
    { title: 'p99', text: ({ stats }) => durationCell(stats.p99Ns), rank: 5 },
    { title: 'max', text: ({ stats }) => formatLongest(stats.maxNs, stats.longestOpenNs) },
    ...lineColumns(rows),
  ];
  return tableLines(rows, columns, { name: ({ name }) => name, nameTitle: title, width });
}

/** Says which is meant of a function and an event of the same name. */
function meantLines({ name, kind, event }: StagePoint): string[] {
  if (kind !== 'function' || event === null) return [];
  return [`${visibleText(name)} is the function: --points ${visibleText(event)} is the event of that name`];
}

function stageLines(stages: WaitsAnswer['stages'], { width }: WaitsTextOptions): string[] {
  if (stages === null) return [];
  const cut = stages.incomplete === 0 ? '' : `, ${formatCount(stages.incomplete)} begun but not completed`;
  const title = `stages of ${formatCount(stages.complete)} pass${stages.complete === 1 ? '' : 'es'}${cut}`;
  const head = ['', title, ...stages.points.flatMap(meantLines)];
  if (stages.complete === 0) return [...head, 'a pass is all points in this order, by one thread'];
  const columns: TableColumn<StageRow>[] = [
    { title: 'avg', text: ({ avgNs }) => durationCell(avgNs) },
    { title: 'p50', text: ({ p50Ns }) => durationCell(p50Ns), rank: 3 },
    { title: 'p99', text: ({ p99Ns }) => durationCell(p99Ns), rank: 2 },
    { title: 'max', text: ({ maxNs }) => durationCell(maxNs) },
    { title: 'on CPU', text: (row) => shareCell(row.onCpuNs, row.durationNs) },
    { title: 'blocked', text: (row) => shareCell(row.blockedNs, row.durationNs) },
    { title: 'wake-up', text: (row) => shareCell(row.wakeUpNs, row.durationNs) },
    { title: 'preempted', text: (row) => shareCell(row.preemptedNs, row.durationNs), rank: 1 },
  ];
  const name = ({ from, to }: StageRow) => `${from} → ${to}`;
  return [...head, ...tableLines(stages.rows, columns, { name, nameTitle: 'stage', width })];
}
