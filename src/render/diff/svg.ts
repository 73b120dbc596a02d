/**
 * Renders a comparison as one SVG file: any viewer shows it; a browser can also zoom and search.
 */

import { ROOT } from '../../model/calls/call-tree.js';
import { CHARACTER_PX, type Drawing, ROW_PX, rectangles } from '../frames/drawing.js';
import type { briefDetails } from '../frames/frame-details.js';
import { layout } from '../layout.js';
import { boxMarkup, hatchingAndLabels } from '../svg/frames-markup.js';
import { textHead } from '../svg/head.js';
import { HEAD } from '../svg/head-shape.js';
import { styleSheet } from '../svg/style.js';
import { SVG_DEFAULTS } from '../svg/svg.js';
import { xml, xmlSource } from '../svg/xml.js';
import { changeStyle, patternMarkup } from './colours.js';
import type { Comparison } from './comparison.js';
import { writePaths } from './data.js';
import { tableOf } from './paths.js';
import { DEFAULT_TITLE, type DiffPictureOptions, diffLegend, diffTexts, drawnPaths } from './picture.js';
import { DIFF_SVG_SCRIPT } from './script.generated.js';
import { briefText, paintByChange, wordingOf } from './wording.js';

export interface DiffSvgOptions extends DiffPictureOptions {
  /** Width in the file; a browser uses the width of the window. */
  readonly widthPx?: number;
}

/** Yields the file in parts. */
export function* renderDiffSvg(comparison: Comparison, options: DiffSvgOptions = {}): Generator<string> {
  const { title = DEFAULT_TITLE, icicle = false, widthOf = 'after', widthPx = SVG_DEFAULTS.widthPx } = options;
  const { minPx } = SVG_DEFAULTS;
  const availablePx = widthPx - 2 * HEAD.marginPx;
  const paths = drawnPaths(comparison, widthOf, minPx / availablePx);
  const table = tableOf(paths, widthOf);
  const boxes = layout(table, { first: ROOT, last: ROOT, widthPx: availablePx, minPx });
  const look = { classOf: paintByChange(paths), wording: wordingOf(paths) };
  const drawing = { table, boxes, isIcicle: icicle, rowCount: boxes.rowCount, characterPx: CHARACTER_PX, ...look };
  const head = textHead(
    { ...diffTexts(comparison, widthOf), hint: '' },
    { title, legend: diffLegend(drawing), widthPx },
  );
  yield opening(title, widthPx, head.heightPx + boxes.rowCount * ROW_PX + HEAD.marginPx);
  const briefOf = (...[, , box]: Parameters<typeof briefDetails>) => briefText(paths, table, boxes, box);
  yield* framesMarkup(drawing, head.heightPx, briefOf);
  yield head.markup;
  yield `<metadata id="data">${writePaths(paths, { isIcicle: icicle, minPx, widthOf })}</metadata>\n`;
  yield `<script>${xmlSource(DIFF_SVG_SCRIPT)}</script>\n</svg>\n`;
}

function opening(title: string, widthPx: number, heightPx: number): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<svg xmlns="http://www.w3.org/2000/svg" width="${widthPx}" height="${heightPx}" viewBox="0 0 ${widthPx} ${heightPx}">
<title>${xml(title)}</title>
<style>${xmlSource(`${styleSheet()}\n${changeStyle()}`)}</style>
${patternMarkup()}
<rect class="page" width="100%" height="100%"/>
`;
}

function* framesMarkup(drawing: Drawing, topPx: number, briefOf: typeof briefDetails): Generator<string> {
  const drawn = [...rectangles(drawing)];
  yield `<g id="frames" transform="translate(${HEAD.marginPx} ${topPx})">\n<g id="boxes">\n`;
  for (const rectangle of drawn) yield boxMarkup(drawing, rectangle, rectangle.className, briefOf);
  yield '</g>\n';
  yield* hatchingAndLabels(drawn, 'id="hatched" ');
}
