/**
 * Turns boxes into rectangles with labels. The renderer in Node and the browser share this code.
 */

import type { NodeId } from '../../model/units.js';
import type { Boxes } from '../layout.js';
import { classOf } from './colours.js';
import { isBlock, labelOf } from './frame-details.js';
import { type FrameTable, familyOfNode, isInferred, libraryOfNode, nameOf } from './frame-table.js';
import { fitEnd, fitLabel, type Label } from './labels.js';

export const ROW_PX = 19;
const GAP_PX = 1;
/** Height of a frame, without the gap above it. */
export const FRAME_PX = ROW_PX - GAP_PX;
const TEXT_LEFT_PX = 5;
const BASELINE_PX = 13;

/** Upper bound for the width of a character at 12 px in the monospace fonts. */
export const CHARACTER_PX = 7.23;

export interface Rectangle {
  readonly box: number;
  readonly xPx: number;
  readonly yPx: number;
  readonly widthPx: number;
  readonly heightPx: number;
  readonly className: string;
  readonly label: string;
  /** At its right end; empty: nothing. */
  readonly end: string;
  readonly textXPx: number;
  readonly textYPx: number;
  readonly textures: readonly Texture[];
}

export interface Drawing {
  readonly table: FrameTable;
  readonly boxes: Boxes;
  readonly isIcicle: boolean;
  /** May be more than the boxes need. */
  readonly rowCount: number;
  readonly characterPx: number;
  /** Returns the CSS class for the colour of a frame. */
  readonly classOf: Paint;
  /** Default: calls and average; textures for stops, and for frames whose calls are all inferred. */
  readonly wording?: Wording;
}

/** How frames are labelled, and which textures they have. */
export interface Wording {
  readonly labelOf: (table: FrameTable, boxes: Boxes, box: number) => Label;
  readonly texturesOf: (table: FrameTable, node: NodeId) => readonly Texture[];
}

/** Returns the texture of a stop, and that of frames whose calls are all inferred. */
export function texturesOf(table: FrameTable, node: NodeId): readonly Texture[] {
  const family = familyOfNode(table, node);
  const ofStop = family in TEXTURES ? [family as Texture] : [];
  return isInferred(table, node) ? [...ofStop, 'hatch'] : ofStop;
}

const USUAL_WORDING: Wording = { labelOf, texturesOf };

export type Paint = (node: NodeId) => string;

/** Colours frames by the file that their function is in; by function, if files were not recorded. */
export function paintByLibrary(table: FrameTable): Paint {
  if (table.libraries.files.length === 0) return paintByFunction(table);
  return (node) => classOf(familyOfNode(table, node), nameOf(table, node), libraryOfNode(table, node));
}

/** Colours frames by function: a function has the same colour in every flame graph. */
export function paintByFunction(table: FrameTable): Paint {
  return (node) => classOf(familyOfNode(table, node), nameOf(table, node));
}

/** How a frame is set apart from the others. */
export interface Highlight {
  readonly isCaller: boolean;
  readonly isMarked: boolean;
  /** Marked, and not because a search found it. */
  readonly isChosen: boolean;
  /** Not marked, while other frames are. */
  readonly isDimmed: boolean;
}

/** Returns the CSS classes of a frame in an SVG file. */
export function pictureClass({ className }: Rectangle, { isCaller, isMarked, isChosen, isDimmed }: Highlight): string {
  const marks = { caller: isCaller, match: isMarked, chosen: isChosen, unmatched: isDimmed };
  return [className, ...Object.entries(marks).flatMap(([name, isSet]) => (isSet ? [name] : []))].join(' ');
}

/** Yields the rectangles to draw. A frame with zero time has no width and is skipped. */
export function* rectangles(drawing: Drawing): Generator<Rectangle> {
  for (let box = 0; box < drawing.boxes.length; box++)
    if (drawing.boxes.widthPx[box] > 0) yield rectangleOf(drawing, box);
}

