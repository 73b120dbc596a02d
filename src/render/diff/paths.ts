/**
 * The call paths of a comparison as they are drawn, in Node and in the browser, and how each of them changed.
 */

import type { Per } from '../../analysis/compare.js';
import { isWithinNoise, noiseOfSums, scaled } from '../../analysis/compare.js';
import type { NodeId } from '../../model/units.js';
import { type Change, changeLevel } from '../frames/colours.js';
import { type FrameTable, frameTable, subtreeSums } from '../frames/frame-table.js';
import { NO_LIBRARIES } from '../frames/libraries.js';

/** The numbers of one side, by node. */
export interface SideColumns {
  readonly calls: Float64Array;
  readonly inferredCalls: Float64Array;
  readonly selfNs: Float64Array;
  readonly completeNs: Float64Array;
  readonly minNs: Float64Array;
  readonly maxNs: Float64Array;
}

export const SIDE_COLUMNS = ['calls', 'inferredCalls', 'selfNs', 'completeNs', 'minNs', 'maxNs'] as const;

/** What a file holds of a comparison. Nodes are in pre-order. */
export interface PathColumns {
  readonly parent: Int32Array;
  readonly symbol: Int32Array; // rows of names
  readonly names: readonly string[];
  /** Number of frames that a node stands for because they were left out of the file; 0: the node is a frame. */
  readonly omitted: Float64Array;
  readonly before: SideColumns;
  readonly after: SideColumns;
  /** Factors for times and numbers of calls. */
  readonly scales: { readonly before: number; readonly after: number };
  readonly per: Per | null;
  /** Default: the time of all calls. */
  readonly counted?: CountedWeights | undefined;
  /** Default: two recordings. */
  readonly sides?: SideNames | undefined;
}

/** The own weight of each node. */
export interface CountedWeights {
  readonly weight: 'ns' | 'calls';
  readonly before: Float64Array;
  readonly after: Float64Array;
  /** They are the time of all calls of a path. */
  readonly hasNoise: boolean;
}

/** How the sides are called. */
export interface SideNames {
  readonly before: string;
  readonly after: string;
  /** Where the side before is, in a sentence: "before", "in thread 2". */
  readonly than: string;
}

export const RECORDINGS: SideNames = { before: 'before', after: 'after', than: 'before' };

export interface DiffPaths extends PathColumns {
  readonly totals: { readonly before: Float64Array; readonly after: Float64Array }; // scaled, as is `self`
  readonly self: { readonly before: Float64Array; readonly after: Float64Array };
  /** Number of calls in the subtree: whether a side has the path. */
  readonly callsWithin: { readonly before: Float64Array; readonly after: Float64Array };
}

export function diffPaths(columns: PathColumns): DiffPaths {
  const { before, after, scales, counted } = columns;
  const own = counted ?? { before: before.selfNs, after: after.selfNs };
  const times = (values: Float64Array, scale: number) => values.map((value) => scaled(value, scale));
  const sums = (values: { before: Float64Array; after: Float64Array }) => ({
    before: subtreeSums(columns, values.before),
    after: subtreeSums(columns, values.after),
  });
  const totals = sums(own);
  return {
    ...columns,
    self: { before: times(own.before, scales.before), after: times(own.after, scales.after) },
    totals: { before: times(totals.before, scales.before), after: times(totals.after, scales.after) },
    callsWithin: sums({ before: before.calls, after: after.calls }),
  };
}

/** What the width of a frame shows: the time after or before, or the larger of both. */
export const WIDTHS = ['after', 'before', 'larger'] as const;
export type WidthOf = (typeof WIDTHS)[number];

/** Returns the own width of each node. A path that the shown side lacks is as wide as on the other side, so that it is seen. */
export function widthsOf(paths: DiffPaths, widthOf: WidthOf): Float64Array {
  const { self } = paths;
  return self.after.map((after, node) => {
    const before = self.before[node] as number;
    if (widthOf === 'larger') return Math.max(after, before);
    return isThere(paths, node, widthOf) === (widthOf === 'after') ? after : before;
  });
}

/** Returns the table that is drawn. */
export function tableOf(paths: DiffPaths, widthOf: WidthOf): FrameTable {
  const { parent, symbol, names, omitted, after } = paths;
  const nothing = new Float64Array(parent.length);
  const tree = {
    ...{ length: parent.length, parent, symbol, ...after },
    ...{ inferredNs: nothing, unwoundCalls: nothing, longestCutNs: nothing },
  };
  return frameTable(
    { tree, names, families: names.map(() => 'user'), libraries: NO_LIBRARIES, omitted, weight: 'ns' },
    widthsOf(paths, widthOf),
  );
}

/** Whether a side has time or calls on a path, or on a path that continues it. */
export function isThere({ totals, callsWithin }: DiffPaths, node: NodeId, side: 'before' | 'after'): boolean {
  return totals[side][node] > 0 || callsWithin[side][node] > 0;
}

/** How the time of a path changed, with everything that it calls. */
export function changeOf(paths: DiffPaths, node: NodeId): Change {
  if (!isThere(paths, node, 'before')) return isThere(paths, node, 'after') ? 'new' : 'same';
  if (!isThere(paths, node, 'after')) return 'gone';
  const [before, after] = [paths.totals.before[node] as number, paths.totals.after[node] as number];
  if (before === after) return 'same';
  if (isWithinNoise(before, after, totalNoise(paths, node))) return 'noise';
  return after > before ? 'more' : 'less';
}

/** Returns the largest difference of the time of a path that may be chance; NaN if unknown. */
export function totalNoise(paths: DiffPaths, node: NodeId): number {
  return paths.counted?.hasNoise === false ? Number.NaN : noiseAt(paths, node).totalNs;
}

/** Returns the largest difference of average durations that may be chance; NaN if unknown. */
export function averageNoise(paths: DiffPaths, node: NodeId): number {
  return noiseAt(paths, node).avgNs;
}

function noiseAt({ before, after, scales }: DiffPaths, node: NodeId) {
  const at = ({ calls, inferredCalls, selfNs, completeNs, minNs, maxNs }: SideColumns, scale: number) => ({
    ...{ calls: calls[node], inferred: inferredCalls[node], selfNs: selfNs[node], completeNs: completeNs[node] },
    ...{ minNs: minNs[node], maxNs: maxNs[node], histogram: null, scale },
  });
  return noiseOfSums(at(before, scales.before), at(after, scales.after));
}

/** Returns the average duration of complete calls; null if there is none. */
export function averageAt({ calls, inferredCalls, completeNs }: SideColumns, node: NodeId): number | null {
  const complete = calls[node] - inferredCalls[node];
  return complete > 0 ? completeNs[node] / complete : null;
}

/** Returns 1, 2 or 3: how large a change is for this path. New and gone paths are changes of their own. */
export function levelOf({ totals }: DiffPaths, node: NodeId): number {
  return changeLevel(totals.before[node] as number, totals.after[node] as number);
}
