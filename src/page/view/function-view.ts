/**
 * Collects everything that is shown for one function.
 */
import type { FunctionSums } from '../../analysis/tree/functions.js';
import type { Timeline } from '../../model/profile/timeline.js';
import type { WaitsByPath } from '../../model/profile/waits-by-path.js';
import type { SourceLine } from '../../model/symbol-table.js';
import type { Nanoseconds, SymbolId } from '../../model/units.js';
import type { FrameTable } from '../../render/frames/frame-table.js';
import type { PageThread } from '../data/page-data.js';
import { type CallsView, callsOfFunction, withPercentiles } from './calls/calls-of-function.js';
import type { FrameTables } from './frame-tables.js';
import { memoizeLast } from './memoize-last.js';
import type { SelectedTrees } from './selected-trees.js';
import type { State } from './state.js';
import { chosenRow } from './threads.js';
import { type Bar, barsOf } from './view.js';
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

export class FunctionViews {
  private readonly views: SelectedTrees;
  private readonly tables: FrameTables;
  private readonly single = memoizeLast((state: State, symbol: SymbolId, key: string) =>
    this.callsOf(state, symbol, key),
  );
  /** How often calls arrived from the server. */
  private arrivals = 0;

  constructor(views: SelectedTrees, tables: FrameTables) {
    this.views = views;
    this.tables = tables;
  }

  /** Returns null if the function is not in the view or the trace has no times. */
  at(state: State, symbol: SymbolId): FunctionView | null {
    const { views } = this;
    const view = views.viewAt(state);
    const sums = view.functions().get(symbol);
    if (sums === undefined || !views.hasTimes) return null;
    const calls = this.callsAt(state, symbol);
    return {
      name: views.names[symbol] as string,
      file: views.fileOf(symbol),
      line: views.lineOf(symbol),
      sums: withPercentiles(sums, calls?.durations ?? null),
      allNs: view.allNs(),
      bars: view.bars(symbol) ?? (calls?.durations ? barsOf(calls.durations) : []),
      ...this.tables.callersAndCallees(view.tree, symbol, state.order),
      waits: this.waitsAt(state, symbol),
      calls,
    };
  }

  /** Calls arrived from the server, or there was a fault. */
  addArrival(): void {
    this.arrivals++;
  }

  private callsAt(state: State, symbol: SymbolId): CallsView | null {
    const { views, arrivals } = this;
    const asked = { ...views.askedOf(state), symbol };
    if (views.libraries.collapsedAt(symbol) !== null) return null;
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