function rectangleOf(drawing: Drawing, box: number): Rectangle {
  const { table, boxes, characterPx, wording = USUAL_WORDING } = drawing;
  const yPx = topPx(drawing, boxes.row[box]);
  const full = boxes.widthPx[box];
  const xPx = boxes.xPx[box];
  const columns = Math.floor((full - 2 * TEXT_LEFT_PX) / characterPx);
  const label = wording.labelOf(table, boxes, box);
  return {
    box,
    xPx,
    yPx,
    widthPx: drawnWidthPx(full),
    heightPx: FRAME_PX,
    className: boxClass(drawing, box),
    label: fitLabel(label, columns),
    end: fitEnd(label, columns),
    textXPx: xPx + TEXT_LEFT_PX,
    textYPx: yPx + BASELINE_PX,
    textures: isBlock(table, boxes, box) ? [] : wording.texturesOf(table, boxes.node[box] as number),
  };
}

/** Returns the top of a row, measured from the top of the graph. */
export function topPx({ isIcicle, rowCount }: Pick<Drawing, 'isIcicle' | 'rowCount'>, row: number): number {
  return (isIcicle ? row : rowCount - 1 - row) * ROW_PX;
}

/** Returns the width that a frame needs to show a text of so many characters. */
export function widthForLabel(characters: number, characterPx: number): number {
  return Math.ceil(characters * characterPx) + 2 * TEXT_LEFT_PX;
}

/** Leaves a gap next to a frame, unless the frame is too narrow for one. */
export function drawnWidthPx(widthPx: number): number {
  return widthPx >= 3 ? widthPx - GAP_PX : widthPx;
}

function boxClass({ table, boxes, classOf }: Drawing, box: number): string {
  return isBlock(table, boxes, box) ? 'block' : classOf(boxes.node[box]);
}

/** Lines on tiles: the kind of a stop can be told without its colour, and hatched frames are not seen from start to end. */
export const TEXTURES = {
  syscall: 'M2.5 0V8M6.5 0V8',
  preempted: 'M-1 -1L9 9M-1 7L1 9M7 -1L9 1',
  untraced: 'M0 2.5H8M0 6.5H8',
  lost: 'M0 0L8 8M0 8L8 0',
  hatch: 'M-1 9L9 -1M-1 1L1 -1M7 9L9 7',
} as const;
export type Texture = keyof typeof TEXTURES;
export const TEXTURE_NAMES = Object.keys(TEXTURES) as Texture[];

export const TILE_PX = 8;
/** Of the ink of their lines. */
export const TEXTURE_OPACITY = 0.16;

/** Lines on narrower frames would hide their colour. */
const MIN_TEXTURE_PX = 3;

/** Returns the texture of a swatch in a legend; null: none. */
export function textureOfSwatch(swatch: string): Texture | null {
  if (swatch === 'hatched') return 'hatch';
  return TEXTURE_NAMES.find((name) => name === swatch) ?? null;
}

/** Writes the patterns of the textures; their stroke comes from the style sheet. */
export function texturePatterns(): string {
  const size = `width="${TILE_PX}" height="${TILE_PX}" patternUnits="userSpaceOnUse"`;
  const patterns = TEXTURE_NAMES.map(
    (name) => `<pattern id="${name}" class="texture" ${size}><path d="${TEXTURES[name]}"/></pattern>`,
  );
  return `<defs>${patterns.join('')}</defs>`;
}

/** Returns the outlines of the frames that have a texture: they share one path. */
export function texturePath(drawn: readonly Rectangle[], texture: Texture): string {
  return drawn
    .filter(({ textures, widthPx }) => textures.includes(texture) && widthPx >= MIN_TEXTURE_PX)
    .map(({ xPx, yPx, widthPx, heightPx }) => `M${px(xPx)} ${yPx}h${px(widthPx)}v${heightPx}h-${px(widthPx)}z`)
    .join('');
}

/** Rounds to two decimals, without trailing zeros. */
export function px(value: number): string {
  return String(Math.round(value * 100) / 100);
}
