/**
 * Computes what the page shows for a state: tree, frame table, functions and threads. Each step is cached until its inputs
 * change: a zoom only redraws, and a new width needs no new tree.
 */

import { type Bounds, functionSet } from '../../../analysis/questions.js';
import type { FunctionSums } from '../../../analysis/tree/functions.js';
import { isOffCpu, isStop, recordsSwitches } from '../../../analysis/tree/outside.js';
import { excludeFunctions, foldRecursion, reroot } from '../../../analysis/tree/reshape.js';
import { ROOT } from '../../../model/calls/call-tree.js';
import { mergeDurations } from '../../../model/calls/durations.js';
import { dsoOf } from '../../../model/names/symbol-order.js';
import { lineOf, type SourceLine } from '../../../model/names/symbol-table.js';
import type { WaitsByPath } from '../../../model/profile/waits-by-path.js';
import type { Timeline } from '../../../model/timeline/timeline.js';
import { type Nanoseconds, NONE, type SymbolId } from '../../../model/units.js';
import type { FrameTable } from '../../frames/frame-table.js';
import { type FoundFrames, findFrames, matchNames, type NameMatches } from '../../search/find-frames.js';
import type { PageData, PageThread } from '../data/page-data.js';
import { treeOf } from '../data/tree-of.js';
import { type CallsView, callsOfFunction } from './calls/calls-of-function.js';
import { type Painter, painterOf } from './colouring.js';
import { FrameTables } from './frame-tables.js';
import { type FunctionRows, functionRows, partialTree, rowsFromLeaves } from './function-rows.js';
import type { Bar } from './histogram.js';
import { insideMatches, onlyMatches } from './matches.js';
import { memoizeLast } from './memoize-last.js';
import { zoomedRange } from './paths.js';
import { selectedNodes } from './selected-nodes.js';
import { COLOURINGS, type Colouring, type Order, type State, WIDTHS, type Width } from './state.js';
import { chosenRow, type ThreadRow, threadRows } from './threads.js';
import { snappedRange } from './time/range.js';
import { rangeData } from './time/range-data.js';
import { type View, viewOfPart, viewOfTree } from './view.js';
import { type WaitNames, type WaitsOfFunction, waitsOfFunction } from './waits.js';

/** Everything shown for the selected function. */
export interface FunctionView {
  readonly name: string;
  readonly file: string;
  /** null: unknown. */
  readonly line: SourceLine | null;
  readonly sums: FunctionSums;
  readonly allNs: Nanoseconds;
  readonly bars: readonly Bar[];
  readonly callers: FrameTable;
  readonly callees: FrameTable;
  /** null: none, or nothing is known of them. */
  readonly waits: WaitsView | null;
  /** null: single calls are not known. */
  readonly calls: CallsView | null;
}

export interface WaitsView {
  readonly waits: WaitsOfFunction;
  readonly names: WaitNames;
  readonly unlisted: WaitsByPath['unlisted'];
  /** When the recording began. */
  readonly originNs: Nanoseconds;
  /** What those did meanwhile that the function waited for; null: nothing is known of that. */
  readonly meanwhile: FrameTable | null;
}

export class Views {
  readonly data: PageData;
  readonly names: readonly string[];
  readonly threads: readonly ThreadRow[];
  readonly widths: readonly Width[];
  readonly colourings: readonly Colouring[];
  /** The trace has times; otherwise only calls. */
  readonly hasTimes: boolean;
  readonly hasSwitches: boolean;
  readonly hasUnwound: boolean;
  /** The course of time; null: none, or it has not been read yet, which happens after the first picture. */
  timeline: Timeline | null = null;
  private readonly tables: FrameTables;
  private readonly ranged = memoizeLast((timeline: Timeline, range: Bounds) => rangeData(this.data, timeline, range));
  private readonly ofThreads = memoizeLast((indexes: readonly number[]) => this.viewOfThreads(indexes));
  private readonly ofThreadsInRange = memoizeLast((full: View, data: PageData, indexes: readonly number[]) =>
    viewOfPart(treeOf(data, indexes), full, this.hasSwitches),
  );
  private readonly reshaped = memoizeLast((view: View, state: State) => this.reshape(view, state));
  private readonly drawn = memoizeLast((view: View, width: Width, order: Order) =>
    this.tables.ofWidth(view.tree, width, order),
  );
  private readonly named = memoizeLast((search: string) => matchNames(this.names, search));
  private readonly matches = memoizeLast(findFrames);
  private readonly masked = memoizeLast(onlyMatches);
  private readonly painted = memoizeLast(painterOf);
  private readonly counted = memoizeLast((state: State, isMatch: NameMatches['isMatch']) => this.count(state, isMatch));
  private readonly single = memoizeLast((state: State, symbol: SymbolId) => this.callsOf(state, symbol));
  private readonly listed = memoizeLast((state: State) => this.list(state));

