/**
 * Draws the calls of a function over time as an SVG file without a script: a dot for each call, or counts as a heat map.
 */

import type { Nanoseconds } from '../../model/units.js';
import { formatDuration } from '../format.js';
import type { LegendEntry } from '../frames/captions.js';
import { type Colour, SCALE_COLOURS, TOKENS } from '../frames/palette.js';
import type { ProfileHeader } from '../quality-summary.js';
import { HEAD, headOf } from '../svg/head.js';
import { styleSheet } from '../svg/style.js';
import { xml, xmlSource } from '../svg/xml.js';
import {
  type CallsPlot,
  callText,
  cellText,
  DurationAxis,
  LABELLED,
  type PlottedCall,
  percentileText,
  shadeOf,
  shadesOf,
  shadeText,
  timeTicks,
  titleOfCalls,
} from './calls-plot.js';

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

/** Writes the style sheet of plots, in addition to that of all pictures. */
function plotStyle(): string {
  const rules = (scheme: keyof Colour) =>
    colourRules().map(([selector, property, colour]) => `${selector}{${property}:${colour[scheme]}}`);
  return [SHAPE, ...rules('light'), `@media screen and (prefers-color-scheme:dark){${rules('dark').join('\n')}}`].join(
    '\n',
  );
}

function colourRules(): (readonly [selector: string, property: string, colour: Colour])[] {
  return [
    ['.grid', 'stroke', TOKENS.line2],
    ['.percentile', 'stroke', TOKENS.ink3],
    ['.label', 'stroke', TOKENS.bg],
    ['.dot', 'fill', TOKENS.sel],
    ['.atleast,.slow', 'stroke', TOKENS.ink],
    ...SHADES.map((colour, shade) => [`.h${shade}`, 'fill', colour] as const),
  ];
}

const SHAPE = `
.grid,.percentile{stroke-width:1;fill:none}
.percentile{stroke-dasharray:3 3}
.dot{fill-opacity:.75}
.atleast,.slow{fill:none;stroke-width:1.4}
.end{text-anchor:end}
.middle{text-anchor:middle}
.name{font-weight:600}
.label{paint-order:stroke;stroke-width:3px;stroke-linejoin:round;font-weight:600}
`.trim();

const MAX_TIME_TICKS = 10;
const MAX_DURATION_TICKS = 9;
const LABEL_PX = 14;

/** Draws the axes of a plot: time below, durations on the left, percentiles on the right. */
function* axes(area: PlotArea): Generator<string> {
  const { widthPx, heightPx, axis, plot } = area;
  for (const { at, ns } of axis.ticks(MAX_DURATION_TICKS)) {
    const yPx = tenths((1 - at) * heightPx);
    yield `<path class="grid" d="M0 ${yPx}H${widthPx}"/><text class="quiet end" x="-8" y="${yPx + 4}">${xml(formatDuration(ns))}</text>\n`;
  }
  yield `<path class="grid" d="M0 0V${heightPx}H${widthPx}"/>\n`;
  for (const { at, ns } of timeTicks(plot.durationNs, MAX_TIME_TICKS)) {
    const xPx = tenths(at * widthPx);
    const text = ns === 0 ? '0' : `+${formatDuration(ns)}`;
    yield `<path class="grid" d="M${xPx} ${heightPx}v5"/><text class="quiet middle" x="${xPx}" y="${heightPx + 18}">${xml(text)}</text>\n`;
  }
  yield `<text class="quiet" x="0" y="${heightPx + 36}">when calls began, since the start of what is shown; upwards: how long they took</text>\n`;
  yield* percentiles(area);
}

/** Lines end in labels, which are moved down where they would overlap. */
function* percentiles(area: PlotArea): Generator<string> {
  const { widthPx } = area;
  const known = area.plot.percentiles.flatMap(({ name, ns, isAbout }) =>
    ns === null ? [] : [{ ns, text: percentileText(name, ns, isAbout), yPx: yOf(area, ns) }],
  );
  let freePx = Number.NEGATIVE_INFINITY;
  for (const { text, yPx } of known.sort((a, b) => b.ns - a.ns)) {
    const labelPx = tenths(Math.max(yPx, freePx));
    freePx = labelPx + LABEL_PX;
    yield `<path class="percentile" d="M0 ${yPx}H${widthPx}l8 ${tenths(labelPx - yPx)}"/><text x="${widthPx + 12}" y="${tenths(labelPx + 4)}">${xml(text)}</text>\n`;
  }
}

/** Calls that are closer share a number. */
const NEAR_PX = 14;
const RING_PX = 6;

interface Mark {
  readonly xPx: number;
  readonly yPx: number;
  readonly ranks: number[];
}

