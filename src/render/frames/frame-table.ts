/**
 * Defines the table that a flame graph is drawn from, in Node and in the browser: a tree, its names, and derived columns.
 */

import { type CallTree, ROOT } from '../../model/calls/call-tree.js';
import { viewOf } from '../../model/calls/tree-view.js';
import type { SymbolTable } from '../../model/symbol-table.js';
import { dsoOf, filesBehindNames } from '../../model/symbol-table.js';
import { NONE, type NodeId, type SymbolId } from '../../model/units.js';
import type { LayoutTree } from '../layout.js';
import { visibleText } from '../visible-text.js';
import type { Family } from './colours.js';
import type { Libraries } from './libraries.js';

/** Nodes are in pre-order: callers before callees, siblings as drawn, each subtree contiguous. */
export interface FrameColumns {
  readonly tree: CallTree; // its symbols are rows of names
  readonly names: readonly string[];
  readonly families: readonly Family[]; // one for each name
  readonly libraries: Libraries; // by name
  /** Number of frames that a node stands for because they were left out of the file; 0: the node is a frame. */
  readonly omitted: Float64Array;
  readonly weight: 'ns' | 'calls';
}

export interface FrameTable extends FrameColumns, LayoutTree {
  readonly self: Float64Array; // in the unit of `weight`, as is total
  readonly inferredTotalNs: Float64Array; // inferred time of the subtree
  /** It shows blocked time: only frames that say whom a thread waited for are counted. */
  readonly isOfWaits: boolean;
  /** Paths begin at their ends: below the root are the functions that ran themselves, for their own time. Default: false. */
  readonly isInverted?: boolean;
}

/** Derives the columns. `self`: each node's own weight. */
export function frameTable(columns: FrameColumns, self = ownWeight(columns)): FrameTable {
  const { tree, omitted } = columns;
  const { firstChild, nextSibling } = viewOf(tree);
  return {
    ...columns,
    parent: tree.parent,
    firstChild,
    nextSibling,
    self,
    total: subtreeSums(tree, self),
    inferredTotalNs: subtreeSums(tree, tree.inferredNs),
    isOfWaits: columns.families.includes('wait'),
    frames: subtreeSums(
      tree,
      omitted.map((count) => count || 1),
    ),
  };
}

function ownWeight({ tree, weight }: FrameColumns): Float64Array {
  return weight === 'calls' ? tree.calls : tree.selfNs;
}

/** Sums values over the subtree of each node. */
export function subtreeSums({ parent }: Pick<CallTree, 'parent'>, values: Float64Array): Float64Array {
  const sums = values.slice();
  for (let node = parent.length - 1; node > ROOT; node--) sums[parent[node]] += sums[node];
  return sums;
}

/** Returns the name of a node; the root is "all". */
export function nameOf({ tree, names }: FrameColumns, node: NodeId): string {
  return tree.symbol[node] === NONE ? 'all' : (names[tree.symbol[node]] as string);
}

export function familyOfNode({ tree, families }: FrameColumns, node: NodeId): Family {
  return tree.symbol[node] === NONE ? 'group' : (families[tree.symbol[node]] as Family);
}

/** Returns the place of the node's library in their order; NONE: not recorded, or no function. */
export function libraryOfNode({ tree, libraries }: FrameColumns, node: NodeId): number {
  return tree.symbol[node] === NONE ? NONE : (libraries.of[tree.symbol[node]] ?? NONE);
}

/** Returns the first node after a subtree; nodes are in pre-order. */
export function subtreeEnd({ parent, nextSibling, tree }: FrameTable, node: NodeId): NodeId {
  let top = node;
  while (top !== NONE && nextSibling[top] === NONE) top = parent[top];
  return top === NONE ? tree.length : nextSibling[top];
}

/** Whether all calls of a node are inferred. */
export function isInferred({ tree }: FrameColumns, node: NodeId): boolean {
  return tree.calls[node] > 0 && tree.inferredCalls[node] === tree.calls[node];
}

/**
 * Names functions for display, with the file if another file has a function of the same name.
 *
 * Returns the names by symbol. `used`: the functions that are shown; null: all.
 */
export function frameNames(symbols: SymbolTable, used: ReadonlySet<SymbolId> | null = null): readonly string[] {
  const rows = symbols.name.map((_, row) => row).filter((row) => used === null || used.has(row));
  const named = rows.map((row) => ({ name: symbols.name[row] as string, dso: dsoOf(symbols, row) }));
  const suffixes = filesBehindNames(named);
  const names = symbols.name.map(visibleText);
  rows.forEach((row, at) => {
    names[row] += visibleText(suffixes[at] as string);
  });
  return names;
}
