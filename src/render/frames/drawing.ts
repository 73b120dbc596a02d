/**
 * Boxes → what is to be drawn: the same for the file and for the browser that draws anew.
 */
import { type Boxes, BoxKind } from '../../layout/layout.js';
import type { NodeId } from '../../model/units.js';
import { classOf } from './families.js';
import { isBlock, labelOf } from './frame-details.js';
import { type FrameTable, familyOfNode, isInferred, nameOf } from './frame-table.js';
import { fitLabel } from './labels.js';

export const ROW_PX = 19;
const GAP_PX = 1;
/** How high a frame is: above it a gap is left. */
export const FRAME_PX = ROW_PX - GAP_PX;
const TEXT_LEFT_PX = 5;
const BASELINE_PX = 13;

/** Of the fonts in FONT at 12 px, a character is this wide, or a little less. */
export const CHARACTER_PX = 7.23;

export interface Rectangle {
  readonly box: number;
  readonly xPx: number;
  readonly yPx: number;
  readonly widthPx: number;
  readonly heightPx: number;
  readonly className: string;
  readonly label: string;
  readonly textXPx: number;
  readonly textYPx: number;
  readonly isHatched: boolean;
}

export interface Drawing {
  readonly table: FrameTable;
  readonly boxes: Boxes;
  readonly isIcicle: boolean;
  /** There may be more than the boxes fill. */
  readonly rowCount: number;
  readonly characterPx: number;
  /** What the style sheet calls the colour of a frame. */
  readonly classOf: Paint;
}

export type Paint = (node: NodeId) => string;

/** Each function has a colour, the same in every picture. */
export function paintByFunction(table: FrameTable): Paint {
  return (node) => classOf(familyOfNode(table, node), nameOf(table, node));
}

/** How a frame stands among the others. */
export interface Highlight {
  readonly isCaller: boolean;
  readonly isMarked: boolean;
  /** Others are marked. */
  readonly isDimmed: boolean;
}

/** The classes of a frame in the style sheet of a picture. */
export function pictureClass({ className }: Rectangle, { isCaller, isMarked, isDimmed }: Highlight): string {
  if (isMarked) return 'match';
  return className + (isCaller ? ' caller' : '') + (isDimmed ? ' unmatched' : '');
}

/** A frame that took no time at all has no width, and cannot be drawn. */
export function* rectangles(drawing: Drawing): Generator<Rectangle> {
  for (let box = 0; box < drawing.boxes.length; box++)
    if (drawing.boxes.widthPx[box] > 0) yield rectangleOf(drawing, box);
}

function rectangleOf(drawing: Drawing, box: number): Rectangle {
  const { table, boxes, characterPx } = drawing;
  const yPx = topPx(drawing, boxes.row[box]);
  const full = boxes.widthPx[box];
  const xPx = boxes.xPx[box];
  const columns = Math.floor((full - 2 * TEXT_LEFT_PX) / characterPx);
  return {
    box,
    xPx,
    yPx,
    widthPx: drawnWidthPx(full),
    heightPx: FRAME_PX,
    className: boxClass(drawing, box),
    label: fitLabel(labelOf(table, boxes, box), columns),
    textXPx: xPx + TEXT_LEFT_PX,
    textYPx: yPx + BASELINE_PX,
    isHatched: boxes.kind[box] === BoxKind.Frame && isInferred(table, boxes.node[box]),
  };
}

/** Of a row, from the top of the picture. */
export function topPx({ isIcicle, rowCount }: Pick<Drawing, 'isIcicle' | 'rowCount'>, row: number): number {
  return (isIcicle ? row : rowCount - 1 - row) * ROW_PX;
}

/** Beside a frame a gap is left, but not where it would hide what is narrow. */
export function drawnWidthPx(widthPx: number): number {
  return widthPx >= 3 ? widthPx - GAP_PX : widthPx;
}

function boxClass({ table, boxes, classOf }: Drawing, box: number): string {
  return isBlock(table, boxes, box) ? 'block' : classOf(boxes.node[box]);
}

/** What hatches: ink of the style sheet. */
export const HATCH_PATTERN =
  '<defs><pattern id="hatch" width="7" height="7" patternUnits="userSpaceOnUse"><path d="M-1 8L8 -1M-1 1L1 -1M6 8L8 6"/></pattern></defs>';

/** A part of the one path that hatches them all. */
export function hatchPath({
  xPx,
  yPx,
  widthPx,
  heightPx,
}: Pick<Rectangle, 'xPx' | 'yPx' | 'widthPx' | 'heightPx'>): string {
  return `M${px(xPx)} ${yPx}h${px(widthPx)}v${heightPx}h-${px(widthPx)}z`;
}

/** Two digits behind the point, and no zeros at the end. */
export function px(value: number): string {
  return String(Math.round(value * 100) / 100);
}
