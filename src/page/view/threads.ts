/**
 * Lists the threads of a page: their times, which of them are idle, and which are selected.
 */

import type { CallPaths } from '../../analysis/findings/pure-waits.js';
import { type FunctionSet, isDirectRecursion, isInSet } from '../../analysis/questions.js';
import { isLost, isOffCpu, isStop, onCpuNs, sidesOf, type TimeSums } from '../../analysis/tree/outside.js';
import { isRun } from '../../analysis/tree/reshape.js';
import { ROOT } from '../../model/calls/call-tree.js';
import type { Shape } from '../../model/calls/overlay.js';
import { groupBy } from '../../model/groups.js';
import { idleCpu, type Nanoseconds, type NodeId, type SymbolId } from '../../model/units.js';
import { formatMany, threadNoun } from '../../render/format.js';
import { truncate } from '../../render/frames/labels.js';
import { isolated, visibleText } from '../../render/visible-text.js';
import type { PageData, PageThread } from '../data/page-data.js';
import type { PathFilters, Reshaping } from './leaving-out.js';
import type { State } from './state.js';

export interface ThreadRow {
  /** Indexes into the threads of the data. */
  readonly threads: readonly number[];
  /** As in `State.threads`. */
  readonly key: string;
  readonly name: string;
  /** "114078", "3 threads"; empty for what has no thread id: a group of a merged profile, a compared recording, an idle CPU. */
  readonly which: string;
  /** What it is: "thread", or of a merged profile, "command name". */
  readonly noun: string;
  readonly totalNs: Nanoseconds;
  readonly onCpuNs: Nanoseconds;
  readonly outsideNs: Nanoseconds;
  readonly offCpuNs: Nanoseconds;
  readonly lostNs: Nanoseconds;
  /** In code of the program, in the kernel for it, and in interrupts; absent: no kernel was traced. */
  readonly userNs?: Nanoseconds;
  readonly kernelNs?: Nanoseconds;
  readonly interruptNs?: Nanoseconds;
  readonly calls: number;
  /** The threads only waited. */
  readonly isIdle: boolean;
}

/** Returns one row per thread. `counted`: what counts of each node of the shape. */
export function threadRows(data: PageData, hasSwitches: boolean, counted = allOf(data)): ThreadRow[] {
  const noun = threadNoun(data.meta);
  const sides = sidesOf(data.shape, data.symbols);
  return data.threads.map((thread, index) => {
    const sums = timeOf(data, thread, counted);
    return {
      threads: [index],
      key: `${TID_PREFIX}${thread.tid}`,
      name: nameOf(thread),
      which: hasNoId(data, thread) ? '' : String(thread.tid),
      noun,
      totalNs: sums.totalNs,
      onCpuNs: onCpuNs(sums, hasSwitches),
      outsideNs: sums.outsideNs,
      offCpuNs: sums.offCpuNs,
      lostNs: sums.lostNs,
      ...(sides && sidesOfThread(thread, sides, counted)),
      calls: callsOf(data, thread, counted),
      isIdle: isIdle(data, thread),
    };
  });
}

function hasNoId({ meta, compared }: PageData, { tid, comm }: PageThread): boolean {
  return Boolean(meta.merged) || compared !== undefined || idleCpu(tid, comm) !== null;
}

/** Returns the choices: all threads, idle threads, threads of one name, and single threads. */
export function threadChoices(rows: readonly ThreadRow[], hidesIdle: boolean): ThreadRow[] {
  const busy = rows.filter((row) => !row.isIdle);
  const idle = rows.filter((row) => row.isIdle);
  const isIdleGrouped = idle.length > 1 && busy.length > 0;
  const shown = hidesIdle && busy.length > 0 ? busy : rows;
  const apart = isIdleGrouped ? busy : shown;
  const groups = [...groupBy(apart, ({ name }) => name)].filter(
    ([, members]) => members.length > 1 && members.length < shown.length,
  );
  return [
    groupRow('all', `All ${nounOf(shown)}s`, shown),
    ...(isIdleGrouped && !hidesIdle ? [groupRow(IDLE, `Idle ${nounOf(idle)}s`, idle)] : []),
    ...groups.map(([name, members]) => groupRow(`name:${name}`, name, members)),
    ...apart,
  ];
}

const IDLE = 'idle';

function nounOf(rows: readonly ThreadRow[]): string {
  return rows[0]?.noun ?? 'thread';
}

