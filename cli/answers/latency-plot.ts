/**
 * Plots when the calls of a function were: in the terminal, or as SVG files.
 */

import { PtflameError } from '../../src/model/errors.js';
import { havePercentile, PERCENTILES } from '../../src/model/percentiles.js';
import type { Profile } from '../../src/model/profile/profile.js';
import type { Latency } from '../../src/questions/latency/schema.js';
import { formatDuration, isAbout } from '../../src/render/format.js';
import {
  type CallsPlot,
  callText,
  DurationAxis,
  LABELLED,
  percentileText,
  shadeOf,
  shadesOf,
  shadeText,
  timeTicks,
  titleOfCalls,
} from '../../src/render/plot/calls-plot.js';
import { visibleText } from '../../src/render/visible-text.js';
import { isStandardOutput } from '../output/write-chunks.js';

interface CallsPicture {
  lines(width: number): string[];
  svg(profile: Profile): Iterable<string>;
}

interface PlotOptions {
  readonly timeline: boolean;
  readonly heatmap: boolean;
  readonly output?: readonly string[] | undefined;
  readonly json: boolean;
  readonly function: string;
}

/** Returns true if a plot or its data were requested. */
export function wantsPlot({ timeline, heatmap }: PlotOptions): boolean {
  return timeline || heatmap;
}

/** @throws PtflameError BAD_OPTION for options that contradict each other, and for files that are not SVG */
export function refusePlots(options: PlotOptions): void {
  const { timeline, heatmap, output = [], json } = options;
  if (timeline && heatmap)
    throw new PtflameError('BAD_OPTION', '--timeline and --heatmap are mutually exclusive', { hint: 'leave one out' });
  const picture = output.find((path) => path.toLowerCase().endsWith('.svg'));
  if (picture !== undefined && !wantsPlot(options))
    throw new PtflameError('BAD_OPTION', `-o ${picture} is for a plot, but none is requested`, {
      hint: 'add --timeline or --heatmap; tables are written to .txt, .csv and .json',
    });
  if (json && output.some(isStandardOutput))
    throw new PtflameError('BAD_OPTION', '--json and -o - both write to standard output', { hint: 'use -o FILE.svg' });
}

/** `bounds`: "calls of 1 ms or more"; null: all calls. Returns null if no plot is requested. */
export async function loadPlot(
  answer: Latency,
  options: PlotOptions,
  bounds: string | null,
): Promise<CallsPicture | null> {
  if (!wantsPlot(options)) return null;
  const { renderCallsSvg } = await import('../../src/render/plot/calls-svg.js');
  const plot = plotOf(answer);
  if (plot === null) return null;
  const [only, ...others] = answer.functions;
  const name = only !== undefined && others.length === 0 ? only.name : options.function;
  const isHeatMap = options.heatmap || plot.callsLeftOut > 0;
  return {
    lines: (width) => plotLines(plot, { name, bounds, isHeatMap, width }),
    svg: (profile) => renderCallsSvg(profile, plot, { name, bounds, isHeatMap }),
  };
}

/**
 * Formats the calls of a function over time as a plot of characters, readable without colour: dots, or shades for counts.
 */
interface PlotText {
  readonly name: string;
  readonly bounds: string | null;
  readonly isHeatMap: boolean;
  /** Of the terminal. */
  readonly width: number;
}

const LEFT_WIDTH = 9;
const RIGHT_WIDTH = 16;
const MAX_HEIGHT = 16;

function plotLines(plot: CallsPlot, { name, bounds, isHeatMap, width }: PlotText): string[] {
  const axis = new DurationAxis(plot);
  const size = { width: Math.max(8, width - LEFT_WIDTH - RIGHT_WIDTH), height: MAX_HEIGHT };
  const { title, shown } = titleOfCalls(plot, name, bounds, isHeatMap);
  const head = [visibleText(title), visibleText(shown), ''];
  if (plot.cells.length === 0) return head.slice(0, 1);
  const { rows, legend } = isHeatMap ? shadedCells(plot, axis, size) : brailleCells(plot, axis, size);
  const left = durationLabels(axis, rows.length);
  const right = percentileLabels(plot, axis, rows.length);
  const lines = rows.map((row, at) => `${left[at].padStart(LEFT_WIDTH - 2)} │${row.padEnd(size.width)}${right[at]}`);
  return [
    ...head,
    ...lines.map((line) => line.trimEnd()),
    ...timeAxisLines(plot.durationNs, size, LEFT_WIDTH),
    ...legend,
    ...slowestLines(plot),
  ];
}

