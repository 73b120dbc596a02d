/**
 * `ptflame waits`: shows why threads waited, where, and who woke them.
 */

import * as z from 'zod';
import { PERCENTILES } from '../../src/model/percentiles.js';
import type { CallPattern } from '../../src/pipeline/replay/selection.js';
import { askWaits, type WaitsResult, waitsAnswer } from '../../src/questions/waits/ask-wait-summary.js';
import type {
  PathPiece,
  SlowWait,
  StagePoint,
  StageRow,
  WaitPlace,
  WaitStats,
  WaitsAnswer,
} from '../../src/questions/waits/schema.js';
import { formatCount, formatDuration, formatLongest, formatMany } from '../../src/render/format.js';
import { visibleText } from '../../src/render/visible-text.js';
import {
  csvColumns,
  durationCell,
  type HasLine,
  LINE_TITLES,
  lineCells,
  lineColumns,
  missingLines,
  shareCell,
  topLines,
  UNKNOWN,
} from '../answers/cells.js';
import { durationRow, histogramLines } from '../answers/histogram.js';
import { INSIDE_WAITS, insideFlag, insideLines } from '../answers/inside-calls.js';
import { placeText, threadName, wakerText } from '../answers/wait-names.js';
import { type CommandInput, openInputs } from '../input/open-inputs.js';
import { requireTraces, withProgress } from '../input/traces.js';
import { functionList } from '../options/question-values.js';
import { answering, limit, reading, replaying, selection, srcline, TRACES, windowed } from '../options/shared.js';
import { path } from '../options/values.js';
import { answerFormats, openAnswer } from '../output/answer.js';
import { notifyQuality } from '../output/lines.js';
import { notify } from '../terminal/notify.js';
import { type TableColumn, tableLines } from '../terminal/table.js';
import { defineCommand } from '../usage/define-command.js';
import { flag, group } from '../usage/flag.js';

/** The options of `ptflame waits`. */
const WaitsOptions = z.object({
  inputs: z.array(path).min(1),
  ...group('Selection', {
    inside: insideFlag('waits', '; the slowest are calls', { ...INSIDE_WAITS, formerly: { in: null } }),
  }),
  ...group('Output', {
    slowest: limit(
      0,
      'show the critical path of each of the N longest waits (not with --csv)',
      ['text', 'json'],
      'what each of the N longest waits consisted of',
    ),
    points: flag(
      functionList.optional(),
      'show the stages from each point to the next, in the same thread: calls of a function, or hits of a probe, as in push or probe:push, or other events',
      {
        value: 'P1,P2,…',
        common: 'show the stages from point to point',
      },
    ),
    top: limit(
      12,
      'maximum number of rows of a table; 0: all (JSON and CSV: all)',
      ['text'],
      'maximum number of rows, 0 for all',
    ),
    ...answering(),
  }),
  ...srcline(),
  ...windowed(),
  ...selection(),
  ...replaying(),
  ...reading(),
});
type WaitsOptions = z.infer<typeof WaitsOptions>;

export const command = defineCommand({
  details:
    'The input must be recorded with ptflame record --waits. Functions are known if it has an Intel PT trace, too.',
  examples: [
    ['ptflame waits perf.data', 'by reason, by waker, by place and by thread'],
    ['ptflame waits perf.data --slowest 3', 'what the longest waits consisted of: who did what meanwhile'],
    ['ptflame waits perf.data --inside do_command --slowest 3', 'the same of calls of a function'],
    ['ptflame waits perf.data --points trx_commit,log_write,fsync', 'the stages of a commit'],
  ],
  arguments: [TRACES],
  schema: WaitsOptions,
  formats: answerFormats,
  run: waits,
});

export async function waits(options: WaitsOptions, signal: AbortSignal): Promise<void> {
  const inputs = await requireTraces(await openInputs(options.inputs, options, signal));
  const output = await openAnswer(options, options.inputs);
  const result = await askAbout(inputs, options, signal);
  const answer = waitsAnswer(result);
  const text = (width: number) => waitsLines(answer, { inside: options.inside, width, top: options.top });
  await output.write({ json: () => answer, text, csv: () => csvRows(answer, options.srcline) });
  if (output.formats.includes('csv') && !options.quiet) for (const line of missingLines(answer.missing)) notify(line);
  if (result.profile !== null) await notifyQuality(result.profile, options);
}

function askAbout(inputs: readonly CommandInput[], options: WaitsOptions, signal: AbortSignal): Promise<WaitsResult> {
  const { inside, points, slowest, ...flags } = options;
  const question = { ...(inside !== undefined && { inside }), ...(points && { points }), slowest };
  return withProgress(inputs, { ...flags, foldRecursion: false }, signal, (analyzing) =>
    askWaits(inputs, question, { ...analyzing, trees: 'together' }),
  );
}