  constructor(data: PageData) {
    this.data = data;
    this.hasSwitches = recordsSwitches(data.shape, data.meta.hasSwitches);
    this.hasUnwound = data.threads.some(({ unwoundCalls }) => unwoundCalls.some((calls) => calls > 0));
    this.tables = new FrameTables(data.symbols, this.hasSwitches);
    this.names = this.tables.names;
    this.hasTimes = data.meta.weight === 'ns';
    this.widths = this.hasTimes ? WIDTHS.filter((width) => this.hasSwitches || width !== 'off-cpu') : ['calls'];
    this.colourings = this.hasTimes ? COLOURINGS : ['function'];
    this.threads = threadRows(data, this.hasSwitches);
  }

  /** Returns the selected threads after focus, hiding and folding. */
  viewAt(state: State): View {
    const indexes = chosenRow(this.threads, state.threads, state.hidesIdle).threads;
    const { focus, hidden, foldsRecursion } = state;
    const view = this.viewInRange(state, indexes);
    if (focus === null && hidden.length === 0 && !foldsRecursion) return view;
    return this.reshaped([this.rangeKey(state), indexes, focus, hidden, foldsRecursion].join('|'), view, state);
  }

  private viewInRange(state: State, indexes: readonly number[]): View {
    const view = this.ofThreads(indexes.join(), indexes);
    if (this.rangeAt(state) === null) return view;
    return this.ofThreadsInRange(`${this.rangeKey(state)}|${indexes}`, view, this.dataAt(state), indexes);
  }

  /** Returns the range of time that is shown, between borders of slices; null: all of it. */
  rangeAt({ range }: State): Bounds | null {
    return range && this.timeline && snappedRange(this.timeline, range);
  }

  private rangeKey(state: State): string {
    const range = this.rangeAt(state);
    return range === null ? '' : `${range.startNs}-${range.endNs}`;
  }

  /** Returns the data of the range of time that is shown. */
  dataAt(state: State): PageData {
    const range = this.rangeAt(state);
    return range === null ? this.data : this.ranged(this.rangeKey(state), this.timeline as Timeline, range);
  }

  /** Returns the width; a default if the trace does not support the requested one. */
  widthOf({ width }: State): Width {
    return this.widths.includes(width) ? width : (this.widths[0] as Width);
  }

  /** Returns the colouring; a default if the trace does not support the requested one. */
  colouringOf({ colouring }: State): Colouring {
    return this.colourings.includes(colouring) ? colouring : 'function';
  }

  tableAt(state: State): FrameTable {
    const table = this.unfilteredTableAt(state);
    const found = state.isOnlyMatches ? this.foundAt(state) : null;
    return found === null ? table : this.masked(this.searchKey(state), table, found);
  }

  painterAt(state: State): Painter {
    const key = `${this.drawnKey(state)}|${this.colouringOf(state)}`;
    return this.painted(key, this.tableAt(state), this.colouringOf(state), this.widthOf(state) === 'self');
  }

  /** Returns the functions in view, weighted by the width. */
  functionsAt(state: State): FunctionRows {
    return this.listed(this.partKey(state), state);
  }

  /** Returns all threads, each with its time in the view. */
  threadsAt(state: State): readonly ThreadRow[] {
    const { focus, hidden, foldsRecursion, zoom, isOnlyMatches } = state;
    const isMatch = isOnlyMatches ? this.namesAt(state).isMatch : null;
    const isAll = focus === null && hidden.length === 0 && !foldsRecursion && zoom.length === 0 && isMatch === null;
    return isAll && this.rangeAt(state) === null ? this.threads : this.counted(this.partKey(state), state, isMatch);
  }

  /** Returns the matches of the search; null if it is empty or invalid. */
  foundAt(state: State): FoundFrames | null {
    const { isMatch } = this.namesAt(state);
    return isMatch && this.matches(this.searchKey(state), this.unfilteredTableAt(state), isMatch);
  }

  /** Returns the function names that match the search. */
  namesAt({ search }: State): NameMatches {
    return this.named(search, search);
  }

  /** Returns the numbers of a function; null if it is not in the view or the trace has no times. */
  functionAt(state: State, symbol: SymbolId): FunctionView | null {
    const view = this.viewAt(state);
    const sums = view.functions().get(symbol);
    if (sums === undefined || !this.hasTimes) return null;
    return {
      name: this.names[symbol] as string,
      file: this.fileOf(symbol),
      line: this.lineOf(symbol),
      sums,
      allNs: view.allNs(),
      bars: view.bars(symbol) ?? [],
      ...this.tables.callersAndCallees(view.tree, symbol, state.order),
      waits: this.waitsAt(state, symbol),
      calls: this.callsAt(state, symbol),
    };
  }

  private callsAt(state: State, symbol: SymbolId): CallsView | null {
    const { threads, hidesIdle, focus, hidden, foldsRecursion } = state;
    const key = [this.rangeKey(state), threads, hidesIdle, focus, hidden.join('.'), foldsRecursion, symbol];
    return this.timeline && this.single(key.join('|'), state, symbol);
  }

