/**
 * The threads of a page: what each did, which ones only waited, and which ones are looked at.
 */
import { isLost, isOffCpu, isStop, onCpuNs, type TimeSums } from '../../../analysis/tree/outside.js';
import type { Nanoseconds } from '../../../model/units.js';
import { formatMany } from '../../format.js';
import { isolated } from '../../frames/isolated.js';
import { truncate } from '../../frames/labels.js';
import { visibleText } from '../../visible-text.js';
import type { PageData, PageThread } from '../data/page-data.js';
import { Counted } from './selected-nodes.js';

export interface ThreadRow {
  /** Places in the data's list. */
  readonly threads: readonly number[];
  /** As in `State.threads`. */
  readonly key: string;
  readonly name: string;
  /** "114078", "3 threads". */
  readonly which: string;
  readonly totalNs: Nanoseconds;
  readonly onCpuNs: Nanoseconds;
  readonly outsideNs: Nanoseconds;
  readonly offCpuNs: Nanoseconds;
  readonly lostNs: Nanoseconds;
  readonly calls: number;
  /** They only waited. */
  readonly isIdle: boolean;
}

/** Each thread by itself. `seen`: by node of the shape, what of it counts. */
export function threadRows(data: PageData, hasSwitches: boolean, seen = allOf(data)): ThreadRow[] {
  return data.threads.map((thread, place) => {
    const sums = timeOf(data, thread, seen);
    return {
      threads: [place],
      key: `tid:${thread.tid}`,
      name: nameOf(thread),
      which: String(thread.tid),
      totalNs: sums.totalNs,
      onCpuNs: onCpuNs(sums, hasSwitches),
      outsideNs: sums.outsideNs,
      offCpuNs: sums.offCpuNs,
      lostNs: sums.lostNs,
      calls: callsOf(data, thread, seen),
      isIdle: isIdle(data, thread),
    };
  });
}

/** What the reader may choose: all, those of one name, the idle ones, and each by itself. */
export function threadChoices(rows: readonly ThreadRow[], hidesIdle: boolean): ThreadRow[] {
  const busy = rows.filter((row) => !row.isIdle);
  const idle = rows.filter((row) => row.isIdle);
  const isIdleGrouped = idle.length > 1 && busy.length > 0;
  const shown = hidesIdle && busy.length > 0 ? busy : rows;
  const apart = isIdleGrouped ? busy : shown;
  const groups = [...byName(apart)].filter(([, members]) => members.length > 1 && members.length < shown.length);
  return [
    groupRow('all', 'All threads', shown),
    ...(isIdleGrouped && !hidesIdle ? [groupRow(IDLE, 'Idle: only a wait', idle)] : []),
    ...groups.map(([name, members]) => groupRow(`name:${name}`, name, members)),
    ...apart,
  ];
}

const IDLE = 'idle';

function byName(rows: readonly ThreadRow[]): Map<string, ThreadRow[]> {
  const names = new Map<string, ThreadRow[]>();
  for (const row of rows) {
    const members = names.get(row.name);
    if (members) members.push(row);
    else names.set(row.name, [row]);
  }
  return names;
}

/** Several as one. */
function groupRow(key: string, name: string, rows: readonly ThreadRow[]): ThreadRow {
  const sum = (of: (row: ThreadRow) => number) => rows.reduce((total, row) => total + of(row), 0);
  return {
    threads: rows.flatMap(({ threads }) => threads),
    key,
    name,
    which: formatMany(rows.length, 'thread'),
    totalNs: sum(({ totalNs }) => totalNs),
    onCpuNs: sum((row) => row.onCpuNs),
    outsideNs: sum(({ outsideNs }) => outsideNs),
    offCpuNs: sum(({ offCpuNs }) => offCpuNs),
    lostNs: sum(({ lostNs }) => lostNs),
    calls: sum(({ calls }) => calls),
    isIdle: rows.every((row) => row.isIdle),
  };
}

/** What is looked at; a choice that fits none is as if there were none. */
export function chosenRow(rows: readonly ThreadRow[], choice: string, hidesIdle: boolean): ThreadRow {
  const choices = threadChoices(rows, hidesIdle);
  const chosen = choices.find(({ key }) => key === choice) ?? rows.find(({ key }) => key === choice);
  if (chosen !== undefined) return chosen;
  const several = rowsOfTids(rows, choice);
  if (several.length > 0) return groupRow(choice, truncate(several.map(titleOf).join(', '), MAX_NAME_WIDTH), several);
  const named = rows.filter(({ name }) => `name:${name}` === choice); // it may have no row, for all or one are called so
  return named.length > 0 ? groupRow(choice, choice.slice('name:'.length), named) : (choices[0] as ThreadRow);
}

/** What is chosen when these are, each by itself; nothing and everything is all. */
export function choiceOf(rows: readonly ThreadRow[], places: ReadonlySet<number>): string {
  const [first, ...others] = rows.filter(({ threads }) => threads.every((place) => places.has(place)));
  if (first === undefined || others.length === rows.length - 1) return 'all';
  return others.length === 0 ? first.key : `${TIDS_PREFIX}${[first, ...others].map(({ which }) => which).join()}`;
}

const TIDS_PREFIX = 'tids:';
const MAX_NAME_WIDTH = 36;

function rowsOfTids(rows: readonly ThreadRow[], choice: string): readonly ThreadRow[] {
  if (!choice.startsWith(TIDS_PREFIX)) return [];
  const wanted = new Set(choice.slice(TIDS_PREFIX.length).split(','));
  return rows.filter(({ which }) => wanted.has(which));
}

/** "worker 114078", "thread 114078". */
function titleOf({ name, which }: ThreadRow): string {
  return name.endsWith(which) ? isolated(name) : `${isolated(name)} ${which}`;
}

function nameOf({ comm, tid }: PageThread): string {
  return comm === null ? `thread ${tid}` : visibleText(comm);
}

/** It never ran traced code, as far as was seen: whatever it has on its stack was there before, and after. */
function isIdle({ shape }: PageData, { node, selfNs, calls, inferredCalls }: PageThread): boolean {
  for (let row = 1; row < node.length; row++)
    if ((selfNs[row] > 0 || calls[row] > inferredCalls[row]) && !isStop(shape.symbol[node[row]])) return false;
  return true;
}

function allOf({ shape }: PageData): Uint8Array {
  return new Uint8Array(shape.length).fill(Counted.All);
}

/** Of functions: stops are no calls. */
function callsOf({ shape }: PageData, { node, calls }: PageThread, seen: Uint8Array): number {
  let sum = 0;
  for (let row = 0; row < node.length; row++)
    if (seen[node[row]] === Counted.All && !isStop(shape.symbol[node[row]])) sum += calls[row];
  return sum;
}

function timeOf({ shape }: PageData, { node, selfNs }: PageThread, seen: Uint8Array): TimeSums {
  const sums = { totalNs: 0, outsideNs: 0, offCpuNs: 0, lostNs: 0 };
  for (let row = 0; row < node.length; row++) {
    if (seen[node[row]] === Counted.Nothing) continue;
    const symbol = shape.symbol[node[row]];
    sums.totalNs += selfNs[row];
    if (!isStop(symbol)) continue;
    sums.outsideNs += selfNs[row];
    if (isOffCpu(symbol)) sums.offCpuNs += selfNs[row];
    if (isLost(symbol)) sums.lostNs += selfNs[row];
  }
  return sums;
}
