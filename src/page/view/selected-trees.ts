/**
 * Computes the trees that the page shows for a state: of the selected threads, in the time range, after focus, hiding and
 * folding. Each step is cached until its inputs change.
 */

import {
  NO_PURE_WAITS,
  type PureWaits,
  pathsOf,
  pureWaitsOf,
  withoutPureWaits,
} from '../../analysis/findings/pure-waits.js';
import { noNumbers, numbersWithin, type RangeSums, rangeSums } from '../../analysis/timeline/range-sums.js';
import { recordsSwitches } from '../../analysis/tree/outside.js';
import { type CallTree, ROOT, selectNodes, usedNodes } from '../../model/calls/call-tree.js';
import { mergeDurations } from '../../model/calls/durations.js';
import type { Shape } from '../../model/calls/overlay.js';
import { sumsOf } from '../../model/calls/overlay.js';
import { rowNumbers, valuesOf } from '../../model/columns.js';
import type { RemedyPlace } from '../../model/profile/profile.js';
import type { ThreadSums, Timeline } from '../../model/profile/timeline.js';
import { dsoOf, lineOf, type SourceLine } from '../../model/symbol-table.js';
import { type Bounds, NONE, type SymbolId, type Tid } from '../../model/units.js';
import type { PageData, PageThread } from '../data/page-data.js';
import type { PageRequests } from '../data/requests.js';
import type { PageSource } from '../data/source.js';
import type { AllCalls } from './calls/find-listed-calls.js';
import { FrameTables } from './frame-tables.js';
import {
  type LeftOut,
  LibraryFrames,
  leave,
  leavesNothingOut,
  leftOut,
  merge,
  type PathFilters,
} from './leaving-out.js';
import { LinkNames } from './link-names.js';
import { memoizeLast, once } from './memoize-last.js';
import { snappedRange } from './range.js';
import { symbolsByName } from './shown-names.js';
import type { State } from './state.js';
import { chosenRow, type ThreadRow, threadRows } from './threads.js';
import { type View, viewOfPart, viewOfTree } from './view.js';
import { WakingIndex } from './waking-index.js';

export class SelectedTrees {
  readonly names: readonly string[];
  readonly libraries: LibraryFrames;
  readonly linkNames: LinkNames;
  readonly threads: readonly ThreadRow[];
  /** The trace has times; otherwise only calls. */
  readonly hasTimes: boolean;
  readonly hasSwitches: boolean;
  /** The timeline; null: none, or it has not been read yet, which happens after the first picture. */
  timeline: Timeline | null = null;
  /** What the time axis shows: the timeline, or what two recordings did, without calls and ranges. */
  strips: Timeline | null = null;
  /** null: the page was made without them. */
  requests: PageRequests | null = null;
  source: PageSource | null = null;
  /** The offline page shows it, whose address does not lead to what was dropped; null: the page is a file, or served. */
  dropped: RemedyPlace | null = null;
  /** Blocked time, of the same threads and symbols as `data`; null: not in the file, or it has not been read yet. */
  blocked: PageData | null = null;
  /** For names as text: of requests, locks and source code. */
  readonly symbolsByName = once(() => symbolsByName(this.data.symbols));
  protected readonly tables: FrameTables;
  private readonly ranges = once(() => new RangeData(this.data, this.timeline as Timeline));
  private readonly ranged = memoizeLast((range: Bounds) => this.ranges().within(range));
  private readonly ofThreads = memoizeLast((data: PageData, indexes: readonly number[]) =>
    this.viewOfThreads(data, indexes),
  );
  private readonly ofThreadsInRange = memoizeLast(
    (full: View, parts: () => readonly PageData[], indexes: readonly number[]) =>
      viewOfPart(treeOf(parts(), indexes), full, this.hasSwitches),
  );
  private readonly left = memoizeLast((tree: CallTree, state: State) => leave(tree, this.libraries.reshapingOf(state)));
  private readonly leftOut = memoizeLast(leftOut);
  private readonly pureWaits = memoizeLast((tree: CallTree) => pureWaitsOf(tree, this.hasSwitches));
  private readonly reshaped = memoizeLast((view: View, state: State) => this.reshape(view, state));