/** Draws the slowest calls: a ring with the rank of each, and below the plot what they are. */
function* rings(area: PlotArea): Generator<string> {
  const marks: Mark[] = [];
  for (const [at, call] of slowest(area).entries()) {
    const [xPx, yPx] = [xOf(area, call.startNs), yOf(area, call.durationNs)];
    yield `<circle class="slow" cx="${xPx}" cy="${yPx}" r="${RING_PX}"/>\n`;
    const near = marks.find((mark) => Math.hypot(mark.xPx - xPx, mark.yPx - yPx) < NEAR_PX);
    if (near) near.ranks.push(at + 1);
    else marks.push({ xPx, yPx, ranks: [at + 1] });
  }
  for (const { xPx, yPx, ranks } of marks)
    yield `<text class="label middle" x="${xPx}" y="${tenths(yPx - RING_PX - 3)}">${ranks.join(' ')}</text>\n`;
}

/** `topPx`: of the first row. */
function* slowestRows(area: PlotArea, topPx: number): Generator<string> {
  for (const [at, call] of slowest(area).entries())
    yield `<text x="0" y="${topPx + HEAD.rowPx * at + HEAD.noteBasePx}">${at + 1}: ${xml(callText(call))}</text>\n`;
}

function slowestHeightPx(area: PlotArea): number {
  return HEAD.rowPx * slowest(area).length;
}

function slowest({ plot }: PlotArea): readonly PlottedCall[] {
  return plot.calls.slice(0, LABELLED);
}

/**
 * Draws calls: dots, and cells of a heat map.
 *
 * The palest would hardly differ from the page.
 */
const SHADES = Object.values(SCALE_COLOURS).slice(2);

const AT_LEAST = 'at least this long (≥): start or end not seen';

function legendOfDots({ calls }: CallsPlot): LegendEntry[] {
  const atLeast = calls.some(({ isInferred }) => isInferred) ? [{ swatch: '', text: `△ ${AT_LEAST}` }] : [];
  return [{ swatch: 'dot', text: 'call' }, ...atLeast];
}

function legendOfCells({ cells }: CallsPlot): LegendEntry[] {
  const shades = shadesOf(cells, SHADES.length);
  const largest = cells.reduce((most, { calls }) => Math.max(most, calls), 0);
  const atLeast = cells.some(({ inferred }) => inferred > 0) ? [{ swatch: '', text: `— ${AT_LEAST}` }] : [];
  const entries = shades.map((_, shade) => ({
    swatch: classOf(shade, shades),
    text: shadeText(shades, shade, largest),
  }));
  return [{ swatch: '', text: 'calls:' }, ...entries, ...atLeast];
}

/** Few shades are spread over the scale. */
function classOf(shade: number, shades: readonly number[]): string {
  return `h${SHADES.length - shades.length + shade}`;
}

/** The longest are drawn last, on top. */
function* dots(area: PlotArea): Generator<string> {
  for (const call of area.plot.calls.toReversed()) {
    const [xPx, yPx] = [xOf(area, call.startNs), yOf(area, call.durationNs)];
    const title = `<title>${xml(callText(call))}</title>`;
    yield call.isInferred
      ? `<path class="atleast" d="M${tenths(xPx - 4)} ${tenths(yPx + 3)}l4 -7l4 7z">${title}</path>\n`
      : `<circle class="dot" cx="${xPx}" cy="${yPx}" r="2.5">${title}</circle>\n`;
  }
}

function* cells(area: PlotArea): Generator<string> {
  const { plot, widthPx } = area;
  const shades = shadesOf(plot.cells, SHADES.length);
  for (const cell of plot.cells) {
    const [xPx, endPx] = [cell.column, cell.column + 1].map((at) => tenths((at / plot.columns) * widthPx));
    const [yPx, belowPx] = [yOf(area, cell.toNs), yOf(area, cell.fromNs)];
    const size = `width="${tenths(endPx - xPx)}" height="${tenths(belowPx - yPx)}"`;
    const title = `<title>${xml(cellText(cell, plot))}</title>`;
    const shade = classOf(shadeOf(shades, cell.calls), shades);
    yield `<rect class="${shade}" x="${xPx}" y="${yPx}" ${size}>${title}</rect>\n`;
    if (cell.inferred > 0) yield `<path class="atleast" d="M${xPx} ${tenths((yPx + belowPx) / 2)}H${endPx}"/>\n`;
  }
}

/** The area of a picture that calls are drawn in. */
interface PlotArea {
  readonly plot: CallsPlot;
  readonly axis: DurationAxis;
  readonly widthPx: number;
  readonly heightPx: number;
}

/** Returns the position of a moment, in tenths of a pixel. */
function xOf({ plot, widthPx }: PlotArea, ns: Nanoseconds): number {
  return tenths((ns / Math.max(1, plot.durationNs)) * widthPx);
}

/** Returns the position of a duration: long ones are on top. */
function yOf({ axis, heightPx }: PlotArea, ns: Nanoseconds): number {
  return tenths((1 - axis.at(ns)) * heightPx);
}

function tenths(px: number): number {
  return Math.round(px * 10) / 10;
}
