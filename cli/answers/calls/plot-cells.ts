/**
 * Fills the characters of a plot: Braille dots for calls, shades for counts of calls.
 */
import {
  type CallsPlot,
  type DurationAxis,
  LABELLED,
  shadeOf,
  shadesOf,
  shadeText,
} from '../../../src/render/plot/calls-plot.js';

/** In characters. */
export interface PlotSize {
  readonly width: number;
  readonly height: number;
}

export interface PlotRows {
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

export function brailleCells(plot: CallsPlot, axis: DurationAxis, { width, height }: PlotSize): PlotRows {
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
export function shadedCells(plot: CallsPlot, axis: DurationAxis, size: PlotSize): PlotRows {
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