  private readonly indexed = memoizeLast(
    (timeline: Timeline) => timeline.wakings && new WakingIndex(timeline.wakings, timeline),
  );

  constructor(
    readonly data: PageData,
    /** Has all calls of functions; null: the page is a file. */
    readonly server: AllCalls | null = null,
  ) {
    this.hasSwitches = recordsSwitches(data.shape, data.meta.hasSwitches);
    this.libraries = new LibraryFrames(data.symbols);
    this.tables = new FrameTables(this.libraries.symbols, this.hasSwitches);
    this.names = this.tables.names;
    this.hasTimes = data.meta.weight === 'ns';
    this.threads = threadRows(data, this.hasSwitches);
    this.linkNames = new LinkNames(this.libraries.symbols, this.threads);
  }

  /** Returns the selected threads after focus, hiding and folding. */
  viewAt(state: State): View {
    const view = this.viewInRange(state);
    if (leavesNothingOut(state) && !this.hidesPureWaits(state)) return view;
    return this.reshaped(this.askedOf(state), view, state);
  }

  /** Returns the selected threads after focus and hiding of functions: pure waits are in it, even if they are hidden. */
  treeWithWaitsAt(state: State): CallTree {
    return this.left(this.askedWithWaits(state), this.viewInRange(state).tree, state);
  }

  /** Returns the pure waits of that tree, hidden or not. */
  pureWaitsAt(state: State): PureWaits {
    if (!this.hasTimes || this.isBlockedAt(state)) return NO_PURE_WAITS;
    return this.pureWaits(this.askedWithWaits(state), this.treeWithWaitsAt(state));
  }

  hidesPureWaits(state: State): boolean {
    return state.hidesPureWaits && this.pureWaitsAt(state).waits.length > 0;
  }

  /** Returns which call paths a state shows. */
  filtersAt(state: State): PathFilters {
    const hidden = this.hidesPureWaits(state);
    const hiddenWaits = hidden ? pathsOf(this.treeWithWaitsAt(state), this.pureWaitsAt(state)) : null;
    return { ...this.libraries.reshapingOf(state), hiddenWaits };
  }

  protected viewInRange(state: State): View {
    const indexes = chosenRow(this.threads, state.threads, state.hidesIdle).threads;
    const range = this.rangeAt(state);
    const view = this.ofThreads({ isBlocked: this.isBlockedAt(state), indexes }, this.wholeAt(state), indexes);
    if (range === null) return view;
    const isOutside = state.isOutsideRange === true;
    const parts = () => (isOutside ? this.ranges().outside(range) : [this.dataAt(state)]);
    return this.ofThreadsInRange({ range, isOutside, indexes }, view, parts, indexes);
  }

  /** Whether all time is blocked time: columns and colours about CPUs and calls would say nothing true of it. */
  isBlockedAt({ width }: Pick<State, 'width'>): boolean {
    return this.data.meta.isBlockedTime === true || (width === 'blocked' && this.blocked !== null);
  }

  /** Returns the data that all time is taken from. */
  private wholeAt(state: State): PageData {
    return (this.isBlockedAt(state) && this.blocked) || this.data;
  }

  /** Returns the time range that is shown, between borders of slices; null: all of it. Blocked time is not known by time. */
  rangeAt({ range, width }: Pick<State, 'range' | 'width'>): Bounds | null {
    if (this.isBlockedAt({ width })) return null;
    return range && this.timeline && snappedRange(this.timeline, range);
  }

  /** What of a state decides its trees. */
  askedOf(state: State) {
    const { hidesPureWaits, collapsed, foldsRecursion } = state;
    return { ...this.askedWithWaits(state), hidesPureWaits, collapsed, foldsRecursion };
  }

