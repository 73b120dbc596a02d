/**
 * Renders a profile as one SVG file: any viewer shows it; a browser can also zoom and search.
 */

import { type CallTree, ROOT, selectNodes } from '../../model/calls/call-tree.js';
import type { Profile } from '../../model/profile/profile.js';
import { NONE, type NodeId, type SymbolId } from '../../model/units.js';
import { legendOf, titlesOf } from '../frames/captions.js';
import { familyOf } from '../frames/colours.js';
import { CHARACTER_PX, type Drawing, paintByLibrary, ROW_PX, rectangles, texturePatterns } from '../frames/drawing.js';
import { type FrameColumns, frameNames, frameTable } from '../frames/frame-table.js';
import { librariesOf, NO_LIBRARIES } from '../frames/libraries.js';
import { layout } from '../layout.js';
import { type Grouping, mergeByName } from '../named-tree.js';
import { visibleText } from '../visible-text.js';
import { writeData } from './data.js';
import { HEAD, headOf } from './head.js';
import { SCRIPT } from './script.generated.js';
import { styleSheet } from './style.js';
import { boxMarkup, texturesAndLabels, xml, xmlSource } from './xml.js';

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
  const classOf = paintByLibrary(table);
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
  const { files, of } = librariesOf(profile.symbols);
  const libraries = files.length === 0 ? NO_LIBRARIES : { files, of: symbols.map((symbol) => of[symbol] ?? NONE) };
  return { tree, names, families, libraries, omitted: new Float64Array(tree.length), weight: profile.meta.weight };
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
${texturePatterns()}
<rect class="page" width="100%" height="100%"/>
`;
}

/** Yields the frames in three layers: boxes, textures, labels. */
function* framesMarkup(drawing: Drawing, topPx: number): Generator<string> {
  const drawn = [...rectangles(drawing)];
  yield `<g id="frames" transform="translate(${HEAD.marginPx} ${topPx})">\n<g id="boxes">\n`;
  for (const rectangle of drawn) yield boxMarkup(drawing, rectangle);
  yield '</g>\n';
  yield* texturesAndLabels(drawn);
}

/**
 * Reduces a tree to fit into a file: keeps the largest frames and merges the others into counted blocks in their position.
 *
 * More frames than fit in one view, so that zooming shows more detail; about a megabyte.
 */
const MAX_FRAMES = 20_000;

/** Keeps the `maxFrames` largest frames, and all frames of at least `keptWeight`. */
export function keepLargest(columns: FrameColumns, keptWeight: number, maxFrames = MAX_FRAMES): FrameColumns {
  const { tree, omitted } = columns;
  if (tree.length <= maxFrames) return columns;
  const { nodes, isKept, gather } = largestFrames(tree, frameTable(columns).total, keptWeight, maxFrames);
  const leftOut = omitted.map((count, node) => (isKept(node) ? count : count || 1));
  const selected = selectNodes(tree, nodes);
  return {
    ...columns,
    omitted: gather(leftOut),
    tree: {
      ...selected,
      symbol: nodes.map((node) => (isKept(node) ? tree.symbol[node] : NONE)),
      calls: gather(tree.calls),
      inferredCalls: gather(tree.inferredCalls),
      selfNs: gather(tree.selfNs),
      inferredNs: gather(tree.inferredNs),
    },
  };
}

/** The nodes that remain: frames that are kept, and for others the first of adjacent siblings. */
interface LargestFrames {
  readonly nodes: Int32Array;
  readonly isKept: (node: NodeId) => boolean;
  /** Adds up values by remaining node. */
  readonly gather: (values: Float64Array) => Float64Array;
}

/** `total`: by node, what its width shows. */
export function largestFrames(
  tree: Pick<CallTree, 'length' | 'parent'>,
  total: Float64Array,
  keptWeight: number,
  maxFrames = MAX_FRAMES,
): LargestFrames {
  const largestLeftOut = total.toSorted()[tree.length - 1 - maxFrames] ?? Number.NEGATIVE_INFINITY;
  const isKept = (node: NodeId) => node === ROOT || total[node] > largestLeftOut || total[node] >= keptWeight;
  const representative = representatives(tree, isKept);
  const nodes = Int32Array.from(representative.keys()).filter((node) => representative[node] === node);
  return { nodes, isKept, gather: gatherer(representative, nodes) };
}

/** Returns the node that represents each node: itself if kept, else the first of the adjacent omitted siblings. */
function representatives(
  { length, parent }: Pick<CallTree, 'length' | 'parent'>,
  isKept: (node: NodeId) => boolean,
): Int32Array {
  const representative = new Int32Array(length);
  /** For each kept node: the block that its previous child belongs to, if that child is omitted. */
  const neighbour = new Int32Array(length).fill(NONE);
  for (let node = ROOT; node < length; node++) {
    representative[node] = node;
    if (node === ROOT) continue;
    const caller = parent[node];
    if (isKept(node)) neighbour[caller] = NONE;
    else if (!isKept(caller)) representative[node] = representative[caller];
    else if (neighbour[caller] !== NONE) representative[node] = neighbour[caller];
    else neighbour[caller] = node;
  }
  return representative;
}

/** Returns a function that adds up values by representing node. */
function gatherer(representative: Int32Array, nodes: Int32Array): (values: Float64Array) => Float64Array {
  const row = new Int32Array(representative.length);
  nodes.forEach((node, index) => {
    row[node] = index;
  });
  return (values) => {
    const sums = new Float64Array(nodes.length);
    values.forEach((value, node) => {
      sums[row[representative[node]]] += value;
    });
    return sums;
  };
}