/** Returns a label for each line. */
function durationLabels(axis: DurationAxis, height: number): string[] {
  const labels = Array.from({ length: height }, () => '');
  for (const { at, ns } of axis.ticks(Math.ceil(height / 2))) labels[lineOf(at, height)] = formatDuration(ns);
  return labels;
}

/** A label whose line has one already is moved down, or up from the last line, and points to where it belongs. */
function percentileLabels({ percentiles }: CallsPlot, axis: DurationAxis, height: number): string[] {
  const labels = Array.from({ length: height }, () => '');
  const known = percentiles.flatMap(({ name, ns, isAbout }) =>
    ns === null ? [] : [{ ns, text: percentileText(name, ns, isAbout) }],
  );
  for (const { ns, text } of known.sort((a, b) => b.ns - a.ns)) {
    const line = lineOf(axis.at(ns), height);
    const below = labels.findIndex((label, at) => at >= line && label === '');
    const free = below < 0 ? labels.lastIndexOf('') : below;
    const pointer = free === line ? '◂' : free > line ? '↑' : '↓';
    if (free >= 0) labels[free] = ` ${pointer} ${text}`;
  }
  return labels;
}

function slowestLines({ calls }: CallsPlot): string[] {
  return calls.slice(0, LABELLED).map((call, rank) => `${rank + 1}: ${callText(call)}`);
}

/** Returns the line of a share of the axis; the first line is on top. */
function lineOf(at: number, height: number): number {
  return Math.min(height - 1, Math.floor((1 - at) * height));
}

/** Space for a label and the gap after it. */
const LABEL_WIDTH = 12;

/**
 * Formats the time axis below a plot of characters.
 *
 * `left`: the width of what is left of the plot.
 */
function timeAxisLines(durationNs: number, { width }: PlotSize, left: number): string[] {
  const line = Array.from({ length: width }, () => '─');
  let labels = '';
  for (const { at, ns } of timeTicks(durationNs, Math.max(1, Math.floor(width / LABEL_WIDTH)))) {
    const column = Math.min(width - 1, Math.floor(at * width));
    line[column] = '┬';
    const label = ns === 0 ? '0' : `+${formatDuration(ns)}`;
    if (column >= labels.length && column + label.length <= width + LABEL_WIDTH) labels = labels.padEnd(column) + label;
  }
  const indent = ' '.repeat(left - 1);
  return [`${indent}└${line.join('')}`, `${indent} ${labels}`];
}

/**
 * Fills the characters of a plot: Braille dots for calls, shades for counts of calls.
 *
 * In characters.
 */
interface PlotSize {
  readonly width: number;
  readonly height: number;
}

interface PlotRows {
  /** From top to bottom. */
  readonly rows: readonly string[];
  readonly legend: readonly string[];
}

const AT_LEAST = '≥';
const AT_LEAST_TEXT = `${AT_LEAST} lasted at least this long: start or end not seen`;

/** A character has two columns and four rows of dots; the bit of each. */
const BRAILLE = 0x2800;
const DOT_BITS = [
  [0x01, 0x08],
  [0x02, 0x10],
  [0x04, 0x20],
  [0x40, 0x80],
];

