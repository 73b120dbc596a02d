/**
 * `ptflame locks`: shows which locks threads waited for, who held them, and what the holders did meanwhile.
 */

import * as z from 'zod';
import { PERCENTILES } from '../../src/model/percentiles.js';
import type { CallPattern } from '../../src/pipeline/replay/selection.js';
import { askLocks, locksAnswer } from '../../src/questions/locks/ask-locks.js';
import type { LockHolder, LockRow, Locks, LockWait } from '../../src/questions/locks/schema.js';
import type { WaitThread } from '../../src/questions/waits/schema.js';
import { formatCount, formatDuration, formatLongest, formatMany } from '../../src/render/format.js';
import { holderDid } from '../../src/render/holder-words.js';
import { visibleText } from '../../src/render/visible-text.js';
import { csvColumns, durationCell, missingLines, shareCell, topLines } from '../answers/cells.js';
import { INSIDE_WAITS, insideFlag, insideLines } from '../answers/inside-calls.js';
import { threadName } from '../answers/wait-names.js';
import { openInputs } from '../input/open-inputs.js';
import { requireTraces, withProgress } from '../input/traces.js';
import { answering, limit, reading, replaying, selection, TRACES, windowed } from '../options/shared.js';
import { path } from '../options/values.js';
import { answerFormats, openAnswer } from '../output/answer.js';
import { qualityLines } from '../output/lines.js';
import { notify } from '../terminal/notify.js';
import { type TableColumn, tableLines } from '../terminal/table.js';
import { defineCommand } from '../usage/define-command.js';
import { flag, group } from '../usage/flag.js';

const address = z.string().regex(/^(0x)?[0-9a-f]+$/i, 'must be an address, such as 0x7f0012345678');

/** The options of `ptflame locks`. */
const LocksOptions = z.object({
  inputs: z.array(path).min(1),
  ...group('Output', {
    top: limit(
      20,
      'maximum number of rows of a table; 0: all (JSON and CSV: all)',
      ['text'],
      'maximum number of rows, 0 for all',
    ),
    slowest: limit(
      0,
      'show each of the N longest waits for locks, and for whom (not with --csv)',
      ['text', 'json'],
      'the N longest waits for locks, and for whom',
    ),
    ...answering(),
  }),
  ...group('Selection', {
    inside: insideFlag('waits', '', INSIDE_WAITS),
    lock: flag(address.optional(), 'only the lock at this address', { value: 'ADDRESS', common: true }),
  }),
  ...windowed(),
  ...selection(),
  ...replaying(),
  ...reading(),
});
type LocksOptions = z.infer<typeof LocksOptions>;

export const command = defineCommand({
  details:
    'Shows for each lock how long threads waited, who held it, and what the holders did meanwhile. The input must be recorded with ptflame record --waits.',
  examples: [
    ['ptflame locks perf.data', 'by time waited'],
    ['ptflame locks perf.data --lock 0x55d0c0f0a0e0', 'one lock: all its holders and waiters'],
    ['ptflame locks perf.data --slowest 5', 'the longest waits, and for whom'],
  ],
  arguments: [TRACES],
  schema: LocksOptions,
  formats: answerFormats,
  run: locks,
});

export async function locks(options: LocksOptions, signal: AbortSignal): Promise<void> {
  const inputs = await requireTraces(await openInputs(options.inputs, options, signal));
  const output = await openAnswer(options, options.inputs);
  const { inside: _, ...others } = options;
  const flags = { ...others, foldRecursion: false };
  const { slowest, lock, top, quiet, inside } = options;
  const question = { slowest, ...(lock !== undefined && { address: lock }), ...(inside !== undefined && { inside }) };
  const found = await withProgress(inputs, flags, signal, (analyzing) =>
    askLocks(inputs, question, { ...analyzing, trees: 'together' }),
  );
  const answer = locksAnswer(found);
  const text = (width: number) => locksLines(answer, { width, top, address: lock ?? null, inside });
  await output.write({ json: () => answer, text, csv: () => csvRows(answer) });
  if (output.formats.includes('csv') && !options.quiet) for (const line of missingLines(answer.missing)) notify(line);
  if (!quiet && found.profile) for (const line of qualityLines(found.profile)) notify(line);
}

const COLUMNS = csvColumns<keyof LockRow & string>(
  'pid address kind waits waitedNs probeNs futexNs passedOnNs wakeUpNs unknownNs avgNs p50Ns p90Ns p99Ns maxNs openWaits openNs longestOpenNs convoy',
  PERCENTILES.map(({ key }) => key),
);

