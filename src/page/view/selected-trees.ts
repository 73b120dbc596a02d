/**
 * Computes the trees that the page shows for a state: of the selected threads, in the time range, after focus, hiding and
 * folding. Each step is cached until its inputs change.
 */
import { type Bounds, functionSet } from '../../analysis/questions.js';
import { recordsSwitches } from '../../analysis/tree/outside.js';
import { excludeFunctions, foldRecursion, reroot } from '../../analysis/tree/reshape.js';
import { mergeDurations } from '../../model/calls/durations.js';
import { dsoOf } from '../../model/names/symbol-order.js';
import { lineOf, type SourceLine } from '../../model/names/symbol-table.js';
import type { Timeline } from '../../model/timeline/timeline.js';
import type { SymbolId } from '../../model/units.js';
import type { PageData, PageThread } from '../data/page-data.js';
import { treeOf } from '../data/tree-of.js';
import { FrameTables } from './frame-tables.js';
import { LinkNames } from './link-names.js';
import { memoizeLast, once } from './memoize-last.js';
import type { AllCalls } from './served/all-calls.js';
import type { State } from './state.js';
import { chosenRow, type ThreadRow, threadRows } from './threads.js';
import { snappedRange } from './time/range.js';
import { RangeData } from './time/range-data.js';
import { type View, viewOfPart, viewOfTree } from './view.js';
import { WakingIndex } from './wakings/waking-index.js';

export class SelectedTrees {
  readonly data: PageData;
  readonly names: readonly string[];
  readonly linkNames: LinkNames;
  readonly threads: readonly ThreadRow[];
  /** The trace has times; otherwise only calls. */
  readonly hasTimes: boolean;
  readonly hasSwitches: boolean;
  /** All time is blocked time: widths, columns and colours about CPUs and calls would say nothing true of it. */
  readonly isBlockedTime: boolean;
  /** The timeline; null: none, or it has not been read yet, which happens after the first picture. */
  timeline: Timeline | null = null;
  /** Has all calls of functions; null: the page is a file. */
  server: AllCalls | null = null;
  protected readonly tables: FrameTables;
  private readonly ranges = once(() => new RangeData(this.data, this.timeline as Timeline));
  private readonly ranged = memoizeLast((range: Bounds) => this.ranges().within(range));
  private readonly ofThreads = memoizeLast((indexes: readonly number[]) => this.viewOfThreads(indexes));
  private readonly ofThreadsInRange = memoizeLast((full: View, data: PageData, indexes: readonly number[]) =>
    viewOfPart(treeOf(data, indexes), full, this.hasSwitches),
  );
  private readonly reshaped = memoizeLast((view: View, state: State) => this.reshape(view, state));

  private readonly indexed = memoizeLast(
    (timeline: Timeline) => timeline.wakings && new WakingIndex(timeline.wakings, timeline),
  );

  constructor(data: PageData) {
    this.data = data;
    this.hasSwitches = recordsSwitches(data.shape, data.meta.hasSwitches);
    this.isBlockedTime = data.meta.isBlockedTime ?? false;
    this.tables = new FrameTables(data.symbols, this.hasSwitches);
    this.names = this.tables.names;
    this.linkNames = new LinkNames(data.symbols);
    this.hasTimes = data.meta.weight === 'ns';
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

  /** Returns the time range that is shown, between borders of slices; null: all of it. */
  rangeAt({ range }: State): Bounds | null {
    return range && this.timeline && snappedRange(this.timeline, range);
  }

  /** Cache key of `rangeAt`. */
  rangeKey(state: State): string {
    const range = this.rangeAt(state);
    return range === null ? '' : `${range.startNs}-${range.endNs}`;
  }

  /** Who woke whom; null: not known. */
  get wakings(): WakingIndex | null {
    return this.timeline && this.indexed('', this.timeline);
  }

  /** Returns the data of the time range that is shown. */
  dataAt(state: State): PageData {
    const range = this.rangeAt(state);
    return range === null ? this.data : this.ranged(this.rangeKey(state), range);
  }

  /** Prepares one more thread for time ranges; returns false if all are prepared. */
  prepareRanges(): boolean {
    return this.timeline?.sumsSliceNs != null && this.ranges().prepare();
  }

  /** Returns the file of a function; empty if unknown. */
  fileOf(symbol: SymbolId): string {
    return dsoOf(this.data.symbols, symbol) ?? '';
  }

  /** Returns where a function begins in source code; null: unknown. */
  lineOf(symbol: SymbolId): SourceLine | null {
    return lineOf(this.data.symbols, symbol);
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
