/**
 * The questions that replay can answer beyond the call tree, with functions as flags.
 */

import type { CallTree } from '../model/calls/call-tree.js';
import type { Bounds, Nanoseconds, SymbolId } from '../model/units.js';

/** A set of functions: a flag for each symbol. */
export type FunctionSet = Uint8Array;

/** Calls of some functions, optionally only those within bounds of duration. */
export interface CallSelection {
  readonly functions: FunctionSet;
  /** Both inclusive; inferred calls never match, their duration is unknown. null: all calls. */
  readonly durations: { readonly minNs: Nanoseconds; readonly maxNs: Nanoseconds } | null;
}

/** The selected part of a thread; all conditions must hold. */
export interface CallFilter {
  readonly window: Bounds | null;
  /** Only the inside of these calls. */
  readonly inside: readonly CallSelection[];
  /** Only the inside of these functions, which become the roots; null: the thread is the root. */
  readonly root: FunctionSet | null;
  /** A function that calls itself counts as one call. */
  readonly foldsRecursion: boolean;
}

export interface LatencyQuestion {
  readonly calls: CallSelection;
  /** How many of the longest calls are described. */
  readonly slowest: number;
  /** The time over which calls are recorded (`TimedCalls`); null: not requested. */
  readonly overTime: Bounds | null;
}

/** `count`: the number of symbols. */
export function functionSet(functions: readonly SymbolId[], count: number): FunctionSet {
  const set = new Uint8Array(count);
  for (const symbol of functions) set[symbol] = 1;
  return set;
}

export function isInSet(functions: FunctionSet, symbol: SymbolId): boolean {
  return functions[symbol] === 1;
}

/** The call was made directly by its own function. */
export function isDirectRecursion({ parent, symbol }: Pick<CallTree, 'parent' | 'symbol'>, node: number): boolean {
  return node > 0 && symbol[node] === symbol[parent[node]];
}
