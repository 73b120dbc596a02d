/**
 * Formats what a long wait or call consisted of: its critical path.
 */
import type { PathPiece, SlowWait } from '../../src/questions/waits/schema.js';
import { formatCount, formatDuration, formatMany } from '../../src/render/format.js';
import { type TableColumn, tableLines } from '../terminal/table.js';
import { shareCell, UNKNOWN } from './numbers.js';
import { placeText, threadName } from './wait-names.js';

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
