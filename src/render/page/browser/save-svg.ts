/**
 * The view as a picture that stands alone.
 */
import { type Drawing, hatchPath, px, ROW_PX, rectangles } from '../../frames/drawing.js';
import { briefFacts } from '../../frames/facts.js';
import { styleSheet } from '../../svg/style.js';
import { xml, xmlSource } from '../../svg/xml.js';

const TITLE_PX = 34;
const MARGIN_PX = 14;

export function* svgText(drawing: Drawing, title: string, widthPx: number): Generator<string> {
  const drawn = [...rectangles(drawing)];
  const fullPx = widthPx + 2 * MARGIN_PX;
  const heightPx = TITLE_PX + drawing.rowCount * ROW_PX + MARGIN_PX;
  yield `<?xml version="1.0" encoding="UTF-8"?>\n<svg xmlns="http://www.w3.org/2000/svg" width="${fullPx}" height="${heightPx}" viewBox="0 0 ${fullPx} ${heightPx}">\n`;
  yield `<title>${xml(title)}</title>\n<style>${xmlSource(styleSheet())}</style>\n`;
  yield '<defs><pattern id="hatch" width="7" height="7" patternUnits="userSpaceOnUse"><path d="M-1 8L8 -1M-1 1L1 -1M6 8L8 6"/></pattern></defs>\n';
  yield `<rect class="page" width="100%" height="100%"/>\n<text id="title" x="${MARGIN_PX}" y="22">${xml(title)}</text>\n`;
  yield `<g transform="translate(${MARGIN_PX} ${TITLE_PX})">\n`;
  for (const { box, xPx, yPx, widthPx: boxPx, heightPx: boxHeightPx, className } of drawn)
    yield `<rect class="${className}" x="${px(xPx)}" y="${yPx}" width="${px(boxPx)}" height="${boxHeightPx}"><title>${xml(briefFacts(drawing.table, drawing.boxes, box))}</title></rect>\n`;
  yield '<path fill="url(#hatch)" d="';
  for (const rectangle of drawn) if (rectangle.isHatched) yield hatchPath(rectangle);
  yield '"/>\n<g id="labels">\n';
  for (const { label, textXPx, textYPx } of drawn)
    if (label !== '') yield `<text x="${px(textXPx)}" y="${textYPx}">${xml(label)}</text>\n`;
  yield '</g>\n</g>\n</svg>\n';
}
