/**
 * The columns with what is known of each node of a call tree, shared by trees, files and pages.
 */

export interface NodeColumns {
  readonly calls: Float64Array; // all calls, complete or inferred
  readonly inferredCalls: Float64Array; // calls whose start or end was not seen
  readonly selfNs: Float64Array;
  readonly inferredNs: Float64Array; // the part of selfNs on unconfirmed paths or around hidden jumps
  readonly unwoundCalls: Float64Array; // complete calls that an exception or a longjmp ended
  readonly completeNs: Float64Array; // sum of the durations of complete calls
  readonly minNs: Float64Array; // over complete calls; Infinity if there is none
  readonly maxNs: Float64Array; // -Infinity if there is none
  readonly longestCutNs: Float64Array; // one inferred call lasted at least this long; 0: unknown, or there is none
}

/** The columns in the order in which files and pages have them. */
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

/** Builds one value per column. */
export function nodeColumns<Column>(make: (name: NodeColumn) => Column): Record<NodeColumn, Column> {
  return Object.fromEntries(NODE_COLUMNS.map((name) => [name, make(name)])) as Record<NodeColumn, Column>;
}
