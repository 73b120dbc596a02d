/**
 * Lays out the part of a call tree that is in view as boxes.
 */
import { float64Column, int32Column } from '../model/columns.js';
import { NONE, type NodeId } from '../model/units.js';

/**
 * Input and output of the layout: a tree with weights, and boxes.
 *
 * The columns of a tree that the layout needs. Weights are whole numbers: nanoseconds or calls.
 */
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

interface Box {
  readonly kind: BoxKind;
  readonly node: NodeId;
  readonly lastNode: NodeId;
  readonly row: number;
  readonly start: number;
  readonly total: number;
  readonly frames: number;
}

export const MAX_ROWS = 500;
const MAX_CALLERS = 50;
/** A block that is opened is split into about this many smaller blocks; otherwise it would stay one block. */
const BLOCKS_PER_SPLIT = 16;

/** Lays out a view. The cost depends on the number of visible frames, not on the size of the tree. */
export function layout(tree: LayoutTree, view: LayoutView): Boxes {
  const builder = new BoxesBuilder(tree, view);
  builder.addCallers();
  builder.addView();
  return builder.build();
}

class BoxesBuilder {
  private readonly view: Required<LayoutView>;
  private readonly viewTotal: number;
  private readonly firstRow: number;
  private readonly callers: readonly NodeId[];
  private readonly kind = int32Column();
  private readonly node = int32Column();
  private readonly lastNode = int32Column();
  private readonly row = int32Column();
  /** Left edge of a box as a weight: whole numbers add up exactly, pixels do not. */
  private readonly start = float64Column();
  private readonly total = float64Column();
  private readonly frames = float64Column();
  private viewStart = 0;

  constructor(
    private readonly tree: LayoutTree,
    view: LayoutView,
  ) {
    this.view = { maxRows: MAX_ROWS, maxCallers: MAX_CALLERS, ...view };
    this.callers = callersOf(tree, view.first);
    this.firstRow = Math.min(this.callers.length, this.view.maxCallers);
    this.viewTotal = sumSiblings(tree, tree.total, view.first, view.last);
  }

  /** Adds the callers from the root to the nearest one, each as wide as the view. */
  addCallers(): void {
    const { callers, firstRow, tree } = this;
    const skipped = callers.length - firstRow;
    for (let row = 0; row < firstRow; row++) {
      const caller = callers[row === 0 ? 0 : row + skipped];
      const kind = skipped > 0 && row === 1 ? BoxKind.Callers : BoxKind.Frame;
      const frames = kind === BoxKind.Callers ? skipped + 1 : 1;
      this.add({ kind, node: caller, lastNode: caller, row, start: 0, total: tree.total[caller], frames });
    }
    this.viewStart = firstRow;
  }

  /** Adds the siblings in view and all below. The boxes are also the work list: each adds its callees in the next row. */
  addView(): void {
    this.addSiblings(this.view.first, this.view.last, 0, this.firstRow);
    for (let box = this.viewStart; box < this.kind.length; box++) {
      const child = this.tree.firstChild[this.node.values[box]];
      if (this.kind.values[box] !== BoxKind.Frame || child === NONE) continue;
      const start = this.start.values[box];
      const row = this.row.values[box] + 1;
      if (row - this.firstRow < this.view.maxRows) this.addSiblings(child, NONE, start, row);
      else this.addBlock(BoxKind.Deep, child, this.lastSibling(child), start, row);
    }
  }

  build(): Boxes {
    const { length } = this.kind;
    const perWeight = this.viewTotal > 0 ? this.view.widthPx / this.viewTotal : 0;
    const rows = this.row.view();
    return {
      length,
      viewStart: this.viewStart,
      rowCount: length === 0 ? 0 : rows[length - 1] + 1,
      kind: Uint8Array.from(this.kind.view()),
      node: this.node.view(),
      lastNode: this.lastNode.view(),
      row: rows,
      xPx: this.start.view().map((start) => start * perWeight),
      widthPx: this.total.view().map((total, box) => this.widthOf(box, total * perWeight)),
      total: this.total.view(),
      frames: this.frames.view(),
    };
  }

  /** Callers and a single frame in view fill the width, even if their time is zero. */
  private widthOf(box: number, widthPx: number): number {
    return box < this.viewStart || (box === this.viewStart && this.isSingle) ? this.view.widthPx : widthPx;
  }

  private addSiblings(first: NodeId, last: NodeId, start: number, row: number): void {
    const { total, nextSibling } = this.tree;
    const isTopLevel = row === this.firstRow;
    const smallest = isTopLevel && this.isSingle ? 0 : this.minWeight();
    const largestBlock =
      isTopLevel && this.viewTotal > 0 ? this.viewTotal / BLOCKS_PER_SPLIT : Number.POSITIVE_INFINITY;
    let blockFirst: NodeId = NONE;
    let blockStart = start;
    let previous: NodeId = NONE;
    let x = start;
    for (let node = first; node !== NONE; node = node === last ? NONE : nextSibling[node]) {
      const isSmall = total[node] < smallest;
      if (blockFirst !== NONE && (!isSmall || x - blockStart >= largestBlock)) {
        this.addBlock(BoxKind.Small, blockFirst, previous, blockStart, row);
        blockFirst = NONE;
      }
      if (!isSmall) {
        this.add({ kind: BoxKind.Frame, node, lastNode: node, row, start: x, total: total[node], frames: 1 });
      } else if (blockFirst === NONE) {
        blockFirst = node;
        blockStart = x;
      }
      x += total[node];
      previous = node;
    }
    if (blockFirst !== NONE) this.addBlock(BoxKind.Small, blockFirst, previous, blockStart, row);
  }

  /** A single frame is in view: it is drawn even if its time is zero. */
  private get isSingle(): boolean {
    return this.view.first === this.view.last;
  }

  /** Returns the weight of a frame that is `minPx` wide. */
  private minWeight(): number {
    return this.viewTotal > 0 ? (this.view.minPx * this.viewTotal) / this.view.widthPx : Number.POSITIVE_INFINITY;
  }

  private addBlock(kind: BoxKind, node: NodeId, lastNode: NodeId, start: number, row: number): void {
    const { total, frames } = this.tree;
    const weight = sumSiblings(this.tree, total, node, lastNode);
    this.add({
      kind,
      node,
      lastNode,
      row,
      start,
      total: weight,
      frames: sumSiblings(this.tree, frames, node, lastNode),
    });
  }

  private lastSibling(node: NodeId): NodeId {
    const { nextSibling } = this.tree;
    let last = node;
    while (nextSibling[last] !== NONE) last = nextSibling[last];
    return last;
  }

  private add(box: Box): void {
    this.kind.push(box.kind);
    this.node.push(box.node);
    this.lastNode.push(box.lastNode);
    this.row.push(box.row);
    this.start.push(box.start);
    this.total.push(box.total);
    this.frames.push(box.frames);
  }
}

/** Returns the callers from the root down to the parent. */
function callersOf({ parent }: LayoutTree, node: NodeId): NodeId[] {
  const callers: NodeId[] = [];
  for (let caller = parent[node]; caller !== NONE; caller = parent[caller]) callers.push(caller);
  return callers.reverse();
}

/** Sums a column over siblings, from the first to the last. */
export function sumSiblings({ nextSibling }: LayoutTree, column: Float64Array, first: NodeId, last: NodeId): number {
  let sum = 0;
  for (let node = first; node !== NONE; node = node === last ? NONE : nextSibling[node]) sum += column[node];
  return sum;
}
