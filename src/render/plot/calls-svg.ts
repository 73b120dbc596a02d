/**
 * Draws the calls of a function over time as an SVG file without a script: a dot for each call, or counts as a heat map.
 */

import type { ProfileHeader } from '../quality-summary.js';
import { headOf } from '../svg/head.js';
import { HEAD } from '../svg/head-shape.js';
import { styleSheet } from '../svg/style.js';
import { xml, xmlSource } from '../svg/xml.js';
import { axes } from './axes.js';
import { titleOfCalls } from './call-texts.js';
import { type CallsPlot, DurationAxis } from './calls-plot.js';
import { cells, dots, legendOfCells, legendOfDots } from './marks.js';
import type { PlotArea } from './plot-area.js';
import { plotStyle } from './plot-style.js';
import { rings, slowestHeightPx, slowestRows } from './slowest.js';

export interface CallsSvgOptions {
  /** The function, as typed. */
  readonly name: string;
  /** "calls of 1 ms or more"; null: all calls. */
  readonly bounds: string | null;
  readonly isHeatMap: boolean;
}

const WIDTH_PX = 1200;
const HEIGHT_PX = 400;
const LEFT_PX = 74;
const RIGHT_PX = 118;
const BELOW_PX = 46;

/** Yields the file in parts. */
export function* renderCallsSvg(
  profile: ProfileHeader,
  plot: CallsPlot,
  { name, bounds, isHeatMap }: CallsSvgOptions,
): Generator<string> {
  const { title, shown } = titleOfCalls(plot, name, bounds, isHeatMap);
  const legend = isHeatMap ? legendOfCells(plot) : legendOfDots(plot);
  const head = headOf(profile, { title, legend, total: 0, widthPx: WIDTH_PX, shown, isStatic: true });
  const area: PlotArea = {
    plot,
    axis: new DurationAxis(plot),
    widthPx: WIDTH_PX - HEAD.marginPx - LEFT_PX - RIGHT_PX,
    heightPx: HEIGHT_PX,
  };
  const heightPx = head.heightPx + 16 + HEIGHT_PX + BELOW_PX + slowestHeightPx(area);
  yield `<?xml version="1.0" encoding="UTF-8"?>
<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH_PX}" height="${heightPx}" viewBox="0 0 ${WIDTH_PX} ${heightPx}">
<title>${xml(title)}</title>
<style>${xmlSource(`${styleSheet()}\n${plotStyle()}`)}</style>
<rect class="page" width="100%" height="100%"/>
${head.markup}<g transform="translate(${HEAD.marginPx + LEFT_PX} ${head.heightPx + 16})">
`;
  yield* axes(area);
  yield* isHeatMap ? cells(area) : dots(area);
  yield* rings(area);
  yield* slowestRows(area, HEIGHT_PX + BELOW_PX);
  yield '</g>\n</svg>\n';
}
