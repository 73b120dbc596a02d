/**
 * Computes what the page shows for a state: tree, frame table, functions and threads. Each step is cached until its inputs
 * change: a zoom only redraws, and a new width needs no new tree.
 */

import type { FunctionSums } from '../../analysis/tree/functions.js';
import { isOffCpu, isStop, METRICS } from '../../analysis/tree/outside.js';
import { ROOT } from '../../model/calls/call-tree.js';
import { eachPercentile } from '../../model/percentiles.js';
import { NONE, type SymbolId } from '../../model/units.js';
import { type FoundFrames, findFrames, matchNames, type NameMatches } from '../../render/find-frames.js';
import type { FrameTable } from '../../render/frames/frame-table.js';
import type { PageData } from '../data/page-data.js';
import { CallPaths } from './call-paths.js';
import type { AllCalls } from './calls/find-listed-calls.js';
import { compareTables, type Painter, painterOf, painterOfDifferences } from './colouring.js';
import { insideMatches, nodeAt, onlyMatches, zoomedRange } from './frame-tables.js';
import { type FunctionView, FunctionViews } from './function-view.js';
import { leavesNothingOut } from './leaving-out.js';
import { memoizeLast } from './memoize-last.js';
import { SelectedTrees } from './selected-trees.js';
import { COLOURINGS, type Colouring, type State, type Width } from './state.js';
import { chosenRow, selectedNodes, type ThreadRow, threadRows, titleOf } from './threads.js';
import {
  type FunctionRow,
  type FunctionRows,
  functionRows,
  partialTree,
  rowsFromLeaves,
  type View,
  viewOfPart,
} from './view.js';

export class Views extends SelectedTrees {
  readonly widths: readonly Width[];
  readonly colourings: readonly Colouring[];
  readonly hasUnwound: boolean;
  private readonly functions: FunctionViews;
  private readonly drawn = memoizeLast((view: View, state: State) =>
    this.tables.ofWidth(view.tree, { ...state, width: this.widthOf(state) }),
  );
  private readonly named = memoizeLast((search: string) => this.match(search));
  private readonly matches = memoizeLast(findFrames);
  private readonly masked = memoizeLast(onlyMatches);
  private readonly painted = memoizeLast(painterOf);
  private readonly counted = memoizeLast((state: State, isMatch: NameMatches['isMatch']) => this.count(state, isMatch));
  private readonly listed = memoizeLast((state: State) => this.list(state));
  private readonly compared = memoizeLast((state: State) => this.compare(state));
  private readonly listedBoth = memoizeLast((state: State) => this.listBoth(state));
  private readonly pathed = memoizeLast((state: State) => this.pathsOf(state));
  private otherViews?: Views;

  constructor(data: PageData, server: AllCalls | null = null) {
    super(data, server);
    this.hasUnwound = data.threads.some(({ unwoundCalls }) => unwoundCalls.some((calls) => calls > 0));
    this.widths = this.knownWidths();
    this.colourings = this.hasTimes && !this.isBlockedTime ? COLOURINGS : ['library', 'function'];
    this.functions = new FunctionViews(this, this.tables);
  }

  private knownWidths(): readonly Width[] {
    if (!this.hasTimes) return ['calls'];
    if (this.isBlockedTime) return ['wall'];
    return METRICS.filter((width) => this.hasSwitches || width !== 'off-cpu');
  }

  /** Returns the width; a default if the trace does not support the requested one. */
  widthOf({ width }: State): Width {
    return this.widths.includes(width) ? width : (this.widths[0] as Width);
  }

  /** Returns the colouring; a default if the trace does not support the requested one. */
  colouringOf({ colouring }: State): Colouring {
    return this.colourings.includes(colouring) ? colouring : 'library';
  }

  tableAt(state: State): FrameTable {
    const table = this.unfilteredTableAt(state);
    const found = state.isOnlyMatches ? this.foundAt(state) : null;
    return found === null ? table : this.masked(this.searched(state), table, found);
  }

