/**
 * What is known of each node of a call tree: the columns that trees, files and pages have alike.
 */
import type { CallTree } from './call-tree.js';

/** In the order in which files and pages have them; what it says of calls is in `CallTree`. */
export const NODE_COLUMNS = [
  'calls',
  'inferredCalls',
  'selfNs',
  'inferredNs',
  'unwoundCalls',
  'completeNs',
  'longestCutNs',
  'minNs',
  'maxNs',
] as const satisfies readonly (keyof CallTree)[];
export type NodeColumn = (typeof NODE_COLUMNS)[number];
export type NodeColumns = Pick<CallTree, NodeColumn>;

/** All of them, each made by its name. */
export function nodeColumns<Column>(make: (name: NodeColumn) => Column): Record<NodeColumn, Column> {
  return Object.fromEntries(NODE_COLUMNS.map((name) => [name, make(name)])) as Record<NodeColumn, Column>;
}
