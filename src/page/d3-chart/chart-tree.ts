/**
 * Builds the tree that d3-flame-graph draws from rectangles.
 */

import { type Drawing, type Rectangle, rectangles } from '../../render/frames/drawing.js';
import { BoxKind, viewWeight } from '../../render/layout.js';

/** A node as the library expects it: its value is the weight of the subtree. */
export interface ChartNode extends Rectangle {
  readonly value: number;
  readonly children: ChartNode[];
}

/** Returns the root. Frames without weight are not drawn, except the one zoomed in on. */
export function chartOf(drawing: Drawing, drawn: Iterable<Rectangle> = rectangles(drawing)): ChartNode {
  const { boxes, table } = drawing;
  const nodes = new Map<number, ChartNode>();
  let root: ChartNode | null = null;
  let nearest: ChartNode | null = null; // nearest caller, possibly a block of callers
  const viewTotal = Math.max(viewWeight(boxes), 1);
  for (const rectangle of drawn) {
    const { box } = rectangle;
    const isCaller = box < boxes.viewStart;
    const isFullWidth = isCaller || (box === boxes.viewStart && boxes.total[box] === 0);
    const node = { ...rectangle, value: isFullWidth ? viewTotal : boxes.total[box], children: [] };
    const caller = nodes.get(table.parent[boxes.node[box]]) ?? nearest;
    caller?.children.push(node);
    root ??= node;
    if (isCaller) nearest = node;
    if (boxes.kind[box] === BoxKind.Frame) nodes.set(boxes.node[box], node);
  }
  if (root === null) throw new Error('a chart without its root');
  return root;
}