  painterAt(state: State): Painter {
    const { against } = state;
    if (against !== '') return this.compared({ ...this.askedTable(state), against }, state);
    const colouring = this.colouringOf(state);
    const asked = { ...this.askedTable(state), colouring };
    return this.painted(asked, this.tableAt(state), colouring, state.isInverted);
  }

  /** Returns the functions in view, weighted by the width. */
  functionsAt(state: State): FunctionRows {
    const { against } = state;
    const part = this.askedPart(state);
    return against === '' ? this.listed(part, state) : this.listedBoth({ ...part, against }, state);
  }

  /** Returns the call paths in view, weighted by the width. */
  callPathsAt(state: State): CallPaths {
    return this.pathed({ ...this.askedPart(state), against: state.against }, state);
  }

  private pathsOf(state: State): CallPaths {
    const table = this.tableAt(state);
    const there = state.against === '' ? null : (this.painterAt(state).compared?.there ?? null);
    const width = this.widthOf(state);
    const kind = {
      isInverted: state.isInverted,
      countsStops: width === 'outside' || width === 'off-cpu',
      hasSwitches: this.hasSwitches,
    };
    return new CallPaths(table, zoomedRange(table, state), kind, there);
  }

  /** Returns the painter that shows how the graph differs from that of the threads it is compared with. */
  private compare(state: State): Painter {
    const table = this.tableAt(state);
    const other = this.others.tableAt(this.stateOfOthers(state));
    const name = titleOf(chosenRow(this.threads, state.against, state.hidesIdle));
    return painterOfDifferences(table, compareTables(table, other, name));
  }

  private listBoth(state: State): FunctionRows {
    const there = this.stateOfOthers(state);
    const isThere = nodeAt(this.others.tableAt(there), state.zoom) !== null;
    const here = this.listed(this.askedPart(state), state);
    return compareFunctions(here, isThere ? this.others.functionsAt(there).rows : []);
  }

  /** The views of the threads that these are compared with: caches have room for one selection. */
  private get others(): Views {
    this.otherViews ??= new Views(this.data);
    this.otherViews.timeline = this.timeline;
    return this.otherViews;
  }

  private stateOfOthers(state: State): State {
    return { ...state, threads: state.against, against: '' };
  }

  /** Returns all threads, each with its time in the view. */
  threadsAt(state: State): readonly ThreadRow[] {
    const { zoom, isOnlyMatches } = state;
    const isMatch = isOnlyMatches ? this.namesAt(state).isMatch : null;
    const isAll = leavesNothingOut(state) && !state.hidesPureWaits && zoom.length === 0 && isMatch === null;
    return isAll && this.rangeAt(state) === null ? this.threads : this.counted(this.askedPart(state), state, isMatch);
  }

  /** Returns the matches of the search; null if it is empty or invalid. */
  foundAt(state: State): FoundFrames | null {
    const { isMatch } = this.namesAt(state);
    return isMatch && this.matches(this.searched(state), this.unfilteredTableAt(state), isMatch);
  }

  /** Returns the function names that match the search. */
  namesAt({ search }: State): NameMatches {
    return this.named(search, search);
  }

  /** Matches names as they are shown, and as files have them. */
  private match(search: string): NameMatches {
    const { isMatch, problem } = matchNames(this.names, search);
    const { renamed } = this.tables;
    const recorded = renamed.map((symbol) => this.data.symbols.name[symbol] as string);
    const others = isMatch && matchNames(recorded, search).isMatch;
    if (isMatch === null || others === null) return { isMatch: null, problem };
    const all = [...isMatch];
    for (const [at, symbol] of renamed.entries()) all[symbol] ||= others[at] === true;
    return { isMatch: all, problem };
  }

  /** Returns the numbers of a function; null if it is not in the view or the trace has no times. */
  functionAt(state: State, symbol: SymbolId): FunctionView | null {
    return this.functions.at(state, symbol);
  }

