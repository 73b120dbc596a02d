/**
 * Formats locks as terminal text: a summary, the slowest waits, a table of locks, and the holders of the first ones.
 */
import type { LockRow, Locks } from '../../../src/questions/locks/schema.js';
import { formatCount, formatDuration, formatLongest, formatMany } from '../../../src/render/format.js';
import { visibleText } from '../../../src/render/visible-text.js';
import { type TableColumn, tableLines } from '../../terminal/table.js';
import { missingLines } from '../missing-lines.js';
import { durationCell, shareCell } from '../numbers.js';
import { topLines } from '../top-lines.js';
import { lockDetails } from './lock-details.js';
import { functionText, threadsText } from './lock-names.js';
import { slowWaitLine } from './slow-wait.js';

interface LocksText {
  /** Of the terminal. */
  readonly width: number;
  /** Maximum number of rows of a table; 0: all. */
  readonly top: number;
  /** Of the only lock that was asked for; null: all. */
  readonly address: string | null;
}

/** Of so many locks, the holders are shown. */
const MAX_DETAILED = 3;

export function locksLines(answer: Locks, { width, top, address }: LocksText): string[] {
  const locks = answer.locks.filter(({ isLock }) => isLock);
  const others = answer.locks.filter(({ isLock }) => !isLock);
  const { hasCalls } = answer.trace;
  const table = (rows: readonly LockRow[], who: TableColumn<LockRow>) =>
    topLines(rows, top, (shown) => lockTable(shown, who, hasCalls, width));
  const detailed = address !== null ? answer.locks : locks.slice(0, MAX_DETAILED);
  return [
    ...headLines(answer, address),
    ...(answer.slowest.length > 0 ? ['', 'longest waits for locks:', ...answer.slowest.map(slowWaitLine)] : []),
    ...(locks.length > 0 ? ['', ...table(locks, HOLDER)] : []),
    ...(others.length > 0 ? ['', 'other objects that threads waited for:', ...table(others, WAKER)] : []),
    ...detailed.flatMap((lock) => ['', ...lockDetails(lock, width, top)]),
  ];
}

function headLines({ trace, total, missing, locks: rows }: Locks, address: string | null): string[] {
  const { locks, waits, waitedNs, probeNs, futexNs, passedOnNs, wakeUpNs, unknownNs, openWaits, openNs } = total;
  const where = trace.threads === 0 ? '' : ` in ${formatDuration(trace.durationNs)} from ${trace.start}`;
  const cut = total.cutWaits === 0 ? '' : `; it cuts ${formatMany(total.cutWaits, 'wait')}: not in averages`;
  const part = trace.part === null ? [] : [`only ${visibleText(trace.part)}${cut}`];
  const lacks = [...part, ...missingLines(missing)];
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

const HOLDER: TableColumn<LockRow> = { title: 'held most by', text: mainHolder, isLeft: true, rank: 2 };
const WAKER: TableColumn<LockRow> = { title: 'woken most by', text: mainWaker, isLeft: true, rank: 2 };

function lockTable(rows: readonly LockRow[], who: TableColumn<LockRow>, hasCalls: boolean, width: number): string[] {
  const columns = [WAITED, ...DISTRIBUTION, ...OBJECT];
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
