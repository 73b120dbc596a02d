/**
 * Turns a comparison into the paths and texts that pictures show.
 */
import { NONE, type NodeId } from '../../model/units.js';
import { type LegendEntry, subtitleOf } from '../frames/captions.js';
import type { Drawing } from '../frames/drawing.js';
import { qualitySummary } from '../quality-summary.js';
import { largestFrames } from '../svg/keep-largest.js';
import { visibleText } from '../visible-text.js';
import { LEGEND } from './colours.js';
import type { Comparison } from './comparison.js';
import {
  type DiffPaths,
  diffPaths,
  type PathColumns,
  SIDE_COLUMNS,
  type SideColumns,
  tableOf,
  type WidthOf,
} from './paths.js';

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