  /** Single calls of a function arrived from the server, or there was a fault. */
  addArrivedCalls(): void {
    this.functions.addArrival();
  }

  canOpen(symbol: SymbolId): boolean {
    return this.hasTimes && (!isStop(symbol) || (isOffCpu(symbol) && this.data.waits !== null));
  }

  /** Returns the suffix of a name that another file has, too; else empty. */
  nameSuffix(symbol: SymbolId): string {
    return (this.tables.frameNames[symbol] as string).slice((this.names[symbol] as string).length);
  }

  /** Returns the table without the restriction to matches. */
  unfilteredTableAt(state: State): FrameTable {
    return this.drawn(this.askedUnfiltered(state), this.viewAt(state), state);
  }

  /** Whether `unfilteredTableAt` is the same in two states. */
  isSameTable(a: State, b: State): boolean {
    return JSON.stringify(this.askedUnfiltered(a)) === JSON.stringify(this.askedUnfiltered(b));
  }

  /** What of a state decides `unfilteredTableAt`; below: its search, too, `tableAt`, and `functionsAt`. */
  private askedUnfiltered(state: State) {
    const { order, isInverted } = state;
    return { ...this.askedOf(state), order, isInverted, width: this.widthOf(state) };
  }

  private searched(state: State) {
    return { ...this.askedUnfiltered(state), search: state.search };
  }

  private askedTable(state: State) {
    return state.isOnlyMatches ? this.searched(state) : this.askedUnfiltered(state);
  }

  private askedPart(state: State) {
    return { ...this.askedTable(state), zoom: state.zoom, zoomLast: state.zoomLast };
  }

  /** Lists the functions. From leaves, only weights depend on the zoom; the other numbers are those of the entire view. */
  private list(state: State): FunctionRows {
    const { hasSwitches } = this;
    const view = this.viewAt(state);
    const table = this.tableAt(state);
    const range = zoomedRange(table, state);
    const width = this.widthOf(state);
    if (state.isInverted) return rowsFromLeaves(view, table, range);
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
    const isFromLeaves = state.isInverted;
    const data = this.dataAt(state);
    const counted = selectedNodes(data.shape, {
      ...this.filtersAt(state),
      zoom: state.zoom,
      zoomedSiblings: symbols,
      isFromLeaves,
      isMatch,
    });
    const rows = threadRows(data, this.hasSwitches, counted);
    return rows.map((row, at) => ({ ...row, isIdle: (this.threads[at] as ThreadRow).isIdle })); // the same in each range
  }
}

/**
 * Adds to the functions in view what they weigh in other threads; functions that only those have follow as rows of zeros.
 */
function compareFunctions(here: FunctionRows, there: readonly FunctionRow[]): FunctionRows {
  const others = new Map(there.map((row) => [row.sums.symbol, row]));
  const rows = here.rows.map((row) => ({ ...row, otherWeight: others.get(row.sums.symbol)?.weight ?? 0 }));
  for (const { sums } of here.rows) others.delete(sums.symbol);
  const onlyThere = [...others.values()].map(({ sums: { symbol }, weight }) => {
    return { sums: { symbol, ...NOTHING }, weight: 0, selfWeight: 0, otherWeight: weight };
  });
  return { ...here, rows: [...rows, ...onlyThere] };
}

const NONE_KNOWN = Number.NaN;
const NOTHING: Omit<FunctionSums, 'symbol'> = {
  ...{ calls: 0, inferred: 0, unwound: 0, completeNs: 0 },
  ...{ totalNs: 0, selfNs: 0, outsideNs: 0, outsideSelfNs: 0, onCpuNs: 0, offCpuNs: 0, inferredNs: 0 },
  ...{ avgNs: NONE_KNOWN, minNs: NONE_KNOWN, maxNs: NONE_KNOWN, longestCutNs: NONE_KNOWN },
  ...eachPercentile(() => NONE_KNOWN),
};