function csvRows({ locks: rows }: Locks): (string | number | boolean | null)[][] {
  const cells = (row: LockRow) => COLUMNS.map((column) => row[column] as string | number | null);
  const placeOf = ({ places, holders }: LockRow) => [
    places[0]?.function?.name ?? null,
    holders[0]?.threads[0]?.comm ?? null,
    holders[0]?.function?.name ?? null,
  ];
  return [[...COLUMNS, 'function', 'holder', 'holderFunction'], ...rows.map((row) => [...cells(row), ...placeOf(row)])];
}

interface LocksText {
  /** Of the terminal. */
  readonly width: number;
  /** Maximum number of rows of a table; 0: all. */
  readonly top: number;
  /** Of the only lock that was asked for; null: all. */
  readonly address: string | null;
  /** The calls that were asked about. */
  readonly inside?: CallPattern | undefined;
}

/** Of so many locks, the holders are shown. */
const MAX_DETAILED = 3;

/**
 * Formats locks as terminal text: a summary, the slowest waits, a table of locks, and the holders of the first ones.
 */
export function locksLines(answer: Locks, { width, top, address, inside }: LocksText): string[] {
  const locks = answer.locks.filter(({ isLock }) => isLock);
  const others = answer.locks.filter(({ isLock }) => !isLock);
  const { hasCalls } = answer.trace;
  const hasProcesses = answer.locks.some(({ pid }) => pid !== answer.locks[0]?.pid);
  const object = hasProcesses ? [...OBJECT, PROCESS] : OBJECT;
  const table = (rows: readonly LockRow[], who: TableColumn<LockRow>) =>
    topLines(rows, top, (shown) => lockTable(shown, object, who, { hasCalls, width }));
  const detailed = address !== null ? answer.locks : locks.slice(0, MAX_DETAILED);
  return [
    ...headLines(answer, address, inside),
    ...(answer.slowest.length > 0 ? ['', 'longest waits for locks:', ...answer.slowest.map(slowWaitLine)] : []),
    ...(locks.length > 0 ? ['', ...table(locks, HOLDER)] : []),
    ...(others.length > 0 ? ['', 'other objects that threads waited for:', ...table(others, WAKER)] : []),
    ...detailed.flatMap((lock) => ['', ...lockDetails(lock, hasProcesses, width, top)]),
  ];
}

function headLines(
  { trace, total, missing, locks: rows, inside: calls }: Locks,
  address: string | null,
  inside: CallPattern | undefined,
): string[] {
  const { locks, waits, waitedNs, probeNs, futexNs, passedOnNs, wakeUpNs, unknownNs, openWaits, openNs } = total;
  const where = trace.threads === 0 ? '' : ` in ${formatDuration(trace.durationNs)} from ${trace.start}`;
  const cut = total.cutWaits === 0 ? '' : `; it cuts ${formatMany(total.cutWaits, 'wait')}: not in averages`;
  const part = trace.part === null ? [] : [`only ${visibleText(trace.part)}${cut}`];
  const lacks = [...part, ...insideLines(calls, inside), ...missingLines(missing)];
  if (!trace.hasSwitches) return ['waits for locks are not known', ...lacks];
  if (waits === 0) return [`no waits for ${address === null ? 'locks' : `a lock at ${address}`}${where}`, ...lacks];
  const share = (ns: number) => shareCell(ns, waitedNs);
  const why = [
    ...(openNs > 0 ? [`${share(openNs)} in ${formatMany(openWaits, 'wait')} that had not ended`] : []),
    ...(rows.some(hasNoHolder) ? ['read-write locks show no holder'] : []),
  ];
  const sources = `${share(probeNs)} by a probe, ${share(futexNs)} by futex calls`;
  return [
    `${formatDuration(waitedNs)} waited for ${formatMany(locks, 'lock')} in ${formatMany(waits, 'wait')},${where}`,
    `holder known ${share(probeNs + futexNs)} (${sources}), passed on ${share(passedOnNs)}, waking to running ${share(wakeUpNs)}, unknown ${share(unknownNs)}${why.length > 0 ? ` (${why.join('; ')})` : ''}`,
    ...lacks,
  ];
}

function hasNoHolder({ kind, unknownNs, openNs }: LockRow): boolean {
  return kind === 'rwlock' && unknownNs > openNs;
}

