/**
 * Collects everything that is shown for one function.
 */
import { averageNoise } from '../../analysis/compare.js';
import type { FunctionSums } from '../../analysis/tree/functions.js';
import type { Timeline } from '../../model/profile/timeline.js';
import type { WaitsByPath } from '../../model/profile/waits-by-path.js';
import type { SourceLine } from '../../model/symbol-table.js';
import type { Nanoseconds, SymbolId } from '../../model/units.js';
import type { SideNames } from '../../render/diff/paths.js';
import type { FrameTable } from '../../render/frames/frame-table.js';
import type { PageThread } from '../data/page-data.js';
import { type CallsView, callsOfFunction, withPercentiles } from './calls/calls-of-function.js';
import { compareFunctions, nothingOf, timedRows } from './compared-functions.js';
import type { ComparedTable, Sides } from './comparison.js';
import type { FrameTables } from './frame-tables.js';
import { memoizeLast } from './memoize-last.js';
import type { SelectedTrees } from './selected-trees.js';
import type { State } from './state.js';
import { chosenRow } from './threads.js';
import { type Bar, barsOf, type FunctionRow, type View } from './view.js';
import { type WaitNames, type WaitsOfFunction, waitsOfFunction } from './waits.js';

/** Everything shown for the selected function. */
export interface FunctionView {
  readonly name: string;
  readonly file: string;
  /** null: unknown. */
  readonly line: SourceLine | null;
  readonly sums: FunctionSums;
  readonly allNs: Nanoseconds;
  /** By how much the average may differ by chance; NaN: unknown. */
  readonly averageNoiseNs: Nanoseconds;
  readonly bars: readonly Bar[];
  readonly callers: FrameTable;
  readonly callees: FrameTable;
  /** It is what a stack of a fiber begins with: who went on with that, in the whole recording, most often first. */
  readonly resumedBy: readonly Resumption[];
  /** What the stacks begin with that it went on with. */
  readonly resumes: readonly Resumption[];
  /** Both sides of a comparison; null: nothing is compared. */
  readonly compared: ComparedFunction | null;
  /** null: none, or nothing is known of them. */
  readonly waits: WaitsView | null;
  /** null: single calls are not known. */
  readonly calls: CallsView | null;
}

export interface Resumption {
  readonly symbol: SymbolId;
  readonly name: string;
  readonly times: number;
}

export interface ComparedFunction {
  readonly names: SideNames;
  readonly row: FunctionRow;
  readonly callers: ComparedTable;
  readonly callees: ComparedTable;
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

/** Trees that may be those of one side of a comparison. */
export interface ComparableTrees extends SelectedTrees {
  readonly sidesAt: (state: State) => Sides | null;
  readonly viewBefore: (sides: Sides) => View;
  readonly isInView: (state: State, symbol: SymbolId) => boolean;
}

export class FunctionViews {
  private readonly single = memoizeLast((state: State, symbol: SymbolId, key: string) =>
    this.callsOf(state, symbol, key),
  );
  /** How often calls arrived from the server. */
  private arrivals = 0;

  constructor(
    private readonly views: ComparableTrees,
    private readonly tables: FrameTables,
  ) {}

  /** Returns null if the function is not in the view or the trace has no times. */
  at(state: State, symbol: SymbolId): FunctionView | null {
    const { views } = this;
    const view = views.viewAt(state);
    if (!views.hasTimes || !views.isInView(state, symbol)) return null;
    const known = view.functions().get(symbol);
    const sums = known ?? nothingOf(symbol).sums;
    const calls = known === undefined ? null : this.callsAt(state, symbol);
    return {
      name: views.names[symbol] as string,
      file: views.fileOf(symbol),
      line: views.lineOf(symbol),
      sums: withPercentiles(sums, calls?.durations ?? null),
      allNs: view.allNs(),
      averageNoiseNs: averageNoise(sums, view.histogram(symbol)),
      bars: view.bars(symbol) ?? (calls?.durations ? barsOf(calls.durations) : []),
      ...this.tables.callersAndCallees(view.tree, symbol, state.order),
      ...this.resumptionsAt(state, symbol),
      compared: this.comparedAt(state, view, symbol),
      waits: this.waitsAt(state, symbol),
      calls,
    };
  }