  private askedWithWaits(state: State) {
    const { threads, hidesIdle, focus, onlyLibrary, hidden, hiddenLibraries, isOutsideRange } = state;
    return {
      isBlocked: this.isBlockedAt(state),
      range: this.rangeAt(state),
      isOutsideRange,
      threads,
      hidesIdle,
      focus,
      onlyLibrary,
      hidden,
      hiddenLibraries,
    };
  }

  /** Who woke whom; null: not known. */
  get wakings(): WakingIndex | null {
    return this.timeline && this.indexed('', this.timeline);
  }

  /** Returns the data of what is shown: blocked time, the time range, or all of it. */
  dataAt(state: State): PageData {
    const range = this.rangeAt(state);
    return range === null ? this.wholeAt(state) : this.ranged(range, range);
  }

  /** Prepares one more thread for time ranges; returns false if all are prepared. */
  prepareRanges(): boolean {
    return this.timeline?.sumsSliceNs != null && this.ranges().prepare();
  }

  /** Returns the file of a function; empty if unknown. */
  fileOf(symbol: SymbolId): string {
    return dsoOf(this.libraries.symbols, symbol) ?? '';
  }

  /** Returns where a function begins in source code; null: unknown. */
  lineOf(symbol: SymbolId): SourceLine | null {
    return lineOf(this.data.symbols, symbol);
  }

  /** Returns the CSS class of a function: its colour in charts. */
  classOf(symbol: SymbolId): string {
    return this.tables.classOf(symbol);
  }

  private viewOfThreads(data: PageData, indexes: readonly number[]): View {
    const threads = indexes.map((index) => data.threads[index] as PageThread);
    const tree = treeOf([data], indexes);
    return viewOfTree(tree, this.libraries.symbols, () => mergeDurations(threads), this.hasSwitches);
  }

  private reshape(full: View, state: State): View {
    const left = this.treeWithWaitsAt(state);
    const shown = this.hidesPureWaits(state) ? withoutPureWaits(left, this.pureWaitsAt(state)) : left;
    const drawn = merge(shown, this.libraries.reshapingOf(state));
    return viewOfPart(this.tables.byName(drawn), full, this.hasSwitches);
  }

  /** Returns the time that focus and hiding of functions leave out. */
  leftOutAt(state: State): LeftOut {
    const reshaping = this.libraries.reshapingOf(state);
    return this.leftOut(this.askedWithWaits(state), this.viewInRange(state).tree, reshaping, state);
  }
}

/**
 * Merges selected threads of the page into one tree, each time the selection changes. Values are added up by node of the shape,
 * without lookups.
 *
 * Returns the tree of the nodes that have calls or time in their subtree, in the order of the shape.
 *
 * `parts`: times of the recording, with one shape. `chosen`: indexes of threads, each once.
 */
export function treeOf(parts: readonly PageData[], chosen: readonly number[]): CallTree {
  const sums = sumsOf(
    (parts[0] as PageData).shape,
    parts.flatMap(({ threads }) => chosen.map((at) => threads[at] as PageThread)),
  );
  const used = usedNodes(sums);
  return used.length === sums.length ? sums : selectNodes(sums, used);
}

/**
 * The data of a page in a range of its time, as `ptflame report --window` has it.
 *
 * Returns the data of ranges that begin and end at borders of slices.
 */
export class RangeData {
  private readonly sums: ReadonlyMap<Tid, ThreadSums | null>;
  /** Those that are prepared. */
  private readonly threads: RangeThread[] = [];
  /** Of all threads. */
  private readonly paths = once(() => usedPaths(this.data.shape, this.threads));

  constructor(
    private readonly data: PageData,
    private readonly timeline: Timeline,
  ) {
    this.sums = new Map(timeline.threads.map((thread) => [thread.tid, thread.sums]));
  }

  /** Prepares one more thread; returns false if all are prepared. The first range prepares those that are left. */
  prepare(): boolean {
    const { data, sums, threads } = this;
    const thread = data.threads[threads.length];
    if (thread !== undefined) threads.push(rangeThread(thread, data.shape, sums.get(thread.tid) ?? null));
    return threads.length < data.threads.length;
  }

