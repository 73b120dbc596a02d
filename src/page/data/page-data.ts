/**
 * Defines the data of the report page: the shape of all trees together, and the numbers of each thread on it.
 */
import type { NodesOfShape, Shape } from '../../model/calls/overlay.js';
import type { Quality, ThreadProfile, TraceMeta } from '../../model/profile/profile.js';
import type { WaitsByPath } from '../../model/profile/waits-by-path.js';
import type { SymbolTable } from '../../model/symbol-table.js';

export interface PageData {
  readonly meta: TraceMeta;
  /** Symbols that a tree or durations use. */
  readonly symbols: SymbolTable;
  readonly quality: Quality;
  /** All call paths of all threads, in pre-order with siblings by name: each subtree is contiguous. */
  readonly shape: Shape;
  readonly threads: readonly PageThread[]; // by tid
  readonly waits: WaitsByPath | null;
}

/** A thread without its tree: its rows are nodes of the shape, ascending; the first is the root. */
export interface PageThread extends Omit<ThreadProfile, 'tree'>, NodesOfShape {}
