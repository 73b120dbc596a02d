/**
 * Computes what the page shows for a state: tree, frame table, functions and threads. Each step is cached until its inputs
 * change: a zoom only redraws, and a new width needs no new tree.
 */

import type { PureWaits } from '../../analysis/findings/pure-waits.js';
import { isOffCpu, isStop, METRICS, type Metric } from '../../analysis/tree/outside.js';
import { ROOT, withoutEmptyNodes } from '../../model/calls/call-tree.js';
import { NONE, type SymbolId } from '../../model/units.js';
import { RECORDINGS } from '../../render/diff/paths.js';
import { wordingOf } from '../../render/diff/wording.js';
import { type FoundFrames, findFrames, matchNames, type NameMatches } from '../../render/find-frames.js';
import type { Wording } from '../../render/frames/drawing.js';
import type { FrameTable } from '../../render/frames/frame-table.js';
import type { PageData } from '../data/page-data.js';
import { CallPaths } from './call-paths.js';
import type { AllCalls } from './calls/find-listed-calls.js';
import { type Painter, painterOf, painterOfChanges } from './colouring.js';
import { compareFunctions } from './compared-functions.js';
import { type ComparedTable, REST, type Sides } from './comparison.js';
import { insideMatches, onlyComparedMatches, onlyMatches, zoomedRange } from './frame-tables.js';
import { type FunctionView, FunctionViews } from './function-view.js';
import { type LeftOut, leavesNothingOut } from './leaving-out.js';
import { memoizeLast } from './memoize-last.js';
import { SelectedTrees } from './selected-trees.js';
import { COLOURINGS, type Colouring, metricOf, type State, type Width } from './state.js';
import { choiceOf, chosenRow, selectedNodes, type ThreadRow, threadRows, titleOf } from './threads.js';
import { type FunctionRows, functionRows, partialTree, rowsFromLeaves, type View, viewOfPart } from './view.js';

/** What is left out of a side of a comparison. */
export interface LeftOutOfSide {
  readonly leftOut: LeftOut;
  readonly pureWaits: PureWaits;
  /** What its times are multiplied by. */
  readonly scale: number;
}

export class Views extends SelectedTrees {
  readonly widths: readonly Width[];
  readonly hasUnwound: boolean;
  /** A kernel was traced. */
  readonly hasKernel: boolean;
  private readonly functions: FunctionViews;
  private readonly drawn = memoizeLast((view: View, state: State) =>
    this.ofLens(this.tables.ofWidth(view.tree, { ...state, width: this.metricOf(state) }), state),
  );
  private readonly named = memoizeLast((search: string) => this.match(search));
  private readonly matches = memoizeLast(findFrames);
  private readonly masked = memoizeLast(onlyMatches);
  private readonly painted = memoizeLast(painterOf);
  private readonly counted = memoizeLast((state: State, isMatch: NameMatches['isMatch']) => this.count(state, isMatch));
  private readonly listed = memoizeLast((state: State) => this.list(state));
  private readonly compared = memoizeLast((state: State, sides: Sides) => this.compare(state, sides));
  private readonly comparedMatches = memoizeLast(onlyComparedMatches);
  private readonly changed = memoizeLast(painterOfChanges);
  private readonly listedBoth = memoizeLast((state: State, compared: ComparedTable) => this.listBoth(state, compared));
  private readonly wording = memoizeLast(({ paths }: ComparedTable) => wordingOf(paths));
  private readonly pathed = memoizeLast((state: State) => this.pathsOf(state));
  private otherViews?: Views;

  /** `hasBlocked`: the file has blocked time, too. */
  constructor(
    data: PageData,
    server: AllCalls | null = null,
    private readonly hasBlocked = false,
  ) {
    super(data, server);
    this.hasUnwound = data.threads.some(({ unwoundCalls }) => unwoundCalls.some((calls) => calls > 0));
    this.hasKernel = this.tables.families.some((family) => family === 'kernel' || family === 'entry');
    this.widths = this.knownWidths();
    this.functions = new FunctionViews(this, this.tables);
  }

  private knownWidths(): readonly Width[] {
    if (!this.hasTimes) return ['calls'];
    if (this.data.meta.isBlockedTime) return ['blocked'];
    const metrics = METRICS.filter((width) => this.hasSwitches || width !== 'off-cpu');
    return this.hasBlocked ? [...metrics, 'blocked'] : metrics;
  }

  /** Returns the width; a default if the trace does not support the requested one, or it has not been read yet. */
  widthOf({ width }: Pick<State, 'width'>): Width {
    const isKnown = this.widths.includes(width) && (width !== 'blocked' || this.isBlockedAt({ width }));
    return isKnown ? width : (this.widths[0] as Width);
  }

