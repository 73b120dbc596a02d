/**
 * Formats requests, and where their time goes, as terminal text.
 */
import type { RequestsAnswer, RequestThreadTime, RequestTime } from '../../../src/questions/requests/schema.js';
import { formatCount, formatDuration, formatMany, formatPercentile } from '../../../src/render/format.js';
import { visibleText } from '../../../src/render/visible-text.js';
import { alignColumns } from '../../terminal/columns.js';
import { fittingName, type TableColumn, tableLines } from '../../terminal/table.js';
import { differenceCell, durationCell } from '../numbers.js';
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
    ...whereLines(answer, options),
    ...details.flatMap((details, rank) => ['', ...slowRequestLines(details, rank, options.width)]),
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

function joinedLines({ joined }: RequestsAnswer): string[] {
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
  if (found.length + left.length === 0) return [];
  return [`work of other threads joined: ${[...(found.length > 0 ? found : ['none']), ...left].join('; ')}`];
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
  { where, whereByThread, typical, slowest, joined }: RequestsAnswer,
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
      options,
    ),
    ...timeLines(
      joined.shared === 0 ? 'in others that worked for them' : 'in others that worked for them, shared time divided',
      where.filter(({ isOwn }) => !isOwn),
      options,
    ),
    ...threadLines(whereByThread, options),
  ];
}

function timeLines(title: string, rows: readonly RequestTime[], { top, width }: RequestsTextOptions): string[] {
  if (rows.length === 0) return [];
  const sums = sumOf(rows);
  const options = { name: timeText, nameTitle: 'function', width };
  const [titles = '', total = '', ...lines] = topLines([sums, ...rows], top === 0 ? 0 : top + 1, (shown) =>
    tableLines(shown, COLUMNS, options),
  );
  return ['', title, titles, total, ...lines];
}

type Averages = Pick<RequestTime, 'typicalNs' | 'slowestNs'>;

const COLUMNS: readonly TableColumn<Averages>[] = [
  { title: 'typical', text: ({ typicalNs }) => formatDuration(typicalNs) },
  { title: 'slowest', text: ({ slowestNs }) => formatDuration(slowestNs) },
  { title: 'more', text: ({ typicalNs, slowestNs }) => differenceCell(slowestNs - typicalNs), rank: 1 },
];

function threadLines(rows: readonly RequestThreadTime[], { top, width }: RequestsTextOptions): string[] {
  if (rows.length < 2) return [];
  const name = ({ host, comm, threads, isOwn }: RequestThreadTime) =>
    `${onHost(host)}${comm ?? '[unnamed]'}${threads > 1 ? ` (${formatMany(threads, 'thread')})` : ''}${isOwn ? '' : ', for requests of others'}`;
  const options = { name, nameTitle: 'threads', width };
  return ['', 'by thread', ...topLines(rows, top, (shown) => tableLines(shown, COLUMNS, options))];
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
