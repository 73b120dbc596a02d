/**
 * `ptflame requests`: follows requests through threads.
 */
import { basename } from 'node:path';
import * as z from 'zod';
import { PtflameError } from '../../src/model/errors.js';
import { PERCENTILES } from '../../src/model/percentiles.js';
import type { Profile } from '../../src/model/profile/profile.js';
import type { FunctionPattern } from '../../src/pipeline/replay/find-functions.js';
import { requestsAnswer } from '../../src/questions/requests/answer.js';
import { askRequests, type RequestsResult } from '../../src/questions/requests/ask-requests.js';
import type {
  RequestDetails,
  RequestPart,
  RequestSpan,
  RequestsAnswer,
  RequestThreadTime,
  RequestTime,
  RequestWait,
} from '../../src/questions/requests/schema.js';
import {
  formatCount,
  formatDifference,
  formatDuration,
  formatMany,
  formatPercentile,
} from '../../src/render/format.js';
import { shellWords, visibleText } from '../../src/render/visible-text.js';
import { durationCell, topLines, traceLines, UNKNOWN } from '../answers/cells.js';
import { placeText, threadName } from '../answers/wait-names.js';
import { snapshotsOf } from '../input/captures.js';
import { openInputs } from '../input/open-inputs.js';
import { requireTraces, withProgress } from '../input/traces.js';
import { functionArgument, parsedList, span } from '../options/question-values.js';
import {
  answering,
  limit,
  outputs,
  reading,
  regexFlag,
  replaying,
  selection,
  TRACES_OR_SNAPSHOTS,
  windowed,
} from '../options/shared.js';
import { path, regex } from '../options/values.js';
import { answerFormats, openAnswer } from '../output/answer.js';
import { qualityLines } from '../output/lines.js';
import { notify } from '../terminal/notify.js';
import { alignColumns, fittingName, type TableColumn, tableLines } from '../terminal/table.js';
import { defineCommand } from '../usage/define-command.js';
import { flag, group } from '../usage/flag.js';

/** The options of `ptflame requests`. */
const RequestsOptions = z.object({
  function: path,
  inputs: z.array(path).min(1),
  ...group('Output', {
    slowest: limit(
      0,
      'show each of the N slowest requests, with the work of other threads (not with --csv)',
      ['text', 'json', 'otlp', 'perfetto'],
      'all that happened in the N slowest requests',
    ),
    minCall: flag(
      span.optional(),
      'with --slowest: leave out calls and waits that lasted shorter (default: 1 % of the slowest; with --otlp and --perfetto: none)',
      { value: 'DURATION', formerly: { min: null } },
    ),
    top: limit(
      20,
      'maximum number of rows of a table; 0: all (JSON and CSV: all)',
      ['text'],
      'maximum number of rows, 0 for all',
    ),
    ...answering(),
    output: outputs(
      'write FILE.txt, .csv, .json, .jsonl (--otlp) or .pftrace (--perfetto) instead of printing; may be repeated',
      'write FILE.txt, .csv, .json, .jsonl or .pftrace',
    ),
    otlp: flag(
      z.boolean().default(false),
      'print all requests, or the slowest, as spans for OpenTelemetry, a line of JSON for each batch: docs/answers.md',
      { common: 'print requests as spans for OpenTelemetry' },
    ),
    perfetto: flag(
      z.boolean().default(false),
      'print the same spans as a trace for Perfetto, with arrows where work is handed on: docs/exports.md',
      { common: 'print them as a trace for Perfetto' },
    ),
    maxSpans: limit(500_000, 'with --otlp and --perfetto: maximum number of spans; shorter calls are left out', [
      'otlp',
      'perfetto',
    ]),
  }),
  ...group('Selection', {
    flow: flag(
      parsedList(parseFlow, 'must be PUSH:KEY=POP:KEY, such as queue_push:job=run_job:job').optional(),
      'how work is handed on: where the event PUSH and the event POP have the same KEY; without KEYs by order; may be repeated (default: threads may work for those that wake them)',
      { value: 'PUSH:KEY=POP:KEY', common: 'how work is handed on from thread to thread' },
    ),
    id: flag(
      regex.optional(),
      'with --flow: the part of KEY that is the id: the first group of REGEX, or its whole match; ids join processes, too',
      { value: 'REGEX' },
    ),
    host: flag(
      parsedList(parseHost, 'must be INPUT=HOST, such as client.txt=web').optional(),
      'the host that recorded an input, if the recording does not name it; may be repeated; --window is on the clock of the first host',
      { value: 'INPUT=HOST' },
    ),
    regex: regexFlag('ROOT'),
  }),
  ...windowed(),
  ...selection(),
  ...replaying(),
  ...reading(),
});
type RequestsOptions = z.infer<typeof RequestsOptions>;

