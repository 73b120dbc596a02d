/**
 * Defines the data of the report page: the shape of all trees together, and the numbers of each thread on it.
 */
import type { NodeColumns } from '../../../model/calls/node-columns.js';
import type { SymbolTable } from '../../../model/names/symbol-table.js';
import type { ThreadProfile, TraceMeta } from '../../../model/profile/profile.js';
import type { Quality } from '../../../model/profile/quality.js';

export interface PageData {
  readonly meta: TraceMeta;
  /** Symbols that a tree or durations use. */
  readonly symbols: SymbolTable;
  readonly quality: Quality;
  readonly shape: Shape;
  readonly threads: readonly PageThread[]; // by tid
}

/** All call paths of all threads, each once, in pre-order with siblings by name: each subtree is contiguous. */
export interface Shape {
  readonly length: number;
  readonly parent: Int32Array; // NodeId | NONE
  readonly symbol: Int32Array; // SymbolId | NONE
}

/** A thread without its tree. The columns are those of a tree, with one row per node of the thread. */
export interface PageThread extends Omit<ThreadProfile, 'tree'>, NodeColumns {
  /** The nodes of the shape that the thread has, ascending; always includes the root. */
  readonly node: Int32Array;
}
