/**
 * What layout works on, and what comes of it.
 */
import type { NodeId } from '../model/units.js';

/** What layout has to know of a tree. Weights are whole numbers: nanoseconds or calls. */
export interface LayoutTree {
  readonly parent: Int32Array; // NodeId | NONE
  readonly firstChild: Int32Array; // NodeId | NONE, as is nextSibling
  readonly nextSibling: Int32Array;
  readonly total: Float64Array; // weight of the node and all below it
  readonly frames: Float64Array; // how many frames it stands for, with those below it
}

/** A run of siblings fills the width; mostly of one, the frame that was zoomed in on. */
export interface LayoutView {
  readonly first: NodeId;
  readonly last: NodeId;
  readonly widthPx: number;
  /** Narrower frames are merged with their equally narrow neighbours. */
  readonly minPx: number;
  /** Rows from the run upwards; what is deeper is one block for each frame of the last row. */
  readonly maxRows?: number;
  /** Callers below the run; of more, the ones between the root and the nearest are one block. */
  readonly maxCallers?: number;
}

export const BoxKind = {
  Frame: 0,
  /** Neighbours that are too narrow to be drawn one by one, with all that is below them. */
  Small: 1,
  /** What the last row called. */
  Deep: 2,
  /** Callers that were passed over. */
  Callers: 3,
} as const;
export type BoxKind = (typeof BoxKind)[keyof typeof BoxKind];

/** Row by row, from left to right in each. */
export interface Boxes {
  readonly length: number;
  /** The first box that is part of the run; those before it are its callers. */
  readonly firstInView: number;
  readonly rowCount: number;
  readonly kind: Uint8Array; // BoxKind
  readonly node: Int32Array; // NodeId; of a block, the first of its siblings
  readonly lastNode: Int32Array; // the last of them
  readonly row: Int32Array;
  readonly xPx: Float64Array;
  readonly widthPx: Float64Array;
  readonly total: Float64Array;
  readonly frames: Float64Array; // how many frames a block stands for; of a frame, 1
}

/** Of what fills the width. */
export function viewWeight({ row, total, firstInView, length }: Boxes): number {
  let weight = 0;
  for (let box = firstInView; box < length && row[box] === row[firstInView]; box++) weight += total[box];
  return weight;
}