  private metricOf(state: State): Metric {
    return metricOf(this.widthOf(state));
  }

  /** What colours can show. */
  colouringsAt(state: State): readonly Colouring[] {
    return this.hasTimes && !this.isBlockedAt(state) ? COLOURINGS : ['library', 'function'];
  }

  /** Returns the colouring; a default if the trace does not support the requested one. */
  colouringOf(state: State): Colouring {
    return this.colouringsAt(state).includes(state.colouring) ? state.colouring : 'library';
  }

  /** What of a state does not go together with the rest of it: blocked time has no ranges, and its trees are upside down already. */
  corrected(state: State): Partial<State> {
    return { range: this.rangeAt(state), ...(this.isBlockedAt(state) && { isInverted: false }) };
  }

  tableAt(state: State): FrameTable {
    const compared = this.comparedAt(state);
    if (compared !== null) return compared.table;
    const table = this.unfilteredTableAt(state);
    const found = state.isOnlyMatches ? this.foundAt(state) : null;
    return found === null ? table : this.masked(this.searched(state), table, found);
  }

  painterAt(state: State): Painter {
    const compared = this.comparedAt(state);
    if (compared !== null) return this.changed(this.askedTable(state), compared);
    const colouring = this.colouringOf(state);
    const asked = { ...this.askedTable(state), colouring };
    return this.painted(asked, this.tableAt(state), colouring, state.isInverted);
  }

  /** Returns how frames of a comparison are labelled: the same object each time, another one draws the graph again. */
  wordingAt(state: State): Wording | null {
    const compared = this.comparedAt(state);
    return compared && this.wording(this.askedTable(state), compared);
  }

  /** Returns the functions in view, weighted by the width. */
  functionsAt(state: State): FunctionRows {
    const part = this.askedPart(state);
    const compared = this.comparedAt(state);
    return compared === null ? this.listed(part, state) : this.listedBoth(part, state, compared);
  }

  /** Returns the call paths in view, weighted by the width. */
  callPathsAt(state: State): CallPaths {
    return this.pathed(this.askedPart(state), state);
  }

  private pathsOf(state: State): CallPaths {
    const table = this.tableAt(state);
    const width = this.widthOf(state);
    const compared = this.comparedAt(state);
    const { isInverted } = state;
    const kind = {
      isInverted,
      countsStops: width === 'outside' || width === 'off-cpu',
      hasSwitches: this.hasSwitches,
      symbols: this.hasKernel && !isInverted && compared === null ? this.viewAt(state).symbols : null,
    };
    return new CallPaths(table, zoomedRange(table, state), kind, compared);
  }

  /** Returns the two sides of a comparison; null: nothing is compared. */
  comparedAt(state: State): ComparedTable | null {
    const compared = this.unfilteredComparedAt(state);
    const found = compared !== null && state.isOnlyMatches ? this.foundAt(state) : null;
    if (compared === null || found === null) return compared;
    return this.comparedMatches(this.searched(state), compared, found);
  }

  private unfilteredComparedAt(state: State): ComparedTable | null {
    const sides = this.sidesAt(state);
    return sides && this.compared(this.askedUnfiltered(state), state, sides);
  }

  private compare(state: State, sides: Sides): ComparedTable {
    const trees = { before: this.others.viewAt(sides.before).tree, after: this.viewAt(sides.after).tree };
    const compared = this.tables.ofSides(trees, sides, { ...state, width: this.metricOf(state) });
    return { ...compared, table: this.ofLens(compared.table, state) };
  }

  /** Blocked time and all other time have the same symbols, so these do not tell which of them a table is of. */
  private ofLens(table: FrameTable, state: State): FrameTable {
    return { ...table, isOfWaits: this.isBlockedAt(state) };
  }

  private listBoth(state: State, compared: ComparedTable): FunctionRows {
    const { sides, before, after } = compared;
    const range = zoomedRange(compared.table, state);
    const old = this.rowsOfPart(this.others.viewAt(sides.before), before, range, state);
    const now = this.rowsOfPart(this.viewAt(sides.after), after, range, state);
    return compareFunctions(old, now, sides, this.metricOf(state) === 'wall' && !state.isInverted);
  }

  /** Returns what is left out of each side of a comparison, or of what is shown. */
  leftOutOfSides(state: State): readonly LeftOutOfSide[] {
    const sides = this.sidesAt(state);
    const of = (views: SelectedTrees, side: State, scale: number) => ({
      ...{ leftOut: views.leftOutAt(side), pureWaits: views.pureWaitsAt(side), scale },
    });
    if (sides === null) return [of(this, state, 1)];
    return [of(this.others, sides.before, sides.scales.before), of(this, sides.after, sides.scales.after)];
  }

