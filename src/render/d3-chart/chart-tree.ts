/**
 * Boxes → the data of the chart: as many nodes as can be seen, each with what is drawn in it.
 */
import { type Boxes, BoxKind, weightOfRun } from '../../layout/layout.js';
import type { NodeId } from '../../model/units.js';
import { isBlock, labelOf } from '../frames/facts.js';
import { type FrameTable, isInferred } from '../frames/frame-table.js';
import { fitLabel } from '../frames/labels.js';
import type { Painter } from '../page/view/colouring.js';

/** As d3-flame-graph reads it: a node's value is its weight with all below it. */
export interface ChartNode {
  readonly box: number;
  readonly value: number;
  readonly label: string;
  /** What the style sheet calls the colour. */
  readonly paint: string;
  readonly isCaller: boolean;
  readonly isHatched: boolean;
  readonly children: ChartNode[];
}

export interface Chart {
  readonly table: FrameTable;
  readonly boxes: Boxes;
  readonly painter: Painter;
  readonly characterPx: number;
}

/** Left and right of the text in a frame. */
const PADDING_PX = 10;

/** The root; a frame without any weight is not drawn, but for the one that was asked for. */
export function chartOf(chart: Chart): ChartNode {
  const { table, boxes } = chart;
  const nodes = new Map<NodeId, ChartNode>();
  let root: ChartNode | null = null;
  let nearest: ChartNode | null = null; // of the callers, among which some may be one block
  const runWeight = Math.max(weightOfRun(boxes), 1);
  for (let box = 0; box < boxes.length; box++) {
    const isCaller = box < boxes.firstOfRun;
    if (boxes.widthPx[box] === 0) continue;
    const value = isCaller || (box === boxes.firstOfRun && boxes.total[box] === 0) ? runWeight : boxes.total[box];
    const node = chartNode(chart, box, value as number, isCaller);
    const caller = nodes.get(table.parent[boxes.node[box] as NodeId] as NodeId) ?? nearest;
    caller?.children.push(node);
    root ??= node;
    if (isCaller) nearest = node;
    if (boxes.kind[box] === BoxKind.Frame) nodes.set(boxes.node[box] as NodeId, node);
  }
  if (root === null) throw new Error('a chart without its root');
  return root;
}

function chartNode(
  { table, boxes, painter, characterPx }: Chart,
  box: number,
  value: number,
  isCaller: boolean,
): ChartNode {
  const node = boxes.node[box] as NodeId;
  const isOne = !isBlock(table, boxes, box);
  const columns = Math.floor(((boxes.widthPx[box] as number) - PADDING_PX) / characterPx);
  return {
    box,
    value,
    label: columns < 1 ? '' : fitLabel(labelOf(table, boxes, box), columns),
    paint: isOne ? painter.classOf(node) : 'block',
    isCaller,
    isHatched: isOne && isInferred(table, node),
    children: [],
  };
}
