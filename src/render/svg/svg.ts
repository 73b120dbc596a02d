/**
 * Renders a profile as one SVG file: any viewer shows it; a browser can also zoom and search.
 */

import { ROOT } from '../../model/calls/call-tree.js';
import type { Profile } from '../../model/profile/profile.js';
import type { SymbolId } from '../../model/units.js';
import { frameNames } from '../frame-names.js';
import { legendOf } from '../frames/captions.js';
import { CHARACTER_PX, type Drawing, HATCH_PATTERN, paintByFunction, ROW_PX, rectangles } from '../frames/drawing.js';
import { familyOf } from '../frames/families.js';
import { type FrameColumns, frameTable } from '../frames/frame-table.js';
import { titlesOf } from '../frames/recording-name.js';
import { layout } from '../layout.js';
import { type Grouping, mergeByName } from '../named-tree.js';
import { visibleText } from '../visible-text.js';
import { writeData } from './data.js';
import { boxMarkup, hatchingAndLabels } from './frames-markup.js';
import { headOf } from './head.js';
import { HEAD } from './head-shape.js';
import { keepLargest } from './keep-largest.js';
import { SCRIPT } from './script.generated.js';
import { styleSheet } from './style.js';
import { xml, xmlSource } from './xml.js';

export interface SvgOptions {
  /** Default: what was recorded, where and when, if known. */
  readonly title?: string;
  /** Width in the file; a browser uses the width of the window. */
  readonly widthPx?: number;
  /** Callers above callees. */
  readonly icicle?: boolean;
  /** Narrower frames are merged with their neighbours. */
  readonly minPx?: number;
  /** Puts a root frame above the threads that belong together. */
  readonly by?: Grouping;
}

export const SVG_DEFAULTS = {
  widthPx: 1200,
  icicle: false,
  minPx: 1 / 3,
  by: 'none',
} as const satisfies SvgOptions;

/** Yields the file in parts. */
export function* renderSvg(profile: Profile, options: SvgOptions = {}): Generator<string> {
  const { widthPx, icicle, minPx, by } = { ...SVG_DEFAULTS, ...options };
  const { title, windowTitle } = titlesOf(profile, options.title);
  const availablePx = widthPx - 2 * HEAD.marginPx;
  const all = framesOf(profile, by);
  const kept = keepLargest(all, drawnWeight(all, minPx / availablePx));
  const table = frameTable(kept);
  const boxes = layout(table, { first: ROOT, last: ROOT, widthPx: availablePx, minPx });
  const legend = legendOf(table, boxes);
  const head = headOf(profile, { title, legend, total: table.total[ROOT], widthPx });
  const heightPx = head.heightPx + boxes.rowCount * ROW_PX + HEAD.marginPx;
  yield opening(windowTitle, widthPx, heightPx);
  const classOf = paintByFunction(table);
  const drawing = { table, boxes, isIcicle: icicle, rowCount: boxes.rowCount, characterPx: CHARACTER_PX, classOf };
  yield* framesMarkup(drawing, head.heightPx);
  yield head.markup;
  yield `<metadata id="data">${writeData(kept, { isIcicle: icicle, minPx })}</metadata>\n`;
  yield `<script>${xmlSource(SCRIPT)}</script>\n</svg>\n`;
}

function framesOf(profile: Profile, by: Grouping): FrameColumns {
  const functions = frameNames(profile.symbols, usedSymbols(profile));
  const { tree, names, symbols } = mergeByName(profile, by, { functions, group: visibleText });
  const families = symbols.map((symbol) => familyOf(symbol, profile.symbols));
  return { tree, names, families, omitted: new Float64Array(tree.length), weight: profile.meta.weight };
}

function usedSymbols({ threads, together }: Profile): ReadonlySet<SymbolId> {
  const used = new Set<SymbolId>();
  for (const { symbol } of together ? [together] : threads.map(({ tree }) => tree))
    for (let node = ROOT + 1; node < symbol.length; node++) used.add(symbol[node]);
  return used;
}

/** Returns the weight of the narrowest frame that is not merged. */
function drawnWeight(columns: FrameColumns, share: number): number {
  return share * frameTable(columns).total[ROOT];
}

function opening(title: string, widthPx: number, heightPx: number): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<svg xmlns="http://www.w3.org/2000/svg" width="${widthPx}" height="${heightPx}" viewBox="0 0 ${widthPx} ${heightPx}">
<title>${xml(title)}</title>
<style>${xmlSource(styleSheet())}</style>
${HATCH_PATTERN}
<rect class="page" width="100%" height="100%"/>
`;
}

/** Yields the frames in three layers: boxes, hatching, labels. */
function* framesMarkup(drawing: Drawing, topPx: number): Generator<string> {
  const drawn = [...rectangles(drawing)];
  yield `<g id="frames" transform="translate(${HEAD.marginPx} ${topPx})">\n<g id="boxes">\n`;
  for (const rectangle of drawn) yield boxMarkup(drawing, rectangle);
  yield '</g>\n';
  yield* hatchingAndLabels(drawn, 'id="hatched" ');
}