/** "queue_push:job=run_job:job": events, each with the argument that identifies the work, if any. */
function parseFlow(text: string): { readonly push: string; readonly pop: string } | null {
  const [push = '', pop = '', ...more] = text.split('=').map((part) => part.trim());
  return push === '' || pop === '' || more.length > 0 ? null : { push, pop };
}

/** "client.txt=web". */
function parseHost(text: string): { readonly input: string; readonly host: string } | null {
  const at = text.lastIndexOf('=');
  const [input, host] = [text.slice(0, Math.max(0, at)).trim(), text.slice(at + 1).trim()];
  return input === '' || host === '' ? null : { input, host };
}

export const command = defineCommand({
  details:
    'Shows where the time of typical and of slow requests goes, and all that happened in the slowest. The work of other threads is found if the input was recorded with ptflame record --waits.',
  examples: [
    ['ptflame requests handle_request perf.data', 'distribution, and where the time goes'],
    ['ptflame requests do_command perf.data --slowest 1 --min-call 100us', 'the slowest one, without short calls'],
    [
      'ptflame requests handle_request perf.data --flow queue_push:job=run_job:job --slowest 3',
      'with the work that was handed on by a queue, found by the argument job of two probes',
    ],
    ['ptflame requests parse slow --slowest 3', 'slow against typical ones in all snapshots of record --trigger'],
    [
      'ptflame requests handle_request perf.data --flow queue_push:job=run_job:job -o requests.jsonl',
      'all as spans, for a collector of OpenTelemetry, Jaeger or Tempo',
    ],
    [
      'ptflame requests handle_request perf.data --flow queue_push:job=run_job:job -o requests.pftrace',
      'all over time, with arrows from thread to thread, for https://ui.perfetto.dev',
    ],
    [
      "ptflame requests get_page web.data db.data --flow send:id=recv:id --id '^00-(\\w+-\\w+)'",
      'through two hosts, by the ids of messages; clocks are related by what was sent and came back',
    ],
  ],
  arguments: [
    {
      property: 'function',
      placeholder: 'ROOT',
      description: 'each of its calls is a request: an exact name or /a regular expression/',
      short: 'each of its calls is a request: a name or /a regular expression/',
    },
    TRACES_OR_SNAPSHOTS,
  ],
  schema: RequestsOptions,
  formats: answerFormats,
  run: (options, signal) => requests(options, functionArgument(options.function, options.regex, 'requests'), signal),
});

