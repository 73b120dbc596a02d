/**
 * The view as a picture that stands alone.
 */
import type { Boxes } from '../../../layout/layout.js';
import { ROOT } from '../../../model/call-tree.js';
import { type Colour, SCALE } from '../../frames/colours.js';
import { type Drawing, HATCH_PATTERN, hatchPath, px, ROW_PX, rectangles } from '../../frames/drawing.js';
import { briefFacts, isBlock } from '../../frames/facts.js';
import type { Judged } from '../../quality-summary.js';
import { headOf } from '../../svg/head.js';
import { HEAD } from '../../svg/head-shape.js';
import { styleSheet } from '../../svg/style.js';
import { xml, xmlSource } from '../../svg/xml.js';
import { legendEntries } from '../captions/legend.js';
import type { Painter } from '../view/colouring.js';

const MARGIN_PX = HEAD.marginPx;

/** What colours stand for, and what is marked. */
export interface Look {
  readonly painter: Painter;
  readonly isMarked: ((boxes: Boxes, box: number) => boolean) | null;
  readonly dimsOthers: boolean;
}

/** What stands above the frames. */
export interface Caption {
  readonly about: Judged;
  readonly title: string;
  /** What of the recording is shown, in words. */
  readonly shown: string;
}

export function* svgText(drawing: Drawing, look: Look, caption: Caption, widthPx: number): Generator<string> {
  const { about, title, shown } = caption;
  const drawn = [...rectangles(drawing)];
  const fullPx = widthPx + 2 * MARGIN_PX;
  const { table, boxes } = drawing;
  const legend = legendEntries(table, boxes, look.painter);
  const head = headOf(about, { title, legend, total: table.total[ROOT], widthPx: fullPx, shown, isFinal: true });
  const heightPx = head.heightPx + drawing.rowCount * ROW_PX + MARGIN_PX;
  yield `<?xml version="1.0" encoding="UTF-8"?>\n<svg xmlns="http://www.w3.org/2000/svg" width="${fullPx}" height="${heightPx}" viewBox="0 0 ${fullPx} ${heightPx}">\n`;
  yield `<title>${xml(`${title} · ${shown}`)}</title>\n<style>${xmlSource(`${styleSheet()}\n${scaleRules()}`)}</style>\n`;
  yield `${HATCH_PATTERN}\n`;
  yield `<rect class="page" width="100%" height="100%"/>\n`;
  yield head.markup;
  yield `<g transform="translate(${MARGIN_PX} ${head.heightPx})">\n`;
  for (const { box, xPx, yPx, widthPx: boxPx, heightPx: boxHeightPx } of drawn)
    yield `<rect class="${classOf(drawing, look, box)}" x="${px(xPx)}" y="${yPx}" width="${px(boxPx)}" height="${boxHeightPx}"><title>${xml(briefFacts(drawing.table, drawing.boxes, box))}</title></rect>\n`;
  yield '<path fill="url(#hatch)" d="';
  for (const rectangle of drawn) if (rectangle.isHatched) yield hatchPath(rectangle);
  yield '"/>\n<g id="labels">\n';
  for (const { label, textXPx, textYPx } of drawn)
    if (label !== '') yield `<text x="${px(textXPx)}" y="${textYPx}">${xml(label)}</text>\n`;
  yield '</g>\n</g>\n</svg>\n';
}

function classOf({ table, boxes }: Drawing, { painter, isMarked, dimsOthers }: Look, box: number): string {
  const paint = isBlock(table, boxes, box) ? 'block' : painter.classOf(boxes.node[box] as number);
  const plain = box < boxes.firstOfRun ? `${paint} caller` : paint;
  if (isMarked === null) return plain;
  return isMarked(boxes, box) ? 'match' : dimsOthers ? `${plain} unmatched` : plain;
}

function scaleRules(): string {
  const rules = (scheme: keyof Colour) => SCALE.map((colour, step) => `.s${step}{fill:${colour[scheme]}}`).join('');
  return `${rules('light')}@media screen and (prefers-color-scheme:dark){${rules('dark')}}`;
}
