/**
 * Writes the view as a standalone SVG.
 */
import { ROOT } from '../../model/calls/call-tree.js';
import type { LegendEntry } from '../../render/frames/captions.js';
import { CHANGE_COLOURS } from '../../render/frames/changes.js';
import { type Colour, SCALE } from '../../render/frames/colours.js';
import {
  type Drawing,
  HATCH_PATTERN,
  type Highlight,
  pictureClass,
  ROW_PX,
  rectangles,
} from '../../render/frames/drawing.js';
import type { ProfileHeader } from '../../render/quality-summary.js';
import { boxMarkup, hatchingAndLabels } from '../../render/svg/frames-markup.js';
import { headOf } from '../../render/svg/head.js';
import { HEAD } from '../../render/svg/head-shape.js';
import { styleSheet } from '../../render/svg/style.js';
import { xml, xmlSource } from '../../render/svg/xml.js';

const MARGIN_PX = HEAD.marginPx;

/** What the head above the frames shows. */
export interface SvgCaption {
  readonly profile: ProfileHeader;
  readonly title: string;
  /** Describes the part of the recording that is shown. */
  readonly shown: string;
  readonly legend: readonly LegendEntry[];
}

export function* svgText(
  drawing: Drawing,
  lookOf: (box: number) => Highlight,
  { profile, title, shown, legend }: SvgCaption,
  widthPx: number,
): Generator<string> {
  const drawn = [...rectangles(drawing)];
  const fullPx = widthPx + 2 * MARGIN_PX;
  const total = drawing.table.total[ROOT] as number;
  const head = headOf(profile, { title, legend, total, widthPx: fullPx, shown, isStatic: true });
  const heightPx = head.heightPx + drawing.rowCount * ROW_PX + MARGIN_PX;
  yield `<?xml version="1.0" encoding="UTF-8"?>\n<svg xmlns="http://www.w3.org/2000/svg" width="${fullPx}" height="${heightPx}" viewBox="0 0 ${fullPx} ${heightPx}">\n`;
  yield `<title>${xml(`${title} · ${shown}`)}</title>\n<style>${xmlSource(`${styleSheet()}\n${scaleRules()}`)}</style>\n`;
  yield `${HATCH_PATTERN}\n`;
  yield `<rect class="page" width="100%" height="100%"/>\n`;
  yield head.markup;
  yield `<g transform="translate(${MARGIN_PX} ${head.heightPx})">\n`;
  for (const rectangle of drawn) yield boxMarkup(drawing, rectangle, pictureClass(rectangle, lookOf(rectangle.box)));
  yield* hatchingAndLabels(drawn);
  yield '</svg>\n';
}

function scaleRules(): string {
  const colours = [...SCALE.map((colour, step) => [`s${step}`, colour] as const), ...Object.entries(CHANGE_COLOURS)];
  const rules = (scheme: keyof Colour) => colours.map(([name, colour]) => `.${name}{fill:${colour[scheme]}}`).join('');
  return `${rules('light')}@media screen and (prefers-color-scheme:dark){${rules('dark')}}`;
}