  /** Returns the sides that a state compares; null: nothing. */
  sidesAt(state: State): Sides | null {
    const { against, ...rest } = state;
    const after: State = { ...rest, against: '' };
    const others = against === REST ? this.restOf(after) : { threads: against };
    if (against === '' || others === null) return null;
    const before: State = { ...after, ...others };
    const { compared } = this.data;
    if (compared !== undefined)
      return { kind: 'recordings', names: RECORDINGS, before, after, scales: compared.scales };
    const name = titleOf(chosenRow(this.threads, before.threads, state.hidesIdle));
    const shown = this.rangeAt(state) === null ? 'chosen' : 'range';
    if (against !== REST) {
      const names = { before: 'other', after: 'chosen', than: `in ${name}` };
      return { kind: 'threads', names, before, after, scales: { before: 1, after: 1 } };
    }
    const [restNs, ns] = [this.others.viewInRange(before).allNs(), this.viewInRange(after).allNs()];
    const scales = { before: restNs > 0 && ns > 0 ? ns / restNs : 1, after: 1 };
    return { kind: 'rest', names: { before: 'rest', after: shown, than: 'in the rest' }, before, after, scales };
  }

  /** Returns what shows all but the range, or else the other threads; null: there is nothing else. */
  restOf(state: State): Partial<State> | null {
    if (this.rangeAt(state) !== null) return { isOutsideRange: true };
    const chosen = new Set(chosenRow(this.threads, state.threads, state.hidesIdle).threads);
    const others = this.threads.flatMap(({ threads }) => threads).filter((at) => !chosen.has(at));
    return others.length === 0 ? null : { threads: choiceOf(this.threads, new Set(others)) };
  }

  /** The views of the other side of a comparison: caches have room for one selection. */
  private get others(): Views {
    this.otherViews ??= new Views(this.data, null, this.hasBlocked);
    this.otherViews.timeline = this.timeline;
    this.otherViews.blocked = this.blocked;
    return this.otherViews;
  }

  /** Returns all threads, each with its time in the view. */
  threadsAt(state: State): readonly ThreadRow[] {
    const { zoom, isOnlyMatches } = state;
    const isMatch = isOnlyMatches ? this.namesAt(state).isMatch : null;
    const isAll = leavesNothingOut(state) && !state.hidesPureWaits && zoom.length === 0 && isMatch === null;
    return isAll && this.dataAt(state) === this.data
      ? this.threads
      : this.counted(this.askedPart(state), state, isMatch);
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

  /** Whether a function is in the view, on either side of a comparison. */
  isInView(state: State, symbol: SymbolId): boolean {
    const sides = this.sidesAt(state);
    if (this.viewAt(state).functions().has(symbol)) return true;
    return sides !== null && this.others.viewAt(sides.before).functions().has(symbol);
  }

  /** Returns the view of the other side of a comparison. */
  viewBefore({ before }: Sides): View {
    return this.others.viewAt(before);
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
    const compared = this.unfilteredComparedAt(state);
    if (compared !== null) return compared.table;
    return this.drawn(this.askedUnfiltered(state), this.viewAt(state), state);
  }

  /** Whether `unfilteredTableAt` is the same in two states. */
  isSameTable(a: State, b: State): boolean {
    return JSON.stringify(this.askedUnfiltered(a)) === JSON.stringify(this.askedUnfiltered(b));
  }

  /** What of a state decides `unfilteredTableAt`; below: its search, too, `tableAt`, and `functionsAt`. */
  private askedUnfiltered(state: State) {
    const { order, isInverted, against, widthOf } = state;
    const compared = against === '' ? {} : { against, widthOf };
    return { ...this.askedOf(state), ...compared, order, isInverted, width: this.widthOf(state) };
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
    const table = this.tableAt(state);
    return this.rowsOfPart(this.viewAt(state), table, zoomedRange(table, state), state);
  }

  private rowsOfPart(view: View, table: FrameTable, range: ReturnType<typeof zoomedRange>, state: State) {
    const { hasSwitches } = this;
    if (state.isInverted) return { view, ...rowsFromLeaves(view, table, range) };
    const found = state.isOnlyMatches ? this.foundAt(state) : null;
    const isAll = range.first === ROOT && found === null;
    const partOf = () => withoutEmptyNodes(partialTree(table, range, found && insideMatches(table, found)));
    const part = isAll ? view : viewOfPart(partOf(), view, hasSwitches);
    return { view: part, ...functionRows(part, this.metricOf(state), hasSwitches) };
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
