/**
 * What the report page works on: the shape of all threads' trees together, and each thread's own numbers on it.
 */
import type { NodeColumns } from '../../../model/calls/node-columns.js';
import type { SymbolTable } from '../../../model/names/symbol-table.js';
import type { ThreadProfile, TraceMeta } from '../../../model/profile/profile.js';
import type { Quality } from '../../../model/profile/quality.js';

export interface PageData {
  readonly meta: TraceMeta;
  /** Those that a tree or durations use. */
  readonly symbols: SymbolTable;
  readonly quality: Quality;
  readonly shape: Shape;
  readonly threads: readonly PageThread[]; // by tid
}

/** Every path of callers that any thread has, once. A subtree is a run of nodes, siblings stand by name. */
export interface Shape {
  readonly length: number;
  readonly parent: Int32Array; // NodeId | NONE
  readonly symbol: Int32Array; // SymbolId | NONE
}

/** A thread without its tree. The columns mean what they mean in a tree, and have one row for each of its nodes. */
export interface PageThread extends Omit<ThreadProfile, 'tree'>, NodeColumns {
  /** The nodes of the shape that the thread has, ascending; the root is always one. */
  readonly node: Int32Array;
}