  /**
   * Durations and waits are not known by time. The shape and threads have only paths with numbers at some time, and threads
   * that were not observed in the range have no calls and times.
   */
  within(range: Bounds): PageData {
    while (this.prepare());
    const { data, timeline, threads } = this;
    const bounds = { startNs: timeline.startNs + range.startNs, endNs: timeline.startNs + range.endNs };
    const { shape, nodes } = this.paths();
    const within = data.threads.map((thread, at) => ({
      ...cut(thread, bounds),
      node: nodes[at],
      ...numbersOf(threads[at], timeline, range),
    }));
    return { ...data, meta: { ...data.meta, ...bounds }, shape, threads: within, waits: null };
  }

  /** Returns the data before a range and after it: calls that it cuts count in each. */
  outside({ startNs, endNs }: Bounds): readonly PageData[] {
    const { durationNs } = this.timeline;
    return [
      { startNs: 0, endNs: startNs },
      { startNs: endNs, endNs: durationNs },
    ]
      .filter((part) => part.endNs > part.startNs)
      .map((part) => this.within(part));
  }
}

interface RangeThread {
  /** As in `PageThread`, of the shape of the whole recording. */
  readonly node: Int32Array;
  /** Of these nodes; null: not known. */
  readonly sums: RangeSums | null;
}

function rangeThread({ node }: PageThread, shape: Shape, sums: ThreadSums | null): RangeThread {
  if (sums === null) return { node: Int32Array.of(ROOT), sums };
  const numberOf = numbersOfUsed(node, shape, sums);
  const used = node.filter((_, row) => numberOf[row] !== UNUSED);
  return { node: used, sums: rangeSums(sums, numberOf, used.length) };
}

/** Returns the part of a shape that threads have, and their nodes there. */
function usedPaths({ length, parent, symbol }: Shape, threads: readonly RangeThread[]) {
  const newId = new Int32Array(length).fill(UNUSED);
  for (const { node } of threads) for (const own of node) newId[own] = 0;
  const used = rowNumbers(length).filter((node) => newId[node] !== UNUSED);
  for (let row = 0; row < used.length; row++) newId[used[row]] = row;
  const above = used.map((node) => (node === ROOT ? NONE : newId[parent[node]]));
  const shape = { length: used.length, parent: above, symbol: valuesOf(symbol, used) };
  return { shape, nodes: threads.map(({ node }) => valuesOf(newId, node)) };
}

const UNUSED = -1;

/** Numbers the rows that sums have, and their callers, from 0. Returns the number of each row, or UNUSED. */
function numbersOfUsed(node: Int32Array, { length, parent }: Shape, { rows, calls, times }: ThreadSums): Int32Array {
  const isUsed = new Uint8Array(length); // by node of the shape
  isUsed[ROOT] = 1;
  for (const { node: own } of [rows, calls, times]) for (const row of own) isUsed[node[row]] = 1;
  for (let row = node.length - 1; row > 0; row--) if (isUsed[node[row]]) isUsed[parent[node[row]]] = 1;
  let next = 0;
  return node.map((inShape) => (isUsed[inShape] ? next++ : UNUSED));
}

function cut({ tid, pid, comm, startNs, endNs, hiddenNs }: PageThread, bounds: Bounds) {
  const fromNs = Math.min(Math.max(startNs, bounds.startNs), bounds.endNs);
  return {
    ...{ tid, pid, comm, hiddenNs },
    startNs: fromNs,
    endNs: Math.max(fromNs, Math.min(endNs, bounds.endNs)),
    durations: null,
  };
}

function numbersOf({ node, sums }: RangeThread, { sumsSliceNs }: Timeline, range: Bounds) {
  return sums === null || sumsSliceNs === null ? noNumbers(node.length) : numbersWithin(sums, sumsSliceNs, range);
}