/** Merges rows into one. */
function groupRow(key: string, name: string, rows: readonly ThreadRow[]): ThreadRow {
  const sum = (of: (row: ThreadRow) => number) => rows.reduce((total, row) => total + of(row), 0);
  return {
    threads: rows.flatMap(({ threads }) => threads),
    key,
    name,
    which: formatMany(rows.length, nounOf(rows)),
    noun: nounOf(rows),
    totalNs: sum(({ totalNs }) => totalNs),
    onCpuNs: sum((row) => row.onCpuNs),
    outsideNs: sum(({ outsideNs }) => outsideNs),
    offCpuNs: sum(({ offCpuNs }) => offCpuNs),
    lostNs: sum(({ lostNs }) => lostNs),
    ...(rows.some(({ userNs }) => userNs !== undefined) && {
      userNs: sum(({ userNs = 0 }) => userNs),
      kernelNs: sum(({ kernelNs = 0 }) => kernelNs),
      interruptNs: sum(({ interruptNs = 0 }) => interruptNs),
    }),
    calls: sum(({ calls }) => calls),
    isIdle: rows.every((row) => row.isIdle),
  };
}

/** Returns the selected row; an unknown choice selects all threads. */
export function chosenRow(rows: readonly ThreadRow[], choice: string, hidesIdle: boolean): ThreadRow {
  const choices = threadChoices(rows, hidesIdle);
  const chosen = choices.find(({ key }) => key === choice) ?? rows.find(({ key }) => key === choice);
  if (chosen !== undefined) return chosen;
  const several = rowsOfTids(rows, choice);
  if (several.length > 0) return groupRow(choice, truncate(several.map(titleOf).join(', '), MAX_NAME_WIDTH), several);
  const named = rows.filter(({ name }) => `name:${name}` === choice); // a name of one or all threads has no row
  return named.length > 0 ? groupRow(choice, choice.slice('name:'.length), named) : (choices[0] as ThreadRow);
}

/** Returns the choice for a set of threads; "all" for none and for all. */
export function choiceOf(rows: readonly ThreadRow[], selected: ReadonlySet<number>): string {
  const [first, ...others] = rows.filter(({ threads }) => threads.every((index) => selected.has(index)));
  if (first === undefined || others.length === rows.length - 1) return 'all';
  return others.length === 0
    ? first.key
    : `${TIDS_PREFIX}${[first, ...others].map(({ key }) => key.slice(TID_PREFIX.length)).join()}`;
}

const TID_PREFIX = 'tid:';
const TIDS_PREFIX = 'tids:';
const MAX_NAME_WIDTH = 36;

function rowsOfTids(rows: readonly ThreadRow[], choice: string): readonly ThreadRow[] {
  if (!choice.startsWith(TIDS_PREFIX)) return [];
  const wanted = new Set(choice.slice(TIDS_PREFIX.length).split(','));
  return rows.filter(({ key }) => wanted.has(key.slice(TID_PREFIX.length)));
}

/** Returns "worker 114078" or "thread 114078". */
export function titleOf({ name, which }: ThreadRow): string {
  return name.endsWith(which) ? isolated(name) : `${isolated(name)} ${which}`;
}

function nameOf({ comm, tid }: PageThread): string {
  return comm === null ? `thread ${tid}` : visibleText(comm);
}

/** Whether a thread never ran traced code: all frames on its stack were there before and after. */
function isIdle({ shape }: PageData, { node, selfNs, calls, inferredCalls }: PageThread): boolean {
  for (let row = 1; row < node.length; row++)
    if ((selfNs[row] > 0 || calls[row] > inferredCalls[row]) && !isStop(shape.symbol[node[row]])) return false;
  return true;
}

function allOf({ shape }: PageData): Uint8Array {
  return new Uint8Array(shape.length).fill(Counted.All);
}

/** Counts calls of functions; stops are not calls. */
function callsOf({ shape }: PageData, { node, calls }: PageThread, counted: Uint8Array): number {
  let sum = 0;
  for (let row = 0; row < node.length; row++)
    if (counted[node[row]] === Counted.All && !isStop(shape.symbol[node[row]])) sum += calls[row];
  return sum;
}

type Sides = NonNullable<ReturnType<typeof sidesOf>>;

function sidesOfThread({ node, selfNs }: PageThread, sides: Sides, counted: Uint8Array) {
  const sumOf = (isMeant: Uint8Array) =>
    node.reduce((sum, own, row) => (isMeant[own] && counted[own] !== Counted.Nothing ? sum + selfNs[row] : sum), 0);
  return { userNs: sumOf(sides.userNs), kernelNs: sumOf(sides.kernelNs), interruptNs: sumOf(sides.interruptNs) };
}

function timeOf({ shape }: PageData, { node, selfNs }: PageThread, counted: Uint8Array): TimeSums {
  const sums = { totalNs: 0, outsideNs: 0, offCpuNs: 0, lostNs: 0 };
  for (let row = 0; row < node.length; row++) {
    if (counted[node[row]] === Counted.Nothing) continue;
    const symbol = shape.symbol[node[row]];
    sums.totalNs += selfNs[row];
    if (!isStop(symbol)) continue;
    sums.outsideNs += selfNs[row];
    if (isOffCpu(symbol)) sums.offCpuNs += selfNs[row];
    if (isLost(symbol)) sums.lostNs += selfNs[row];
  }
  return sums;
}

