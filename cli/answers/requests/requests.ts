/**
 * Formats requests, and where their time goes, as terminal text.
 */
import type { RequestsAnswer, RequestThreadTime, RequestTime } from '../../../src/questions/requests/schema.js';
import { formatCount, formatDuration, formatMany, formatPercentile } from '../../../src/render/format.js';
import { visibleText } from '../../../src/render/visible-text.js';
import { alignColumns } from '../../terminal/columns.js';
import { fittingName, type TableColumn, tableLines } from '../../terminal/table.js';
import { differenceCell, durationCell, UNKNOWN } from '../numbers.js';
import { traceLines } from '../report.js';
import { topLines } from '../top-lines.js';
import { placeText } from '../wait-names.js';
import { clockLines } from './clock-lines.js';
import { slowRequestLines } from './slow-request.js';

export interface RequestsTextOptions {
  /** ROOT as typed. */
  readonly pattern: string;
  readonly width: number;
  /** Maximum number of rows of a table; 0: all. */
  readonly top: number;
}

export function requestsLines(answer: RequestsAnswer, options: RequestsTextOptions): string[] {
  const { functions, stats, details } = answer;
  const [only, ...others] = functions;
  const name =
    only && others.length === 0 ? only.name : `${options.pattern}, ${formatMany(functions.length, 'function')}`;
  return [
    ...headLines(answer),
    '',
    fittingName(name, options.width),
    ...countLines(answer),
    ...joinedLines(answer),
    ...(stats === null ? [] : statsLines(stats)),
    ...details.flatMap((details, rank) => ['', ...slowRequestLines(details, rank, options.width)]),
    ...whereLines(answer, options),
  ];
}

function headLines({ trace, quality, hosts }: RequestsAnswer): string[] {
  if (hosts.length === 0) return traceLines(trace, quality);
  return [
    ...hosts.flatMap(({ name, trace, quality }) =>
      traceLines(trace, quality).map((line) => `${visibleText(name)}: ${line}`),
    ),
    ...hosts.flatMap(clockLines),
  ];
}

function countLines({ requests, complete, threads, otherThreads }: RequestsAnswer): string[] {
  if (requests === 0) return ['no requests'];
  const cut =
    complete === requests ? '' : `, ${formatCount(requests - complete)} cut: start or end not seen; not counted below`;
  const others = otherThreads === 0 ? '' : `; ${formatMany(otherThreads, 'other thread')} worked for them`;
  return [`${formatMany(requests, 'request')} in ${formatMany(threads, 'thread')}${others}${cut}`];
}

function joinedLines({ joined, flow, otherThreads }: RequestsAnswer): string[] {
  const { byKey, byOrder, byWaking, shared, forNoRequest, notJoined } = joined;
  const ways = [
    [byKey, 'by key'],
    [byOrder, 'maybe, by order'],
    [byWaking, 'maybe, by waking'],
  ] as const;
  const found = ways.filter(([count]) => count > 0).map(([count, way]) => `${formatCount(count)} ${way}`);
  const left = [
    ...(shared > 0 ? [`${formatCount(shared)} of it shared by several requests`] : []),
    ...(forNoRequest > 0 ? [`${formatCount(forNoRequest)} for none of these requests`] : []),
    ...(notJoined > 0 ? [`${formatCount(notJoined)} from an unknown thread`] : []),
  ];
  const isUnknown = !flow.isNamed && otherThreads > 0;
  if (found.length + left.length === 0) return [];
  return [
    `work of other threads joined: ${[...(found.length > 0 ? found : ['none']), ...left].join('; ')}`,
    ...(isUnknown ? [`without --flow, only wakings tell who worked for whom: "${UNKNOWN}" is not known, not 0`] : []),
  ];
}

function statsLines(stats: NonNullable<RequestsAnswer['stats']>): string[] {
  const { avgNs, minNs, p50Ns, p90Ns, p99Ns, maxNs } = stats;
  const titles = ['avg', 'min', 'p50', 'p90', 'p99', 'max'];
  const percentiles = [p50Ns, p90Ns, p99Ns].map((ns) => formatPercentile(ns, stats));
  const values = [durationCell(avgNs), durationCell(minNs), ...percentiles, durationCell(maxNs)];
  return alignColumns(
    [titles, values],
    titles.map(() => 'right'),
  );
}

