/**
 * What the reader asked for → the tree that is drawn, and the functions in it. Each step is kept until what it depends on
 * changes: to zoom costs nothing but drawing, to change the width no new tree.
 */
import { bottomUp, callersOfFunction } from '../../../analysis/callers.js';
import { type FunctionSums, functionsOf } from '../../../analysis/functions.js';
import { ownWeights } from '../../../analysis/metrics.js';
import { knowsSwitches } from '../../../analysis/outside.js';
import { foldRecursion, leaveOut, reroot } from '../../../analysis/reshape.js';
import { type CallTree, ROOT } from '../../../model/call-tree.js';
import { addedDurations, type FunctionDurations, histogramsOf } from '../../../model/durations.js';
import { inPreOrder } from '../../../model/pre-order.js';
import { symbolRanks } from '../../../model/symbol-order.js';
import { totalTimes } from '../../../model/tree-view.js';
import type { Nanoseconds, NodeId, SymbolId } from '../../../model/units.js';
import { type Family, familyOf } from '../../frames/families.js';
import { type FrameTable, frameTable, summedUp } from '../../frames/frame-table.js';
import { type Found, find, matcherOf } from '../../frames/search.js';
import { visibleText } from '../../visible-text.js';
import type { PageData } from '../data/page-data.js';
import { treeOf } from '../data/tree-of.js';
import { type Bar, barsOf } from './histogram.js';
import { once, remembered } from './remembered.js';
import { type State, WIDTHS, type Width } from './state.js';
import { chosenThreads, type ThreadRow, threadRows } from './threads.js';

/** Callers that have less of the whole are not told apart: nobody would see them. */
const LEAST_SHARE = 1 / 20_000;

/** A tree, and the functions in it. */
export interface View {
  readonly tree: CallTree;
  /** By symbol. */
  readonly functions: () => ReadonlyMap<SymbolId, FunctionSums>;
  /** How long the calls of one took; null: of what is left of the threads nobody knows. */
  readonly bars: (symbol: SymbolId) => Bar[] | null;
  /** All its time. */
  readonly allNs: () => Nanoseconds;
}

export interface FunctionView {
  readonly name: string;
  readonly file: string;
  readonly sums: FunctionSums;
  readonly allNs: Nanoseconds;
  readonly bars: readonly Bar[];
  readonly callers: FrameTable;
  readonly callees: FrameTable;
}

export class Views {
  readonly data: PageData;
  readonly names: readonly string[];
  readonly families: readonly Family[];
  readonly threads: readonly ThreadRow[];
  readonly hasSwitches: boolean;
  /** What width may stand for. */
  readonly widths: readonly Width[];
  private readonly rank: Int32Array;
  /** By tree: only `weight`, `self` and `total` depend on the width. */
  private readonly tables = new WeakMap<CallTree, FrameTable>();
  private readonly ofThreads = remembered((places: readonly number[]) => this.viewOfThreads(places));
  private readonly reshaped = remembered((view: View, state: State) => this.reshape(view, state));
  private readonly drawn = remembered((view: View, width: Width) => this.tableOf(view, width));
  private readonly masked = remembered(masked);
  private readonly searched = remembered((table: FrameTable, search: string) => searchIn(table, search));

  constructor(data: PageData) {
    const { symbols, shape } = data;
    this.data = data;
    this.names = symbols.name.map(visibleText);
    this.families = symbols.name.map((_, symbol) => familyOf(symbol, symbols));
    this.hasSwitches = knowsSwitches(shape);
    this.widths = widthsOf(data, this.hasSwitches);
    this.threads = threadRows(data, this.hasSwitches);
    this.rank = symbolRanks(symbols);
  }

  /** What is left of the threads that are looked at. */
  viewAt(state: State): View {
    const places = chosenThreads(this.threads, state.threads, state.hidesIdle);
    const { focus, hidden, foldsRecursion } = state;
    const view = this.ofThreads(places.join(), places);
    if (focus === null && hidden.length === 0 && !foldsRecursion) return view;
    return this.reshaped([places, focus, hidden, foldsRecursion].join('|'), view, state);
  }

  /** A width that the trace cannot show is as if nobody had asked for it. */
  widthOf({ width }: State): Width {
    return this.widths.includes(width) ? width : (this.widths[0] as Width);
  }

  /** What is drawn of it. */
  tableAt(state: State): FrameTable {
    const key = viewKey(state);
    const width = this.widthOf(state);
    const table = this.drawn(`${key}|${width}`, this.viewAt(state), width);
    const found = state.isOnlyMatches
      ? this.searched(`${key}|${this.widthOf(state)}|${state.search}`, table, state.search)
      : null;
    return found === null ? table : this.masked(`${key}|${this.widthOf(state)}|${state.search}`, table, found);
  }

  /** What the search finds in it; null: it asks for nothing. */
  foundAt(state: State): Found | null {
    return this.searched(
      `${viewKey(state)}|${this.widthOf(state)}|${state.search}`,
      this.tableAt({ ...state, isOnlyMatches: false }),
      state.search,
    );
  }

  /** How long the calls of a function took; null: nobody knows. */
  barsAt(state: State, symbol: SymbolId): Bar[] | null {
    return this.viewAt(state).bars(symbol);
  }