export async function requests(options: RequestsOptions, root: FunctionPattern, signal: AbortSignal): Promise<void> {
  const { flow: flows, host, id, maxSpans, minCall, slowest, top } = options;
  const snapshots = snapshotsOf(options.inputs);
  const opened = snapshots?.slice(0, MAX_SNAPSHOTS) ?? options.inputs;
  const inputs = await requireTraces(await openInputs(opened, options, signal));
  const output = await openAnswer(options, opened);
  const hasSpans = output.formats.some((format) => format === 'otlp' || format === 'perfetto');
  if (snapshots !== null && hasSpans) throw spansOfSnapshots(snapshots);
  if (snapshots !== null && snapshots.length > opened.length)
    notify(
      `warning: only the ${opened.length} slowest of ${snapshots.length} snapshots are read: all are open at once`,
    );
  const question = {
    ...{ root, slowest },
    ...(minCall !== undefined && { minNs: minCall }),
    ...(flows && { flows }),
    ...(id && { id }),
    ...(host && { hosts: hostsOf(options.inputs, host) }),
    ...(snapshots && { recordings: opened.map((path) => basename(path)) }),
    ...(hasSpans && { maxSpans }),
  };
  const found = await withProgress(inputs, { ...options, foldRecursion: false }, signal, (analyzing) =>
    askRequests(inputs, question, { ...analyzing, trees: snapshots ? 'apart' : 'together' }),
  );
  const whole = snapshots ? await sumOfRecordings(found) : found.profile;
  const answer = () => requestsAnswer(found, whole);
  const text = (width: number) => requestsLines(answer(), { pattern: options.function, width, top });
  const formats = {
    ...{ json: answer, text, csv: () => csvRows(answer()) },
    ...{ otlp: () => otlpLines(found), perfetto: () => perfettoBytes(found) },
  };
  await output.write(formats);
  if (options.quiet) return;
  const hint = flowHint(answer());
  if (hint !== null) notify(`note: ${hint}`);
  if (hasSpans) for (const line of leftOutLines(found.requests)) notify(line);
  for (const { name, profile } of snapshots ? [{ name: null, profile: whole }] : found.hosts)
    for (const line of qualityLines(profile))
      notify(found.hosts.length > 1 && !snapshots ? `${visibleText(name ?? '')}: ${line}` : line);
}

/** All are open at once, and share the memory. */
const MAX_SNAPSHOTS = 64;

function spansOfSnapshots([slowest = '']: readonly string[]): PtflameError {
  return new PtflameError('BAD_OPTION', '--otlp and --perfetto write one recording, and these are several', {
    hint: `pass one of them: ${shellWords([slowest])}`,
  });
}

async function sumOfRecordings({ hosts }: RequestsResult): Promise<Profile> {
  const { ProfileSum } = await import('../../src/fleet/merge-profiles.js');
  const sum = new ProfileSum('comm');
  for (const { name, profile } of hosts) sum.add(profile, name ?? '');
  return sum.build();
}

async function* otlpLines(found: RequestsResult): AsyncGenerator<string> {
  const { otlpOfRequests } = await import('../../src/export/otlp.js');
  yield* otlpOfRequests(found);
}

async function* perfettoBytes(found: RequestsResult): AsyncGenerator<Uint8Array> {
  const { perfettoOfRequests } = await import('../../src/export/perfetto/requests.js');
  yield* perfettoOfRequests(found);
}

/** By input. @throws PtflameError BAD_OPTION for a host of something that is no input */
function hostsOf(inputs: readonly string[], named: NonNullable<RequestsOptions['host']>): (string | null)[] {
  const other = named.find(({ input }) => !inputs.includes(input));
  if (other !== undefined)
    throw new PtflameError('BAD_OPTION', `--host names ${other.input}, which is not an input`, {
      hint: `the inputs are ${inputs.join(', ')}`,
    });
  return inputs.map((path) => named.find(({ input }) => input === path)?.host ?? null);
}

function csvRows({ where, flow }: RequestsAnswer): (string | number | boolean | null)[][] {
  const titles = ['host', 'isOwn', 'name', 'dso', 'call', 'stop', 'reason', 'typicalNs', 'slowestNs'];
  const rows = where.map(({ host, isOwn, function: own, call, stop, reason, typicalNs, slowestNs }) => {
    const times = [typicalNs, slowestNs].map((ns) => (isKnownTime(ns, isOwn, flow) ? ns : null));
    return [host, isOwn, own?.name ?? null, own?.dso ?? null, call?.name ?? null, stop, reason, ...times];
  });
  return [titles, ...rows];
}

/** Formats requests, and where their time goes, as terminal text. */
interface RequestsTextOptions {
  /** ROOT as typed. */
  readonly pattern: string;
  readonly width: number;
  /** Maximum number of rows of a table; 0: all. */
  readonly top: number;
}