function brailleCells(plot: CallsPlot, axis: DurationAxis, { width, height }: PlotSize): PlotRows {
  const dots = Array.from({ length: height }, () => new Uint8Array(width));
  const marks = new Map<number, string>();
  for (const [rank, { startNs, durationNs, isInferred }] of plot.calls.entries()) {
    const column = within((startNs / Math.max(1, plot.durationNs)) * 2 * width, 2 * width);
    const row = within((1 - axis.at(durationNs)) * 4 * height, 4 * height);
    const [x, y] = [column >> 1, row >> 2];
    dots[y][x] |= DOT_BITS[row & 3][column & 1];
    const mark = rank < LABELLED ? String(rank + 1) : isInferred ? AT_LEAST : null;
    if (mark !== null && !marks.has(y * width + x)) marks.set(y * width + x, mark);
  }
  const character = (y: number, x: number) => marks.get(y * width + x) ?? brailleCharacter(dots[y][x]);
  const rows = dots.map((row, y) => Array.from(row, (_, x) => character(y, x)).join(''));
  const hasInferred = plot.calls.some(({ isInferred }) => isInferred);
  return { rows, legend: hasInferred ? [AT_LEAST_TEXT] : [] };
}

function brailleCharacter(dots: number): string {
  return dots === 0 ? ' ' : String.fromCharCode(BRAILLE + dots);
}

const SHADES = ['·', '░', '▒', '▓', '█'];

interface Counts {
  calls: number;
  inferred: number;
}

/** A line is at least as high as a row of cells: no line is empty only because it lies between two. */
function shadedCells(plot: CallsPlot, axis: DurationAxis, size: PlotSize): PlotRows {
  const height = Math.max(1, Math.min(size.height, cellRows(plot)));
  const width = Math.min(size.width, plot.columns);
  const counts = countsOf(plot, axis, { width, height });
  const shades = shadesOf(counts.flat(), SHADES.length);
  const glyphs = SHADES.slice(SHADES.length - shades.length);
  const character = ({ calls, inferred }: Counts) =>
    calls === 0 ? ' ' : calls === inferred ? AT_LEAST : glyphs[shadeOf(shades, calls)];
  const largest = Math.max(...counts.flat().map(({ calls }) => calls));
  const texts = glyphs.map((glyph, shade) => `${glyph} ${shadeText(shades, shade, largest)}`);
  const hasInferred = plot.cells.some(({ inferred }) => inferred > 0);
  return {
    rows: counts.map((row) => row.map(character).join('')),
    legend: [`calls per character: ${texts.join('   ')}`, ...(hasInferred ? [AT_LEAST_TEXT] : [])],
  };
}

/** Returns how many rows lie between the shortest and the longest calls, two for each power of two. */
function cellRows({ cells }: CallsPlot): number {
  const fromNs = Math.min(...cells.map((cell) => Math.max(0.5, cell.fromNs)));
  const toNs = Math.max(...cells.map((cell) => cell.toNs));
  return Math.round(2 * Math.log2(toNs / fromNs));
}

function countsOf({ cells, columns }: CallsPlot, axis: DurationAxis, { width, height }: PlotSize): Counts[][] {
  const counts = Array.from({ length: height }, () => Array.from({ length: width }, () => ({ calls: 0, inferred: 0 })));
  for (const { column, fromNs, toNs, calls, inferred } of cells) {
    const middle = (axis.at(fromNs) + axis.at(toNs)) / 2;
    const cell = counts[within((1 - middle) * height, height)][within((column / columns) * width, width)];
    cell.calls += calls;
    cell.inferred += inferred;
  }
  return counts;
}

function within(position: number, length: number): number {
  return Math.min(length - 1, Math.max(0, Math.floor(position)));
}

/**
 * Turns the answer about a function's calls into a plot: what a picture shows is what the JSON has.
 *
 * null: the answer does not have when calls were.
 */
function plotOf({ overTime, trace, stats }: Latency): CallsPlot | null {
  if (overTime === undefined) return null;
  const percentile = (name: string, ns: number | null, part: number) => {
    return ns !== null && havePercentile(stats, part) ? { name, ns, isAbout: isAbout(ns, stats) } : { name, ns: null };
  };
  const percentiles = [
    { name: 'max', ns: stats.maxNs },
    ...PERCENTILES.map(({ title, key, part }) => percentile(title, stats[key], part)).reverse(),
  ];
  return { ...overTime, durationNs: trace.durationNs, percentiles };
}
