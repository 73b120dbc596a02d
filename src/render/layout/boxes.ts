/**
 * Input and output of the layout: a tree with weights, and boxes.
 */
import type { NodeId } from '../../model/units.js';

/** The columns of a tree that the layout needs. Weights are whole numbers: nanoseconds or calls. */
export interface LayoutTree {
  readonly parent: Int32Array; // NodeId | NONE
  readonly firstChild: Int32Array; // NodeId | NONE, as is nextSibling
  readonly nextSibling: Int32Array;
  readonly total: Float64Array; // weight of the subtree
  readonly frames: Float64Array; // number of frames in the subtree
}

/** What is in view: siblings that fill the width, usually only the frame zoomed in on. */
export interface LayoutView {
  readonly first: NodeId;
  readonly last: NodeId;
  readonly widthPx: number;
  /** Narrower frames are merged with their narrow neighbours. */
  readonly minPx: number;
  /** Rows from the siblings in view upwards; deeper frames become one block per frame of the last row. */
  readonly maxRows?: number;
  /** Rows of callers; if there are more callers, those between the root and the nearest ones become one block. */
  readonly maxCallers?: number;
}

export const BoxKind = {
  Frame: 0,
  /** Adjacent siblings that are too narrow to draw, with their subtrees. */
  Small: 1,
  /** Callees of a frame in the last row. */
  Deep: 2,
  /** Callers that were skipped. */
  Callers: 3,
} as const;
export type BoxKind = (typeof BoxKind)[keyof typeof BoxKind];

/** Boxes row by row, each row from left to right. */
export interface Boxes {
  readonly length: number;
  /** The first box of the siblings in view; the boxes before it are their callers. */
  readonly viewStart: number;
  readonly rowCount: number;
  readonly kind: Uint8Array; // BoxKind
  readonly node: Int32Array; // NodeId; for a block, the first of its siblings
  readonly lastNode: Int32Array; // NodeId; for a block, the last of its siblings
  readonly row: Int32Array;
  readonly xPx: Float64Array;
  readonly widthPx: Float64Array;
  readonly total: Float64Array;
  readonly frames: Float64Array; // number of frames in a block; 1 for a frame
}

/** Returns the weight of what fills the width. */
export function viewWeight({ row, total, viewStart, length }: Boxes): number {
  let weight = 0;
  for (let box = viewStart; box < length && row[box] === row[viewStart]; box++) weight += total[box];
  return weight;
}