function whereLines(
  { where, whereByThread, typical, slowest, joined, flow }: RequestsAnswer,
  options: RequestsTextOptions,
): string[] {
  if (typical === null || slowest === null) return [];
  const range = ({ minNs, maxNs }: typeof typical) =>
    minNs === maxNs ? formatDuration(minNs) : `${formatDuration(minNs)} to ${formatDuration(maxNs)}`;
  const typicalOf = `typical: average of the ${formatMany(typical.requests, 'request')} in the middle, ${range(typical)}`;
  const slowestOf = `slowest: ${slowest.requests === 1 ? 'one request' : `average of ${formatCount(slowest.requests)}`}, ${range(slowest)}`;
  return [
    '',
    'where the time goes',
    `${typicalOf}; ${slowestOf}`,
    ...timeLines(
      'in their own threads',
      where.filter(({ isOwn }) => isOwn),
      columnsOf(flow),
      options,
    ),
    ...timeLines(
      joined.shared === 0 ? 'in others that worked for them' : 'in others that worked for them, shared time divided',
      where.filter(({ isOwn }) => !isOwn),
      columnsOf(flow),
      options,
    ),
    ...threadLines(whereByThread, columnsOf(flow), options),
  ];
}

function timeLines(
  title: string,
  rows: readonly RequestTime[],
  columns: readonly TableColumn<Averages>[],
  { top, width }: RequestsTextOptions,
): string[] {
  if (rows.length === 0) return [];
  const sums = sumOf(rows);
  const options = { name: timeText, nameTitle: 'function', width };
  const [titles = '', total = '', ...lines] = topLines([sums, ...rows], top === 0 ? 0 : top + 1, (shown) =>
    tableLines(shown, columns, options),
  );
  return ['', title, titles, total, ...lines];
}

type Averages = Pick<RequestTime, 'isOwn' | 'typicalNs' | 'slowestNs'>;

function columnsOf(flow: RequestsAnswer['flow']): TableColumn<Averages>[] {
  const isKnown = (ns: number, isOwn: boolean) => isKnownTime(ns, isOwn, flow);
  const cell = (ns: number, isOwn: boolean) => (isKnown(ns, isOwn) ? formatDuration(ns) : UNKNOWN);
  const change = ({ isOwn, typicalNs, slowestNs }: Averages) =>
    isKnown(typicalNs, isOwn) && isKnown(slowestNs, isOwn) ? differenceCell(slowestNs - typicalNs) : UNKNOWN;
  return [
    { title: 'typical', text: ({ typicalNs, isOwn }) => cell(typicalNs, isOwn) },
    { title: 'slowest', text: ({ slowestNs, isOwn }) => cell(slowestNs, isOwn) },
    { title: 'more', text: change, rank: 1 },
  ];
}

/** Without a flow, a waking shows that a thread worked for another, but nothing shows that none did. */
export function isKnownTime(ns: number, isOwn: boolean, { isNamed }: RequestsAnswer['flow']): boolean {
  return isOwn || isNamed || ns > 0;
}

/** Says how to find all work of other threads; null: nothing suggests that there is more. */
export function flowHint({ flow: { isNamed, events }, otherThreads }: RequestsAnswer): string | null {
  if (isNamed || (events.length === 0 && otherThreads === 0)) return null;
  const named = 'work of other threads is found by wakings alone; --flow PUSH:KEY=POP:KEY finds all of it';
  if (events.length === 0) return `${named}: record with --probe where work is handed on, and where it is taken`;
  return `${named}: name two of ${events.slice(0, MAX_EVENTS).join(', ')}${events.length > MAX_EVENTS ? ', …' : ''}`;
}

const MAX_EVENTS = 8;

function threadLines(
  rows: readonly RequestThreadTime[],
  columns: readonly TableColumn<Averages>[],
  { top, width }: RequestsTextOptions,
): string[] {
  if (rows.length < 2) return [];
  const name = ({ host, comm, threads, isOwn }: RequestThreadTime) =>
    `${onHost(host)}${comm ?? '[unnamed]'}${threads > 1 ? ` (${formatMany(threads, 'thread')})` : ''}${isOwn ? '' : ', for requests of others'}`;
  const options = { name, nameTitle: 'threads', width };
  return ['', 'by thread', ...topLines(rows, top, (shown) => tableLines(shown, columns, options))];
}

function sumOf(rows: readonly RequestTime[]): RequestTime {
  const typicalNs = rows.reduce((sum, row) => sum + row.typicalNs, 0);
  const slowestNs = rows.reduce((sum, row) => sum + row.slowestNs, 0);
  const isOwn = rows[0]?.isOwn ?? true;
  return { host: null, isOwn, function: null, call: null, stop: TOTAL, reason: null, typicalNs, slowestNs };
}

const TOTAL = 'all';

/** "await_reply → pthread_cond_wait [off-cpu] condition". */
function timeText({ host, function: own, call, stop, reason }: RequestTime): string {
  const place = own === null && stop !== null ? null : placeText({ function: own, call });
  return `${onHost(host)}${[place, stop, reason].filter((part) => part !== null).join(' ')}`;
}

function onHost(host: string | null): string {
  return host === null ? '' : `${host}: `;
}
