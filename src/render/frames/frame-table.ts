/**
 * What the picture is made from, in the renderer and again in the browser: a tree, names, and what follows from them.
 */
import type { LayoutTree } from '../../layout/layout.js';
import { type CallTree, ROOT } from '../../model/calls/call-tree.js';
import { viewOf } from '../../model/calls/tree-view.js';
import { NONE, type NodeId } from '../../model/units.js';
import type { Family } from './families.js';

/** Nodes stand in pre-order: callers before callees, siblings as they are drawn, a subtree in one run. */
export interface FrameColumns {
  readonly tree: CallTree; // its symbols are rows of names
  readonly names: readonly string[];
  readonly families: readonly Family[]; // one for each name
  /** How many frames a node stands for that are not kept one by one; 0: it is a frame. */
  readonly omitted: Float64Array;
  readonly weight: 'ns' | 'calls';
}

export interface FrameTable extends FrameColumns, LayoutTree {
  readonly self: Float64Array; // by weight, as is total
  readonly inferredTotalNs: Float64Array; // time whose place is a guess, of the node and all below it
}

/** `self`: each node's own weight. */
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
    frames: subtreeSums(
      tree,
      omitted.map((count) => count || 1),
    ),
  };
}

function ownWeight({ tree, weight }: FrameColumns): Float64Array {
  return weight === 'calls' ? tree.calls : tree.selfNs;
}

/** Each node's value and all below it. */
export function subtreeSums({ parent }: Pick<CallTree, 'parent'>, values: Float64Array): Float64Array {
  const sums = values.slice();
  for (let node = parent.length - 1; node > ROOT; node--) sums[parent[node]] += sums[node];
  return sums;
}

/** The node's name; the root stands for everything. */
export function nameOf({ tree, names }: FrameColumns, node: NodeId): string {
  return tree.symbol[node] === NONE ? 'all' : (names[tree.symbol[node]] as string);
}

export function familyOfNode({ tree, families }: FrameColumns, node: NodeId): Family {
  return tree.symbol[node] === NONE ? 'group' : (families[tree.symbol[node]] as Family);
}

/** The first node behind a subtree: nodes stand in pre-order. */
export function subtreeEnd({ parent, nextSibling, tree }: FrameTable, node: NodeId): NodeId {
  let top = node;
  while (top !== NONE && nextSibling[top] === NONE) top = parent[top];
  return top === NONE ? tree.length : nextSibling[top];
}

/** No call of it was seen from start to end. */
export function isInferred({ tree }: FrameColumns, node: NodeId): boolean {
  return tree.calls[node] > 0 && tree.inferredCalls[node] === tree.calls[node];
}