const COLUMNS = csvColumns<keyof WaitStats>(
  'waits totalNs blockedNs wakeUpNs preemptedNs unknownNs unexplainedNs avgNs minNs p50Ns p90Ns p99Ns maxNs openWaits longestOpenNs',
  PERCENTILES.map(({ key }) => key),
);

type Cell = string | number | boolean | null;

/** A row for each row of all tables: only of reasons, and of all waits, is it counted how many were inferred; the stages have no open waits, and their durations are not only waits. */
function csvRows({ stats, reasons, wakers, places, threads, stages }: WaitsAnswer, hasLines: boolean): Cell[][] {
  const inferred = reasons.reduce((sum, row) => sum + row.inferred, 0);
  const cells = (row: Partial<WaitStats>, fn: HasLine | null = null, inferred: number | null = null) => [
    ...COLUMNS.map((column) => row[column] ?? null),
    inferred,
    ...(hasLines ? lineCells(fn ?? {}) : []),
  ];
  return [
    ['by', 'name', ...COLUMNS, 'inferred', ...(hasLines ? LINE_TITLES : [])],
    ['all', null, ...cells(stats, null, inferred)],
    ...reasons.map((row) => ['reason', row.reason, ...cells(row.stats, null, row.inferred)]),
    ...wakers.map((row) => ['waker', wakerText(row), ...cells(row.stats, row.function)]),
    ...places.map((row) => ['place', placeText(row), ...cells(row.stats, row.function)]),
    ...threads.map((row) => ['thread', threadName(row.thread), ...cells(row.stats)]),
    ...(stages?.rows ?? []).map((row) => ['stage', `${row.from} to ${row.to}`, ...cells(row)]),
  ];
}

/** Formats why threads waited, where, and who woke them, as terminal text. */
interface WaitsTextOptions {
  /** FUNCTION of --in; null: all waits. */
  readonly inside: CallPattern | undefined;
  readonly width: number;
  /** Maximum number of rows of a table; 0: all. */
  readonly top: number;
}