const WAITED: TableColumn<LockRow> = { title: 'waited', text: ({ waitedNs }) => formatDuration(waitedNs) };
const DISTRIBUTION: readonly TableColumn<LockRow>[] = [
  { title: 'waits', text: ({ waits }) => formatCount(waits) },
  { title: 'avg', text: ({ avgNs }) => durationCell(avgNs), rank: 3 },
  { title: 'p99', text: ({ p99Ns }) => durationCell(p99Ns), rank: 5 },
  { title: 'max', text: ({ maxNs, longestOpenNs }) => formatLongest(maxNs, longestOpenNs) },
  { title: 'threads at once', text: ({ convoy }) => formatCount(convoy), rank: 4 },
  { title: 'wake-up', text: ({ wakeUps }) => durationCell(wakeUps.avgNs), rank: 6 },
];
const OBJECT: readonly TableColumn<LockRow>[] = [
  { title: 'kind', text: ({ kind }) => kind, isLeft: true },
  { title: 'address', text: ({ address }) => address, isLeft: true },
];
/** Forked processes have locks at the same addresses. */
const PROCESS: TableColumn<LockRow> = { title: 'process', text: ({ pid }) => (pid < 0 ? '–' : `${pid}`) };

const HOLDER: TableColumn<LockRow> = { title: 'held most by', text: mainHolder, isLeft: true, rank: 2 };
const WAKER: TableColumn<LockRow> = { title: 'woken most by', text: mainWaker, isLeft: true, rank: 2 };

function lockTable(
  rows: readonly LockRow[],
  object: readonly TableColumn<LockRow>[],
  who: TableColumn<LockRow>,
  { hasCalls, width }: { readonly hasCalls: boolean; readonly width: number },
): string[] {
  const columns = [WAITED, ...DISTRIBUTION, ...object];
  return hasCalls
    ? tableLines(rows, [...columns, who], { name: placeText, nameTitle: 'waited in', width })
    : tableLines(rows, columns, { name: who.text, nameTitle: who.title, width });
}

function mainHolder({ holders: [first] }: LockRow): string {
  return first ? threadsText(first.threads) : '[unknown]';
}

function mainWaker({ wakers: [first] }: LockRow): string {
  if (first === undefined || first.kind !== 'thread') return `[${first?.kind ?? 'not-seen'}]`;
  return `${first.isCandidate ? 'maybe ' : ''}${threadsText(first.threads)}`;
}

function placeText({ places: [first] }: LockRow): string {
  return functionText(first?.function ?? null);
}

/** Formats who held a lock and what they did meanwhile, where threads waited for it, and who woke them. */
function lockDetails(lock: LockRow, hasProcesses: boolean, width: number, top: number): string[] {
  const { kind, address, pid, waits, waitedNs, holders, isLock } = lock;
  const head = `${kind} ${address}${hasProcesses && pid >= 0 ? ` of process ${pid}` : ''}: ${formatDuration(waitedNs)} in ${formatMany(waits, 'wait')}`;
  const tables = [
    ...(holders.length > 0 ? holderLines(lock, width, top) : isLock ? ['its holders are not known'] : []),
    ...placeLines(lock, width, top),
    ...(holders.length > 0 ? [] : wakerLines(lock, width, top)),
  ];
  return [head, ...tables];
}

interface HolderLine {
  readonly ns: number;
  /** null: a call path of the holder above. */
  readonly holder: LockHolder | null;
  readonly text: string;
}

function holderLines({ holders, waitedNs }: LockRow, width: number, top: number): string[] {
  const columns: TableColumn<HolderLine>[] = [
    { title: 'held', text: ({ ns }) => formatDuration(ns) },
    { title: '%', text: ({ ns }) => shareCell(ns, waitedNs) },
    { title: 'waits', text: ({ holder }) => (holder ? formatCount(holder.waits) : ''), rank: 1 },
    { title: 'ran', text: ({ holder }) => (holder ? shareCell(holder.ranNs, holder.heldNs) : ''), rank: 2 },
    { title: 'blocked', text: ({ holder }) => (holder ? shareCell(holder.blockedNs, holder.heldNs) : ''), rank: 2 },
    { title: 'preempted', text: ({ holder }) => (holder ? shareCell(holder.preemptedNs, holder.heldNs) : ''), rank: 3 },
    { title: 'by probe', text: ({ holder }) => (holder ? shareCell(holder.probeNs, holder.heldNs) : ''), rank: 4 },
  ];
  const linesOf = (shown: readonly LockHolder[]) =>
    tableLines(shown.flatMap(linesOfHolder), columns, {
      name: ({ text }) => text,
      nameTitle: 'held by, and what it did meanwhile',
      indent: ({ holder }) => (holder ? '' : '  '),
      width,
    });
  return topLines(holders, top, linesOf);
}

function linesOfHolder(holder: LockHolder): HolderLine[] {
  const released = holder.function === null ? '' : `, given back in ${holder.function.name}`;
  const first = { ns: holder.heldNs, holder, text: `${threadsText(holder.threads)}${released}` };
  return [first, ...holder.spots.map(({ ns, path }) => ({ ns, holder: null, text: pathText(path) }))];
}