  private callsOf(state: State, symbol: SymbolId): CallsView | null {
    const { tree, functions } = this.viewAt(state);
    return callsOfFunction({
      data: this.data,
      timeline: this.timeline as Timeline,
      range: this.rangeAt(state),
      indexes: chosenRow(this.threads, state.threads, state.hidesIdle).threads,
      ...{ state, symbol, tree },
      sums: functions().get(symbol) as FunctionSums,
    });
  }

  private waitsAt(state: State, symbol: SymbolId): WaitsView | null {
    const { waits, threads, meta } = this.dataAt(state);
    const indexes = chosenRow(this.threads, state.threads, state.hidesIdle).threads;
    const tids = new Set(indexes.map((index) => (threads[index] as PageThread).tid));
    const found = waits && waitsOfFunction(waits, tids, state, symbol);
    if (waits === null || found === null) return null;
    return {
      waits: found,
      names: { threads: waits.threads, functions: this.names },
      unlisted: waits.unlisted,
      originNs: meta.startNs,
      meanwhile: this.tables.ofTimes(waits.paths, found.meanwhileNs),
    };
  }

  canOpen(symbol: SymbolId): boolean {
    return this.hasTimes && (!isStop(symbol) || (isOffCpu(symbol) && this.data.waits !== null));
  }

  /** Returns the suffix of a name that another file has, too; else empty. */
  nameSuffix(symbol: SymbolId): string {
    return (this.tables.frameNames[symbol] as string).slice((this.names[symbol] as string).length);
  }

  /** Returns the file of a function; empty if unknown. */
  fileOf(symbol: SymbolId): string {
    return dsoOf(this.data.symbols, symbol) ?? '';
  }

  /** Returns where a function begins in source code; null: unknown. */
  lineOf(symbol: SymbolId): SourceLine | null {
    return lineOf(this.data.symbols, symbol);
  }

  /** Returns the table without the restriction to matches. */
  unfilteredTableAt(state: State): FrameTable {
    return this.drawn(this.tableKey(state), this.viewAt(state), this.widthOf(state), state.order);
  }

  /** Cache key of `unfilteredTableAt`. */
  tableKey(state: State): string {
    const { threads, hidesIdle, focus, hidden, foldsRecursion, order } = state;
    const width = this.widthOf(state);
    return JSON.stringify([this.rangeKey(state), threads, hidesIdle, focus, hidden, foldsRecursion, order, width]);
  }

  private searchKey(state: State): string {
    return `${this.tableKey(state)}|${state.search}`;
  }

  /** Cache key of `tableAt`. */
  private drawnKey(state: State): string {
    return state.isOnlyMatches ? this.searchKey(state) : this.tableKey(state);
  }

  /** Cache key of `functionsAt`. */
  private partKey(state: State): string {
    return `${this.drawnKey(state)}|${state.zoom.join('.')}|${state.zoomLast}`;
  }

  /** Lists the functions. From leaves, only weights depend on the zoom; the other numbers are those of the entire view. */
  private list(state: State): FunctionRows {
    const { hasSwitches } = this;
    const view = this.viewAt(state);
    const table = this.tableAt(state);
    const range = zoomedRange(table, state);
    const width = this.widthOf(state);
    if (width === 'self') return rowsFromLeaves(view, table, range);
    const found = state.isOnlyMatches ? this.foundAt(state) : null;
    const isAll = range.first === ROOT && found === null;
    const part = isAll
      ? view
      : viewOfPart(partialTree(table, range, found && insideMatches(table, found)), view, hasSwitches);
    return functionRows(part, width, hasSwitches);
  }

  private count(state: State, isMatch: readonly boolean[] | null): ThreadRow[] {
    const table = this.tableAt(state);
    const range = zoomedRange(table, state);
    const symbols = new Set<SymbolId>();
    for (let node = range.first; node !== NONE; node = node === range.last ? NONE : table.nextSibling[node])
      symbols.add(table.tree.symbol[node]);
    const isFromLeaves = this.widthOf(state) === 'self';
    const counted = selectedNodes(this.data.shape, { ...state, zoomedSiblings: symbols, isFromLeaves, isMatch });
    const rows = threadRows(this.dataAt(state), this.hasSwitches, counted);
    return rows.map((row, at) => ({ ...row, isIdle: (this.threads[at] as ThreadRow).isIdle })); // the same in each range
  }

  private viewOfThreads(indexes: readonly number[]): View {
    const threads = indexes.map((index) => this.data.threads[index] as PageThread);
    return viewOfTree(treeOf(this.data, indexes), () => mergeDurations(threads), this.hasSwitches);
  }

  private reshape(full: View, { focus, hidden, foldsRecursion }: State): View {
    const { tree } = full;
    const count = this.data.symbols.length;
    const focused = focus === null ? tree : reroot(tree, functionSet([focus], count));
    const left = hidden.length === 0 ? focused : excludeFunctions(focused, functionSet(hidden, count));
    const folded = foldsRecursion ? foldRecursion(left) : left;
    return viewOfPart(this.tables.byName(folded), full, this.hasSwitches);
  }
}