  /** All that is shown of one function; null: it is not there, or has no times. */
  functionAt(state: State, symbol: SymbolId): FunctionView | null {
    const view = this.viewAt(state);
    const sums = view.functions().get(symbol);
    if (sums === undefined || this.data.meta.weight === 'calls') return null;
    const allNs = view.allNs();
    return {
      name: this.names[symbol] as string,
      file: this.fileOf(symbol),
      sums,
      allNs,
      bars: view.bars(symbol) ?? [],
      ...this.around(view, symbol),
    };
  }

  /** The file that a function is in; empty if the trace does not tell. */
  fileOf(symbol: SymbolId): string {
    const { dso, dsoName } = this.data.symbols;
    return dsoName[dso[symbol] as number] ?? '';
  }

  /** Who called a function, and what it called: each with the function itself under the root. */
  private around({ tree }: View, symbol: SymbolId): { readonly callers: FrameTable; readonly callees: FrameTable } {
    const asked = setOf([symbol], this.data.symbols.length);
    const callees = this.sorted(reroot(tree, asked));
    const least = totalTimes(callees)[ROOT] * LEAST_SHARE;
    return { callers: this.table(this.bySize(callersOfFunction(tree, symbol, least))), callees: this.table(callees) };
  }

  private viewOfThreads(places: readonly number[]): View {
    const tree = treeOf(this.data, places);
    return this.view(tree, () =>
      addedDurations(places.map((place) => this.data.threads[place]).filter((thread) => thread !== undefined)),
    );
  }

  private reshape({ tree }: View, { focus, hidden, foldsRecursion }: State): View {
    const count = this.data.symbols.length;
    const focused = focus === null ? tree : reroot(tree, setOf([focus], count));
    const left = hidden.length === 0 ? focused : leaveOut(focused, setOf(hidden, count));
    return this.view(this.sorted(foldsRecursion ? foldRecursion(left) : left), () => null);
  }

  private view(tree: CallTree, ofThreads: () => FunctionDurations | null): View {
    const durations = once(ofThreads);
    const functions = once(
      () => new Map(functionsOf(tree, durations(), this.hasSwitches).map((row) => [row.symbol, row])),
    );
    const histograms = once(() => {
      const took = durations();
      return took && histogramsOf(took);
    });
    const bars = (symbol: SymbolId) => {
      const histogram = histograms()?.get(symbol);
      return histogram ? barsOf(histogram) : null;
    };
    return { tree, functions, bars, allNs: once(() => tree.selfNs.reduce((sum, ns) => sum + ns, 0)) };
  }

  private tableOf({ tree }: View, width: Width): FrameTable {
    if (width !== 'self')
      return this.table(tree, ownWeights(tree, width, this.hasSwitches), width === 'calls' ? 'calls' : 'ns');
    const least = totalTimes(tree)[ROOT] * LEAST_SHARE;
    return this.table(this.bySize(bottomUp(tree, least)));
  }

  private table(tree: CallTree, own = tree.selfNs, weight: 'ns' | 'calls' = 'ns'): FrameTable {
    const known = this.tables.get(tree);
    if (known !== undefined) return { ...known, weight, self: own, total: summedUp(tree, own) };
    const { names, families } = this;
    const table = frameTable({ tree, names, families, omitted: new Float64Array(tree.length), weight }, own);
    this.tables.set(tree, table);
    return table;
  }

  private sorted(tree: CallTree): CallTree {
    const { rank } = this;
    return inPreOrder(tree, (a, b) => rank[tree.symbol[a]] - rank[tree.symbol[b]]);
  }

  private bySize(tree: CallTree): CallTree {
    const totalNs = totalTimes(tree);
    return inPreOrder(tree, (a, b) => totalNs[b] - totalNs[a] || this.rank[tree.symbol[a]] - this.rank[tree.symbol[b]]);
  }
}

/** A trace without times has calls alone. */
function widthsOf({ meta }: PageData, hasSwitches: boolean): readonly Width[] {
  return meta.weight === 'calls' ? ['calls'] : WIDTHS.filter((width) => hasSwitches || width !== 'off-cpu');
}

/** What decides of `viewAt`. */
function viewKey({ threads, hidesIdle, focus, hidden, foldsRecursion }: State): string {
  return JSON.stringify([threads, hidesIdle, focus, hidden, foldsRecursion]);
}

function setOf(symbols: readonly SymbolId[], count: number): Uint8Array {
  const set = new Uint8Array(count);
  for (const symbol of symbols) set[symbol] = 1;
  return set;
}

function searchIn(table: FrameTable, search: string): Found | null {
  const matcher = search === '' ? null : matcherOf(search);
  return matcher && find(table, matcher);
}

/** Only the weight of what is found, with all below it. */
function masked(table: FrameTable, { isMatch }: Found): FrameTable {
  const isInside = new Uint8Array(table.tree.length);
  for (let node: NodeId = ROOT; node < isInside.length; node++)
    isInside[node] = isMatch[node] || (node !== ROOT && isInside[table.parent[node]]) ? 1 : 0;
  const self = table.self.map((own, node) => (isInside[node] ? own : 0));
  return { ...table, self, total: summedUp(table.tree, self) };
}
