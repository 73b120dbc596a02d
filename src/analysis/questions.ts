/**
 * What can be asked of a trace beside its whole picture.
 */
import type { CallTree } from '../model/calls/call-tree.js';
import type { Nanoseconds, SymbolId } from '../model/units.js';

/** From the first on, and before the second. */
export interface Bounds {
  readonly startNs: Nanoseconds;
  readonly endNs: Nanoseconds;
}

/** No bounds at all. */
export const UNBOUNDED: Bounds = { startNs: Number.NEGATIVE_INFINITY, endNs: Number.POSITIVE_INFINITY };

/** Functions, told by a flag for each symbol. */
export type FunctionSet = Uint8Array;

/** Calls of some functions; those that took a time between these, if there are bounds. */
export interface CallSelection {
  readonly functions: FunctionSet;
  /** Both inclusive; of a call that was not seen whole nobody knows how long it took. null: all calls. */
  readonly durations: { readonly minNs: Nanoseconds; readonly maxNs: Nanoseconds } | null;
}

/** What of a thread is looked at; all of it must hold. */
export interface CallFilter {
  readonly window: Bounds | null;
  /** Only what happens inside of such calls. */
  readonly inside: readonly CallSelection[];
  /** Only what happens inside of these, which become the roots; null: the thread is. */
  readonly root: FunctionSet | null;
  /** A function that calls itself is one call. */
  readonly foldsRecursion: boolean;
}

export interface LatencyQuestion {
  readonly calls: CallSelection;
  /** How many of the longest calls are to be told of one by one. */
  readonly slowest: number;
}

/** `count`: how many symbols there are. */
export function functionSet(functions: readonly SymbolId[], count: number): FunctionSet {
  const set = new Uint8Array(count);
  for (const symbol of functions) set[symbol] = 1;
  return set;
}

export function isInSet(functions: FunctionSet, symbol: SymbolId): boolean {
  return functions[symbol] === 1;
}

/** The call stands directly on one of its own function. */
export function isDirectRecursion({ parent, symbol }: Pick<CallTree, 'parent' | 'symbol'>, node: number): boolean {
  return node > 0 && symbol[node] === symbol[parent[node]];
}
