/**
 * A profile as one SVG file: a picture that any viewer shows, and that a browser can zoom and search.
 */
import { layout } from '../../layout/layout.js';
import { ROOT } from '../../model/calls/call-tree.js';
import type { Profile } from '../../model/profile/profile.js';
import type { SymbolId } from '../../model/units.js';
import { frameNames } from '../frame-names.js';
import { legendOf } from '../frames/captions.js';
import { CHARACTER_PX, type Drawing, HATCH_PATTERN, paintByFunction, ROW_PX, rectangles } from '../frames/drawing.js';
import { familyOf } from '../frames/families.js';
import { type FrameColumns, frameTable } from '../frames/frame-table.js';
import { titlesOf } from '../frames/recording-name.js';
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
  /** Left out: what was recorded, where and when, as far as that is known. */
  readonly title?: string;
  /** Of the picture as it is in the file; in a browser it takes the width of the window. */
  readonly widthPx?: number;
  /** Callers above callees. */
  readonly icicle?: boolean;
  /** Narrower frames are drawn together with their neighbours. */
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

/** The file, in pieces. */
export function* renderSvg(profile: Profile, options: SvgOptions = {}): Generator<string> {
  const { widthPx, icicle, minPx, by } = { ...SVG_DEFAULTS, ...options };
  const { title, windowTitle } = titlesOf(profile, options.title);
  const roomPx = widthPx - 2 * HEAD.marginPx;
  const all = framesOf(profile, by);
  const kept = keepLargest(all, drawnWeight(all, minPx / roomPx));
  const table = frameTable(kept);
  const boxes = layout(table, { first: ROOT, last: ROOT, widthPx: roomPx, minPx });
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

/** The weight of the narrowest frame that is drawn by itself. */
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

/** In three layers: boxes, what hatches them, labels. */
function* framesMarkup(drawing: Drawing, topPx: number): Generator<string> {
  const drawn = [...rectangles(drawing)];
  yield `<g id="frames" transform="translate(${HEAD.marginPx} ${topPx})">\n<g id="boxes">\n`;
  for (const rectangle of drawn) yield boxMarkup(drawing, rectangle);
  yield '</g>\n';
  yield* hatchingAndLabels(drawn, 'id="hatched" ');
}
