/**
 * Renders a comparison as one SVG file: any viewer shows it; a browser can also zoom and search.
 */

import { ROOT } from '../../model/calls/call-tree.js';
import { NONE, type NodeId } from '../../model/units.js';
import { type LegendEntry, subtitleOf } from '../frames/captions.js';
import { CHARACTER_PX, type Drawing, ROW_PX, rectangles } from '../frames/drawing.js';
import type { briefDetails } from '../frames/frame-details.js';
import { layout } from '../layout.js';
import { qualitySummary } from '../quality-summary.js';
import { HEAD, textHead } from '../svg/head.js';
import { styleSheet } from '../svg/style.js';
import { largestFrames, SVG_DEFAULTS } from '../svg/svg.js';
import { boxMarkup, texturesAndLabels, xml, xmlSource } from '../svg/xml.js';
import { visibleText } from '../visible-text.js';
import type { Comparison } from './comparison.js';
import { writePaths } from './data.js';
import {
  type DiffPaths,
  diffPaths,
  type PathColumns,
  SIDE_COLUMNS,
  type SideColumns,
  tableOf,
  type WidthOf,
} from './paths.js';
import { DIFF_SVG_SCRIPT } from './script.generated.js';
import { briefText, changeStyle, LEGEND, paintByChange, patternMarkup, wordingOf } from './wording.js';

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
  yield* texturesAndLabels(drawn);
}

/** Turns a comparison into the paths and texts that pictures show. */
export interface DiffPictureOptions {
  /** Default: that it is a comparison. */
  readonly title?: string;
  /** Callers above callees. */
  readonly icicle?: boolean;
  /** Default: the time after. */
  readonly widthOf?: WidthOf;
}

/** Returns the paths, the narrowest merged into blocks. `share`: of the width, of the narrowest frame that is not merged. */
export function drawnPaths(comparison: Comparison, widthOf: WidthOf, share: number): DiffPaths {
  const all = diffPaths(columnsOf(comparison));
  const { total } = tableOf(all, widthOf);
  const { parent, symbol } = all;
  const { nodes, isKept, gather } = largestFrames(
    { length: parent.length, parent },
    total,
    share * (total[0] as number),
  );
  if (nodes.length === parent.length) return all;
  const newId = new Int32Array(parent.length);
  nodes.forEach((node, row) => {
    newId[node] = row;
  });
  const side = (of: SideColumns): SideColumns => ({
    calls: gather(of.calls),
    inferredCalls: gather(of.inferredCalls),
    selfNs: gather(of.selfNs),
    completeNs: pick(of.completeNs, nodes),
    minNs: pick(of.minNs, nodes),
    maxNs: pick(of.maxNs, nodes),
  });
  return diffPaths({
    ...all,
    parent: nodes.map((node) => (parent[node] === NONE ? NONE : newId[parent[node]])),
    symbol: nodes.map((node) => (isKept(node) ? symbol[node] : NONE)),
    omitted: gather(Float64Array.from(parent, (_, node) => (isKept(node) ? 0 : 1))),
    before: side(all.before),
    after: side(all.after),
  });
}

function pick(values: Float64Array, nodes: Int32Array): Float64Array {
  return Float64Array.from(nodes, (node) => values[node] as number);
}

function columnsOf({ before, after, names, scales, per }: Comparison): PathColumns {
  const side = (tree: SideColumns) =>
    Object.fromEntries(SIDE_COLUMNS.map((name) => [name, tree[name]])) as unknown as SideColumns;
  return {
    ...{ parent: before.parent, symbol: before.symbol, scales, per },
    names: names.map(({ name }) => visibleText(name)),
    omitted: new Float64Array(before.length),
    before: side(before),
    after: side(after),
  };
}

export const DEFAULT_TITLE = 'Differential flame graph';

const WIDTH_TEXTS: Readonly<Record<WidthOf, string>> = {
  after: 'Width: time after; paths that are gone are as wide as before.',
  before: 'Width: time before; new paths are as wide as after.',
  larger: 'Width: the larger of the times before and after, path by path.',
};

/** A picture has less space than a terminal. */
const MAX_CAUSES = 2;

export interface DiffTexts {
  readonly lines: readonly [before: string, after: string];
  readonly warnings: readonly string[];
  readonly notes: readonly string[];
}

/** `widthOf`: unless it can be chosen. */
export function diffTexts({ profiles, per }: Pick<Comparison, 'profiles' | 'per'>, widthOf?: WidthOf): DiffTexts {
  const of = (side: 'before' | 'after') => {
    const { line, notes, damage, warnings } = qualitySummary(profiles[side], MAX_CAUSES);
    const named = (text: string) => `${side}: ${text}`;
    return {
      subtitle: named(subtitleOf(profiles[side], 0)),
      warnings: [...damage, ...warnings].map(named),
      notes: [line, ...notes].map(named),
    };
  };
  const [before, after] = [of('before'), of('after')];
  const scaled =
    per === null
      ? []
      : [`Times and calls are per ${per === 'call' ? 'call of the outermost functions' : 'second recorded'}.`];
  return {
    lines: [before.subtitle, after.subtitle],
    warnings: [...before.warnings, ...after.warnings],
    notes: [
      `${widthOf ? `${WIDTH_TEXTS[widthOf]} ` : ''}Colour and texture: how the time of a frame changed, with all that it calls.`,
      ...scaled,
      ...before.notes,
      ...after.notes,
    ],
  };
}

/** Returns entries for the changes that are drawn. */
export function diffLegend({ boxes, classOf }: Pick<Drawing, 'boxes' | 'classOf'>): LegendEntry[] {
  const drawn = new Set<string>();
  for (let box = 0; box < boxes.length; box++)
    if (boxes.widthPx[box] > 0) drawn.add(classOf(boxes.node[box] as NodeId));
  return Object.entries(LEGEND)
    .filter(([swatch]) => drawn.has(swatch))
    .map(([swatch, text]) => ({ swatch, text }));
}
