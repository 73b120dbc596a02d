/**
 * Rectangles → the tree that d3-flame-graph draws.
 */
import { BoxKind, viewWeight } from '../../layout/layout.js';
import { type Drawing, type Rectangle, rectangles } from '../frames/drawing.js';

/** As the library reads it: a node's value is its weight with all below it. */
export interface ChartNode extends Rectangle {
  readonly value: number;
  readonly children: ChartNode[];
}

/** The root; a frame without any weight is not drawn, but for the one that was asked for. */
export function chartOf(drawing: Drawing, drawn: Iterable<Rectangle> = rectangles(drawing)): ChartNode {
  const { boxes, table } = drawing;
  const nodes = new Map<number, ChartNode>();
  let root: ChartNode | null = null;
  let nearest: ChartNode | null = null; // of the callers, among which some may be one block
  const runWeight = Math.max(viewWeight(boxes), 1);
  for (const rectangle of drawn) {
    const { box } = rectangle;
    const isCaller = box < boxes.firstInView;
    const isAsWide = isCaller || (box === boxes.firstInView && boxes.total[box] === 0);
    const node = { ...rectangle, value: isAsWide ? runWeight : boxes.total[box], children: [] };
    const caller = nodes.get(table.parent[boxes.node[box]]) ?? nearest;
    caller?.children.push(node);
    root ??= node;
    if (isCaller) nearest = node;
    if (boxes.kind[box] === BoxKind.Frame) nodes.set(boxes.node[box], node);
  }
  if (root === null) throw new Error('a chart without its root');
  return root;
}