type Place = LockRow['places'][number];

function placeLines({ places, waitedNs }: LockRow, width: number, top: number): string[] {
  if (places.every((place) => place.function === null)) return [];
  const columns: TableColumn<Place>[] = [
    { title: 'waited', text: (place) => formatDuration(place.waitedNs) },
    { title: '%', text: (place) => shareCell(place.waitedNs, waitedNs) },
    { title: 'waits', text: ({ waits }) => formatCount(waits) },
  ];
  const name = (place: Place) => `${functionText(place.function)}${place.call ? ` (${functionText(place.call)})` : ''}`;
  return topLines(places, top, (shown) => tableLines(shown, columns, { name, nameTitle: 'waited in', width }));
}

type Waker = LockRow['wakers'][number];

function wakerLines({ wakers, waitedNs }: LockRow, width: number, top: number): string[] {
  const columns: TableColumn<Waker>[] = [
    { title: 'waited', text: (waker) => formatDuration(waker.waitedNs) },
    { title: '%', text: (waker) => shareCell(waker.waitedNs, waitedNs) },
    { title: 'waits', text: ({ waits }) => formatCount(waits) },
  ];
  return topLines(wakers, top, (shown) =>
    tableLines(shown, columns, { name: wakerText, nameTitle: 'woken by', width }),
  );
}

function wakerText({ kind, threads, isCandidate, function: place }: Waker): string {
  if (kind !== 'thread') return `[${kind}]`;
  return `${isCandidate ? 'maybe ' : ''}${threadsText(threads)}${place ? ` in ${place.name}` : ''}`;
}

type Named = LockHolder['function'];

/**
 * Names threads, functions and call paths in text about locks.
 *
 * "teller", "clerk (3 threads)", "[kworker/3:6]": threads that were not traced are in brackets.
 */
export function threadsText(threads: readonly WaitThread[]): string {
  const [first] = threads;
  if (first === undefined) return '[unknown]';
  const name = visibleText(first.comm ?? String(first.tid));
  const count = threads.length > 1 ? ` (${threads.length} threads)` : '';
  return first.isTraced ? `${name}${count}` : `[${name}${count}]`;
}

function functionText(named: Named): string {
  return named === null ? '[unknown]' : bareName(named.name);
}

/** A name without the version of its symbol: "pthread_mutex_lock@@GLIBC_2.2.5". */
function bareName(name: string): string {
  return name.replace(/@@?GLIBC\w*[\d.]*$/, '');
}

const MAX_FRAMES = 4;

/** The innermost frames of a call path: "… update_account → rest → clock_nanosleep [off-cpu]". */
function pathText(path: LockHolder['spots'][number]['path']): string {
  const names = path.map(({ name }) => bareName(name));
  const stops = names.filter((name) => name.startsWith('['));
  const functions = names.filter((name) => !name.startsWith('['));
  const inner = functions.slice(-MAX_FRAMES);
  const dots = functions.length > inner.length ? '… ' : '';
  return [`${dots}${inner.join(' → ')}`, ...stops.slice(-1)].filter((part) => part !== '').join(' ');
}

/** Says in a sentence for whom a thread waited, and what that one did: "customer waited 18.1 ms for teller, …". */
function slowWaitLine(wait: LockWait): string {
  const { thread, start, waitedNs, kind, address, holders, wakeUpNs, waker, isWakerCandidate, function: place } = wait;
  const where = place === null ? '' : ` in ${place.name}`;
  const forWhom =
    holders.length > 0 ? ` for ${holders.map(holderText).join('; then for ')}` : '; its holder is not known';
  const isWokenByLast = waker !== null && holders.at(-1)?.threads[0]?.tid === waker.tid;
  const woken =
    waker === null || isWokenByLast ? '' : `; ${isWakerCandidate ? 'maybe ' : ''}${threadName(waker)} woke it`;
  const late = wakeUpNs > 0 ? `; ran ${formatDuration(wakeUpNs)} after it was woken` : '';
  return `at ${start} ${threadName(thread)} waited ${formatDuration(waitedNs)}${where} (${kind} ${address})${forWhom}${woken}${late}`;
}

function holderText(holder: LockHolder): string {
  const { threads, heldNs } = holder;
  const who = threads.length === 1 && threads[0] ? threadName(threads[0]) : threadsText(threads);
  const did = holderDid(holder);
  return `${who}, which held it ${formatDuration(heldNs)}${did === '' ? '' : ` and ${did}`}`;
}