export function waitsLines(answer: WaitsAnswer, options: WaitsTextOptions): string[] {
  const { stats, reasons, wakers, candidates, places, threads, slowest, stages, trace } = answer;
  const table = (title: string, rows: readonly NamedStats[]) =>
    rows.length === 0 ? [] : ['', ...topLines(rows, options.top, (shown) => statsTable(title, shown, stats, options))];
  const head = [
    ...summaryLines(answer),
    ...insideLines(answer.inside, options.inside),
    ...missingLines(answer.missing),
  ];
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

/** Neighbouring pieces below this share of the interval are shown together. */
const MIN_SHARE = 0.005;
/** Longer paths are summed up. */
const MAX_PIECES = 24;

interface Row {
  readonly fromNs: number;
  readonly durationNs: number;
  readonly thread: string;
  readonly what: string;
}

/** Formats what a long wait or call consisted of: its critical path. */
export function slowWaitLines(slow: SlowWait, rank: number, width: number): string[] {
  const { kind, thread, start, durationNs, path } = slow;
  const about = kind === 'call' ? '' : `, ${whyText(slow)}`;
  const head = `slowest ${kind} ${rank + 1}: ${formatDuration(durationNs)} from ${start} in ${threadName(thread)}${about}`;
  const rows = joinShort(path, MIN_SHARE * durationNs);
  return [head, ...(rows.length <= MAX_PIECES ? pathTable(rows, slow, width) : sumLines(slow, width))];
}

function pathTable(rows: readonly Row[], { durationNs }: SlowWait, width: number): string[] {
  const columns: TableColumn<Row>[] = [
    { title: 'from', text: ({ fromNs }) => `+${formatDuration(fromNs)}` },
    { title: 'time', text: (row) => formatDuration(row.durationNs) },
    { title: '%', text: (row) => shareCell(row.durationNs, durationNs), rank: 1 },
    { title: 'thread', text: (row) => row.thread, isLeft: true },
  ];
  return tableLines(rows, columns, { name: ({ what }) => what, nameTitle: 'what it did', width });
}

/** By thread and what it did, most time first. */
function sumLines({ path, durationNs }: SlowWait, width: number): string[] {
  const sums = summed(path);
  const shown = sums.slice(0, MAX_PIECES);
  const left = sums.slice(MAX_PIECES).reduce((sum, row) => sum + row.durationNs, 0);
  const columns: TableColumn<Sum>[] = [
    { title: 'time', text: (row) => formatDuration(row.durationNs) },
    { title: '%', text: (row) => shareCell(row.durationNs, durationNs), rank: 2 },
    { title: 'pieces', text: (row) => formatCount(row.pieces), rank: 1 },
    { title: 'thread', text: (row) => row.thread, isLeft: true },
  ];
  const table = tableLines(shown, columns, { name: ({ what }) => what, nameTitle: 'what it did', width });
  const rest = left > 0 ? [`${UNKNOWN} and ${formatDuration(left)} of ${sums.length - shown.length} others`] : [];
  return [`${formatCount(path.length)} pieces, summed up; --json has all of them`, ...table, ...rest];
}

interface Sum {
  readonly thread: string;
  readonly what: string;
  readonly durationNs: number;
  readonly pieces: number;
}

function summed(path: readonly PathPiece[]): Sum[] {
  const sums = new Map<string, Sum>();
  for (const piece of path)
    for (const { what, ns } of partsOf(piece)) {
      const thread = threadName(piece.thread);
      const key = `${thread}\n${what}`;
      const sum = sums.get(key) ?? { thread, what, durationNs: 0, pieces: 0 };
      sums.set(key, { ...sum, durationNs: sum.durationNs + ns, pieces: sum.pieces + 1 });
    }
  return [...sums.values()].sort((a, b) => b.durationNs - a.durationNs || (a.what < b.what ? -1 : 1));
}

/** Time in which a thread ran is divided by function. */
function partsOf(piece: PathPiece): { readonly what: string; readonly ns: number }[] {
  if (piece.kind !== 'running') return [{ what: whatText(piece), ns: piece.durationNs }];
  const parts = piece.functions.map(({ name, ns }) => ({ what: `ran ${name}`, ns }));
  const ns = parts.reduce((left, part) => left - part.ns, piece.durationNs);
  return ns > 0 ? [...parts, { what: 'ran', ns }] : parts;
}

/** "mutex 0x5500 in read_balance → pthread_mutex_lock". */
function whyText({ reason, isReasonInferred, address, place }: SlowWait): string {
  const where = place?.function ? ` in ${placeText(place)}` : '';
  return `${reason}${isReasonInferred ? ' (inferred)' : ''}${address === null ? '' : ` ${address}`}${where}`;
}

/** Neighbouring short pieces become one row. */
function joinShort(path: readonly PathPiece[], minNs: number): Row[] {
  const rows: Row[] = [];
  for (let at = 0; at < path.length; at++) {
    let end = at;
    while (end < path.length && path[end].durationNs < minNs) end++;
    if (end - at < 2) rows.push(pieceRow(path[at]));
    else {
      const short = path.slice(at, end);
      const durationNs = short.reduce((sum, piece) => sum + piece.durationNs, 0);
      rows.push({
        fromNs: path[at].fromNs,
        durationNs,
        thread: '⋮',
        what: formatMany(short.length, 'short piece'),
      });
      at = end - 1;
    }
  }
  return rows;
}

function pieceRow(piece: PathPiece): Row {
  const { fromNs, durationNs, thread } = piece;
  return { fromNs, durationNs, thread: threadName(thread), what: whatText(piece) };
}

function whatText(piece: PathPiece): string {
  const { kind, functions, reason, isReasonInferred, place, waker } = piece;
  const where = place?.function ? ` in ${placeText(place)}` : '';
  const wait =
    reason === null || reason === 'unknown'
      ? `waited${where}`
      : `waited (${reason}${isReasonInferred ? ', inferred' : ''})${where}`;
  switch (kind) {
    case 'running':
      return functions.length === 0 ? 'ran' : `ran ${functionsText(functions)}`;
    case 'preempted':
      return `preempted${where}`;
    case 'wake-up':
      return `from waking to running${where}`;
    case 'interrupt':
      return `${wait}, for a timer or a device`;
    case 'not-traced':
      return `${wait}, for ${waker ? threadName(waker) : '[not traced]'}`;
    case 'maybe-thread':
      return `${wait}, maybe for ${waker ? threadName(waker) : '[not traced]'}`;
    case 'not-seen':
      return `${wait}: no waking was seen`;
    case 'unknown':
      return '[unknown]';
  }
}

const MAX_FUNCTIONS = 3;
const MIN_FUNCTION_SHARE = 0.05;

/** "crunch 2.1 ms, transfer 200 µs". */
function functionsText(functions: PathPiece['functions']): string {
  const totalNs = functions.reduce((sum, { ns }) => sum + ns, 0);
  const [first, ...others] = functions.filter(({ ns }) => ns >= MIN_FUNCTION_SHARE * totalNs).slice(0, MAX_FUNCTIONS);
  if (first === undefined) return '';
  if (others.length === 0) return first.name;
  return [first, ...others].map(({ name, ns }) => `${name} ${formatDuration(ns)}`).join(', ');
}