function requestsLines(answer: RequestsAnswer, options: RequestsTextOptions): string[] {
  const { functions, stats, complete, details } = answer;
  const [only, ...others] = functions;
  const name =
    only && others.length === 0 ? only.name : `${options.pattern}, ${formatMany(functions.length, 'function')}`;
  return [
    ...headLines(answer),
    '',
    fittingName(name, options.width),
    ...countLines(answer),
    ...joinedLines(answer),
    ...(stats === null ? [] : statsLines(stats, complete)),
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

function statsLines(stats: NonNullable<RequestsAnswer['stats']>, calls: number): string[] {
  const { avgNs, minNs, maxNs } = stats;
  const titles = ['avg', 'min', ...PERCENTILES.map(({ title }) => title), 'max'];
  const percentiles = PERCENTILES.map(({ key, part }) => formatPercentile(stats[key], { ...stats, calls }, part));
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
    isKnown(typicalNs, isOwn) && isKnown(slowestNs, isOwn) ? formatDifference(slowestNs - typicalNs) : UNKNOWN;
  return [
    { title: 'typical', text: ({ typicalNs, isOwn }) => cell(typicalNs, isOwn) },
    { title: 'slowest', text: ({ slowestNs, isOwn }) => cell(slowestNs, isOwn) },
    { title: 'more', text: change, rank: 1 },
  ];
}

/** Without a flow, a waking shows that a thread worked for another, but nothing shows that none did. */
function isKnownTime(ns: number, isOwn: boolean, { isNamed }: RequestsAnswer['flow']): boolean {
  return isOwn || isNamed || ns > 0;
}

/** Says how to find all work of other threads; null: nothing suggests that there is more. */
function flowHint({ flow: { isNamed, events }, otherThreads }: RequestsAnswer): string | null {
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

type RequestHost = RequestsAnswer['hosts'][number];

/** Says how far the clock of a host is ahead of another's, and how sure that is. */
function clockLines({ name, offset }: RequestHost, at: number): string[] {
  if (offset === null)
    return at === 0 ? [] : [`clock of ${visibleText(name)}: unknown, as no id relates it to another host`];
  const { to, handOffs, contradictions } = offset;
  const from = `from ${formatMany(handOffs, 'hand-off')}`;
  const against =
    contradictions === 0
      ? ''
      : `; ${formatCount(contradictions)} more contradict${contradictions === 1 ? 's' : ''} them: a clock changed its speed, or ids match wrongly`;
  return [`clock of ${visibleText(name)}: offset ${offsetText(offset)} to ${visibleText(to)}, ${from}${against}`];
}

/** "+1.234 ms ± 12 µs"; "≤ +1.234 ms": nothing came back. */
function offsetText({ lowNs, highNs }: Pick<NonNullable<RequestHost['offset']>, 'lowNs' | 'highNs'>): string {
  if (lowNs === null)
    return highNs === null ? 'unknown' : `≤ ${signedText(highNs, 1)} (its work is as early as it can be)`;
  if (highNs === null) return `≥ ${signedText(lowNs, 1)} (its work is as late as it can be)`;
  const errorNs = (highNs - lowNs) / 2;
  return `${signedText((lowNs + highNs) / 2, errorNs)} ± ${formatDuration(errorNs)}`;
}

/** As many digits as the error allows. */
function signedText(ns: number, errorNs: number): string {
  const [unit, size] = UNITS.find(([, size]) => Math.abs(ns) >= size) ?? ['ns', 1];
  const digits = Math.max(0, Math.ceil(Math.log10(size / Math.max(errorNs, 1))) + 1);
  return `${ns < 0 ? '-' : '+'}${(Math.abs(ns) / size).toFixed(Math.min(digits, Math.log10(size)))} ${unit}`;
}

const UNITS = [
  ['s', 1e9],
  ['ms', 1e6],
  ['µs', 1e3],
] as const;

/** Says what is left out of requests that are written as spans. */
function leftOutLines({ cut, leftOut, details }: RequestsResult['requests']): string[] {
  const lines: string[] = [];
  if (cut > 0) lines.push(`${formatMany(cut, 'request')} left out: their start or their end was not seen`);
  if (leftOut.requests > 0) {
    const all = formatCount(leftOut.requests + details.length);
    lines.push(`only the slowest ${formatCount(details.length)} of ${all} requests are written; raise --max-spans`);
  }
  if (leftOut.calls > 0) {
    const bound = formatDuration(leftOut.minNs);
    lines.push(`${formatMany(leftOut.calls, 'call')} of less than ${bound} left out`);
  }
  return lines;
}

/** Formats one of the slowest requests: its calls and waits, and the work of other threads where it was handed on. */
export function slowRequestLines(details: RequestDetails, rank: number, width: number): string[] {
  const { recording, start, durationNs, parts } = details;
  const [own, ...others] = parts;
  const work = others.length === 0 ? '' : `, with ${formatMany(others.length, 'part')} in other threads`;
  const head = `slowest request ${rank + 1}${recording === undefined ? '' : ` (${recording})`}: ${formatDuration(durationNs)} from ${start}${own ? ` in ${namedThread(own)}` : ''}${work}`;
  const columns: TableColumn<RequestLine>[] = [
    { title: 'start', text: ({ startNs }) => formatDuration(startNs) },
    { title: 'duration', text: ({ durationNs }) => formatDuration(durationNs) },
    { title: 'self', text: ({ selfNs }) => formatDuration(selfNs), rank: 2 },
    { title: 'thread', text: ({ thread }) => thread, rank: 1 },
  ];
  const options = {
    name: ({ text }: RequestLine) => text,
    nameTitle: 'call',
    indent: ({ depth }: RequestLine) => '  '.repeat(Math.min(depth, 20)),
    width,
  };
  return [head, ...tableLines(requestLines(parts), columns, options)];
}

function namedThread(part: RequestPart): string {
  const { comm } = part.thread;
  return `thread ${threadText(part)}${comm === null ? '' : ` ${visibleText(comm)}`}`;
}

/** Puts the parts of a request into one tree: a part is below the call in which it was handed on. */
interface RequestLine {
  readonly depth: number;
  readonly startNs: number;
  readonly durationNs: number;
  /** Of a thread, these add up to the duration of its part. */
  readonly selfNs: number;
  /** "7"; "db 7" if there are several hosts. */
  readonly thread: string;
  readonly text: string;
}

export function requestLines(parts: readonly RequestPart[]): RequestLine[] {
  const handedOn = parts.map((_, part) => [...parts.keys()].filter((other) => parts[other]?.parent === part));
  const linesOf = (at: number, depth: number): RequestLine[] => {
    const part = parts[at] as RequestPart;
    const own = ownLines(part, depth);
    const inserted = (handedOn[at] ?? []).map((other) => {
      const { handedOnNs } = parts[other] as RequestPart;
      const { after, depth } = callAt(own, handedOnNs ?? part.startNs);
      return { after, lines: linesOf(other, depth + 1) };
    });
    return own.flatMap((line, row) => [
      line,
      ...inserted.filter(({ after }) => after === row).flatMap(({ lines }) => lines),
    ]);
  };
  return parts.length === 0 ? [] : linesOf(0, 0);
}

/**
 * Returns the innermost call that was open, and the line after which to show what was handed on in it: after all that the
 * call did; in the part's own call, after what it did until then.
 */
function callAt(lines: readonly RequestLine[], ns: number): { readonly after: number; readonly depth: number } {
  const call = Math.max(
    0,
    lines.findLastIndex(({ startNs, durationNs }) => startNs <= ns && ns < startNs + durationNs),
  );
  const depth = lines[call]?.depth ?? 0;
  let after = call;
  const isIn = (line: RequestLine | undefined) =>
    line !== undefined && line.depth > depth && (call > 0 || line.startNs <= ns || line.depth > depth + 1);
  while (isIn(lines[after + 1])) after++;
  return { after, depth };
}

function ownLines(part: RequestPart, depth: number): RequestLine[] {
  const { startNs, durationNs, spans } = part;
  const calls = mergeChains(spans);
  const [first] = calls;
  const isAll = first !== undefined && first.startNs === startNs && first.durationNs === durationNs;
  const how = howText(part);
  const thread = threadText(part);
  const lines = calls.map((call, row): RequestLine => {
    const isHead = isAll && row === 0;
    const text = isHead && how !== '' ? `${how}: ${call.text}` : call.text;
    return { ...call, depth: depth + call.depth + (isAll ? 0 : 1), thread, text };
  });
  if (isAll) return lines;
  const listedNs = spans.filter((span) => span.depth === 0).reduce((sum, span) => sum + span.durationNs, 0);
  return [{ depth, startNs, durationNs, selfNs: durationNs - listedNs, thread, text: how }, ...lines];
}

/** "⇒ by key"; "⇒ by key on db ± 12 µs": its times may be off by this much. */
function howText({ by, sharedBy, isCandidate, host, errorNs }: RequestPart): string {
  if (by === null) return '';
  const error = errorNs === 0 ? '' : ` ± ${errorNs === null ? 'unknown' : formatDuration(errorNs)}`;
  return `⇒ ${isCandidate ? 'maybe, ' : ''}by ${by}${host === null ? '' : ` on ${visibleText(host)}${error}`}${sharedBy > 1 ? `, shared by ${sharedBy}` : ''}`;
}

/** A thread's number, after its host if there are several. */
function threadText({ host, thread: { tid } }: Pick<RequestPart, 'host' | 'thread'>): string {
  return host === null ? String(tid) : `${visibleText(host)} ${tid}`;
}

type Call = Omit<RequestLine, 'thread'>;

/** A call that does little more than one other call shares its line. */
const MIN_SHARE = 0.95;

function mergeChains(spans: readonly RequestSpan[]): Call[] {
  const calls: Call[] = [];
  const depths: number[] = []; // shown, by depth
  for (let row = 0; row < spans.length; row++) {
    const first = spans[row] as RequestSpan;
    let last = row;
    while (isOnlyCall(spans, last)) last++;
    const chain = spans.slice(row, last + 1);
    const depth = first.depth === 0 ? 0 : (depths[first.depth - 1] ?? 0) + 1;
    for (const { depth: own } of chain) depths[own] = depth;
    const { startNs, durationNs } = first;
    const selfNs = chain.reduce((sum, span) => sum + span.selfNs, 0);
    calls.push({ depth, startNs, durationNs, selfNs, text: chainText(chain) });
    row = last;
  }
  return calls;
}

/** The next span is the only one within this one, and takes almost all of its time. */
function isOnlyCall(spans: readonly RequestSpan[], row: number): boolean {
  const [span, next] = [spans[row], spans[row + 1]];
  if (!span || !next || next.depth !== span.depth + 1 || next.durationNs < MIN_SHARE * span.durationNs) return false;
  for (let at = row + 2; at < spans.length; at++) {
    const depth = spans[at]?.depth ?? 0;
    if (depth <= span.depth) return true;
    if (depth === next.depth) return false;
  }
  return true;
}

const MAX_NAMES = 3;

/** "await_reply → pthread_cond_wait → … → crunch"; who ended a wait says more than functions of libraries. */
function chainText(chain: readonly RequestSpan[]): string {
  const names = chain.map(({ name }) => name.replace(VERSION, ''));
  const wait = chain.at(-1)?.wait;
  const max = wait ? 2 : MAX_NAMES;
  const shown = names.length <= max ? names : [...names.slice(0, max - 1), '…', names.at(-1)];
  return shown.join(' → ') + (wait ? waitText(wait) : '');
}

/** Of symbols of the C library. */
const VERSION = /@@?[A-Z]\w*_[\d.]+$/;

/** " condition: worker 9165 in reply, then 12 µs to run". */
function waitText(wait: RequestWait): string {
  const wakeUp = wait.wakeUpNs === null ? '' : `, then ${formatDuration(wait.wakeUpNs)} to run`;
  const reason = wait.reason === null ? '' : ` ${wait.reason}${wait.isReasonInferred ? ' (inferred)' : ''}`;
  const ended = endText(wait);
  return `${reason}${ended === '' ? '' : `: ${ended}`}${wakeUp}`;
}

function endText({ endedBy, waker, isCandidate, function: own }: RequestWait): string {
  if (endedBy === 'interrupt') return '[interrupt]';
  if (endedBy === 'not-seen') return '[not seen]';
  if (endedBy === 'open') return '[still waiting]';
  if (waker === null) return '';
  const where = own === null ? '' : ` in ${own.name}`;
  return `${isCandidate ? 'maybe ' : ''}${threadName(waker)}${where}`;
}