  private resumptionsAt(state: State, symbol: SymbolId): Pick<FunctionView, 'resumedBy' | 'resumes'> {
    const { views } = this;
    const { threads } = views.dataAt(state);
    const counts = { resumedBy: new Map<SymbolId, number>(), resumes: new Map<SymbolId, number>() };
    const count = (sums: Map<SymbolId, number>, other: SymbolId, times: number) =>
      sums.set(other, (sums.get(other) ?? 0) + times);
    for (const index of chosenRow(views.threads, state.threads, state.hidesIdle).threads) {
      const { stack = [], by = [], times = [] } = (threads[index] as PageThread).resumptions ?? {};
      for (const [row, number] of times.entries()) {
        if (stack[row] === symbol) count(counts.resumedBy, by[row] as SymbolId, number);
        if (by[row] === symbol) count(counts.resumes, stack[row] as SymbolId, number);
      }
    }
    const listed = (sums: ReadonlyMap<SymbolId, number>) =>
      Array.from(sums, ([other, times]) => ({ symbol: other, name: views.names[other] as string, times })).sort(
        (a, b) => b.times - a.times,
      );
    return { resumedBy: listed(counts.resumedBy), resumes: listed(counts.resumes) };
  }

  private comparedAt(state: State, after: View, symbol: SymbolId): ComparedFunction | null {
    const { views, tables } = this;
    const sides = views.sidesAt(state);
    if (sides === null) return null;
    const before = views.viewBefore(sides);
    const rows = compareFunctions(timedRows(before), timedRows(after), sides, true).rows;
    const row = rows.find(({ sums }) => sums.symbol === symbol);
    const trees = { before: before.tree, after: after.tree };
    return { names: sides.names, row: row as FunctionRow, ...tables.comparedCallersAndCallees(trees, symbol, sides) };
  }

  /** Calls arrived from the server, or there was a fault. */
  addArrival(): void {
    this.arrivals++;
  }

  private callsAt(state: State, symbol: SymbolId): CallsView | null {
    const { views, arrivals } = this;
    const asked = { ...views.askedOf(state), symbol };
    if (views.libraries.collapsedAt(symbol) !== null || views.isBlockedAt(state)) return null;
    return views.timeline && this.single({ ...asked, arrivals }, state, symbol, JSON.stringify(asked));
  }

  private callsOf(state: State, symbol: SymbolId, key: string): CallsView | null {
    const { views } = this;
    const { tree, functions } = views.viewAt(state);
    return callsOfFunction({
      data: views.data,
      timeline: views.timeline as Timeline,
      range: views.rangeAt(state),
      indexes: chosenRow(views.threads, state.threads, state.hidesIdle).threads,
      ...{ filters: views.filtersAt(state), symbol, tree },
      sums: functions().get(symbol) as FunctionSums,
      server: views.server,
      key,
    });
  }

  private waitsAt(state: State, symbol: SymbolId): WaitsView | null {
    const { views } = this;
    const { waits, threads, meta } = views.dataAt(state);
    const indexes = chosenRow(views.threads, state.threads, state.hidesIdle).threads;
    const tids = new Set(indexes.map((index) => (threads[index] as PageThread).tid));
    const found = waits && waitsOfFunction(waits, tids, views.filtersAt(state), symbol);
    if (waits === null || found === null) return null;
    return {
      waits: found,
      names: { threads: waits.threads, functions: views.names },
      unlisted: waits.unlisted,
      originNs: meta.startNs,
      meanwhile: this.tables.ofTimes(waits.paths, found.meanwhileNs),
    };
  }
}