/**
 * Determines which nodes of the shape are in view, independent of the selected threads, so that every thread can show its time in
 * the view.
 */
interface NodeSelection extends PathFilters, Pick<State, 'zoom'> {
  /** The siblings that fill the width; the zoom leads to the first of them. */
  readonly zoomedSiblings: ReadonlySet<SymbolId>;
  /** The zoom path leads from functions to their callers. */
  readonly isFromLeaves: boolean;
  /** By symbol: only these functions and their callees are in view; null: all. */
  readonly isMatch: readonly boolean[] | null;
}

/** What counts of a node: of folded recursion, only the time. */
export const Counted = { Nothing: 0, Time: 1, All: 2 } as const;

/** Outside the zoom. */
const OUTSIDE = -1;

/** Returns what counts (`Counted`) of each node of the shape. */
export function selectedNodes(shape: Shape, selection: NodeSelection): Uint8Array {
  const { parent, symbol, length } = shape;
  const { inside, hidden, zoom, isFromLeaves, isMatch, hiddenWaits } = selection;
  const isFolded = foldingOf(shape, selection);
  const depth = new Uint8Array(length); // how many of the sets it is inside of
  const isHidden = new Uint8Array(length);
  const isShown = new Uint8Array(length); // below the focus, and not hidden
  const isFound = new Uint8Array(length);
  const zoomed = new Int32Array(length); // number of leading frames of its path that match the zoom, or OUTSIDE
  const counted = new Uint8Array(length);
  const onWaits = new Map<NodeId, CallPaths>(); // nodes above pure waits
  isShown[ROOT] = inside.length === 0 ? 1 : 0;
  isFound[ROOT] = isMatch === null ? 1 : 0;
  if (isShown[ROOT] && isFound[ROOT] && zoom.length === 0) counted[ROOT] = Counted.All;
  for (let node: NodeId = ROOT + 1; node < length; node++) {
    const caller = parent[node];
    const own = symbol[node];
    depth[node] = depth[caller];
    while (depth[node] < inside.length && isInSet(inside[depth[node]] as FunctionSet, own)) depth[node]++;
    const isInside = depth[node] === inside.length;
    const isOutermost = caller === ROOT || isShown[caller] === 0;
    const waits = hiddenWaits && (isOutermost ? hiddenWaits : onWaits.get(caller))?.below.get(own);
    if (waits) onWaits.set(node, waits);
    const isOut = (hiddenWaits !== null && waits === null) || (hidden !== null && isInSet(hidden, own));
    if (isHidden[caller] || (isInside && isOut)) isHidden[node] = 1;
    else if (isInside) {
      isShown[node] = 1;
      const drawn = drawnAs(selection, own);
      isFound[node] = isMatch === null || isFound[caller] || isMatch[drawn] ? 1 : 0;
      const continues = isShown[caller] === 1 && isFolded(node);
      zoomed[node] = continues ? zoomed[caller] : advance(selection, isShown[caller] ? zoomed[caller] : 0, drawn);
      const isIn = isFromLeaves ? isBelowLeaf(shape, isShown, selection, node) : zoomed[node] >= zoom.length;
      if (isIn && isFound[node]) counted[node] = continues ? Counted.Time : Counted.All;
    }
  }
  return counted;
}

/** Returns whether a node is drawn in the frame of its caller. */
function foldingOf(shape: Shape, { drawnAs, foldsRecursion }: Reshaping): (node: NodeId) => boolean {
  return (node) =>
    (drawnAs !== null && isRun(shape, node, drawnAs)) || (foldsRecursion && isDirectRecursion(shape, node));
}

function drawnAs({ drawnAs }: Reshaping, symbol: SymbolId): SymbolId {
  return drawnAs === null ? symbol : drawnAs[symbol];
}

/** Returns the number of matching frames after one more frame of a path. */
function advance({ zoom, zoomedSiblings }: NodeSelection, frames: number, symbol: SymbolId): number {
  if (frames === OUTSIDE || frames >= zoom.length) return frames;
  const isOnTheWay = frames === zoom.length - 1 ? zoomedSiblings.has(symbol) : zoom[frames] === symbol;
  return isOnTheWay ? frames + 1 : OUTSIDE;
}

/** Whether the path from a leaf to its callers starts with the zoom. */
function isBelowLeaf(shape: Shape, isShown: Uint8Array, selection: NodeSelection, leaf: NodeId): boolean {
  const { parent, symbol } = shape;
  let frames = 0;
  const isFolded = foldingOf(shape, selection);
  for (let node = leaf; node !== ROOT && isShown[node] && frames !== OUTSIDE && frames < selection.zoom.length; ) {
    const continues = isShown[parent[node]] === 1 && isFolded(node);
    if (!continues) frames = advance(selection, frames, drawnAs(selection, symbol[node]));
    node = parent[node];
  }
  return frames === selection.zoom.length;
}
