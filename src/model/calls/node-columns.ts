/**
 * What is known of each node of a call tree: the columns that trees, files and pages have alike.
 */

export interface NodeColumns {
  readonly calls: Float64Array; // all calls, seen or inferred
  readonly inferredCalls: Float64Array; // those whose start or end was not seen
  readonly selfNs: Float64Array;
  readonly inferredNs: Float64Array; // the part of selfNs below a frame whose place is a guess, or where control moved unseen
  readonly unwoundCalls: Float64Array; // seen from start to end, but ended by an exception or a longjmp
  readonly completeNs: Float64Array; // durations of the calls seen from start to end, summed
  readonly minNs: Float64Array; // over the same calls; Infinity if there is none
  readonly maxNs: Float64Array; // -Infinity if there is none
  readonly longestCutNs: Float64Array; // one inferred call lasted at least so long; 0: nobody knows, or there is none
}

/** In the order in which files and pages have them. */
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
] as const satisfies readonly (keyof NodeColumns)[];
export type NodeColumn = (typeof NODE_COLUMNS)[number];

/** All of them, each made by its name. */
export function nodeColumns<Column>(make: (name: NodeColumn) => Column): Record<NodeColumn, Column> {
  return Object.fromEntries(NODE_COLUMNS.map((name) => [name, make(name)])) as Record<NodeColumn, Column>;
}
