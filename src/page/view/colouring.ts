/**
 * Determines the colours of frames, as CSS classes, and their meaning.
 */
import { isStop as isStopSymbol, timeSums } from '../../analysis/tree/outside.js';
import { type CallTree, ROOT } from '../../model/calls/call-tree.js';
import { totalTimes } from '../../model/calls/tree-view.js';
import type { NodeId } from '../../model/units.js';
import { paintByChange } from '../../render/diff/wording.js';
import { formatDuration } from '../../render/format.js';
import { isStop } from '../../render/frames/colours.js';
import { type Paint, paintByFunction, paintByLibrary } from '../../render/frames/drawing.js';
import { type FrameTable, familyOfNode, subtreeSums } from '../../render/frames/frame-table.js';
import type { ComparedTable } from './comparison.js';
import type { Colouring } from './state.js';

/** Number of steps of the scale, from pale to strong: `.s0` to `.s7`. */
export const STEPS = 8;

export interface Painter {
  /** Returns the CSS class of a frame: `f02`, `s0`, `off-cpu`. */
  readonly classOf: Paint;
  /** Colours show libraries. */
  readonly showsLibraries: boolean;
  /** Lower bound of each step; null if colours show libraries or functions. */
  readonly steps: readonly string[] | null;
  /** Legend text for frames that are not on the scale. */
  readonly others: string;
  /** Additional legend text. */
  readonly note: string;
  /** Colours show how call paths changed. */
  readonly showsChanges: boolean;
}

const NO_SCALE = { showsLibraries: false, steps: null, others: '', note: '', showsChanges: false } as const;

/** Returns the painter. `isFromLeaves`: the tree starts at leaves, with callers as children. */
export function painterOf(table: FrameTable, colouring: Colouring, isFromLeaves = false): Painter {
  switch (colouring) {
    case 'library':
      return { ...NO_SCALE, classOf: paintByLibrary(table), showsLibraries: true };
    case 'function':
      return { ...NO_SCALE, classOf: paintByFunction(table) };
    case 'average': {
      const note = hasInferredCalls(table) ? 'with inferred calls: lower bound' : '';
      return { ...onScale(table, byAverage(table)), others: 'no calls, or stops', note };
    }
    case 'outside':
      return { ...onScale(table, byOutside(table, isFromLeaves)), others: 'stops' };
  }
}

function onScale(table: FrameTable, { measure, starts, format }: Scale): Painter {
  const classOf = (node: NodeId) => {
    const value = isStop(familyOfNode(table, node)) ? Number.NaN : measure(node);
    const step = starts.findLastIndex((start) => value >= start);
    return Number.isNaN(value) ? 'group' : `s${Math.max(0, step)}`;
  };
  return { ...NO_SCALE, classOf, steps: starts.map(format) };
}

export function painterOfChanges({ paths }: ComparedTable): Painter {
  return { ...NO_SCALE, classOf: paintByChange(paths), showsChanges: true };
}

interface Scale {
  /** Returns the value of a node; NaN if it has none. */
  readonly measure: (node: NodeId) => number;
  readonly starts: readonly number[];
  readonly format: (value: number) => string;
}

/**
 * Scale of the average duration: each step is ten times the one before. With inferred calls, their known time is divided by
 * all calls, which is a lower bound of the average.
 */
function byAverage({ tree }: FrameTable): Scale {
  const totalNs = totalTimes(tree);
  const measure = (node: NodeId) => {
    const calls = tree.calls[node];
    if (calls === 0) return Number.NaN;
    const completeNs = tree.completeNs[node];
    if (tree.inferredCalls[node] === 0) return completeNs / calls;
    return Math.max(totalNs[node], completeNs + tree.longestCutNs[node]) / calls;
  };
  const starts = [0, 100, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8];
  const format = (ns: number) => (ns === 0 ? 'below 100 ns' : formatDuration(ns));
  return { measure, starts, format };
}

function hasInferredCalls({ tree }: FrameTable): boolean {
  return tree.inferredCalls.some((calls) => calls > 0);
}

function byOutside({ tree }: FrameTable, isFromLeaves: boolean): Scale {
  const { totalNs, outsideNs } = isFromLeaves ? leafSums(tree) : timeSums(tree);
  const measure = (node: NodeId) => (totalNs[node] > 0 ? outsideNs[node] / totalNs[node] : Number.NaN);
  const starts = Array.from({ length: STEPS }, (_, step) => step / STEPS);
  return { measure, starts, format: (share) => `${100 * share} %` };
}

/** Sums for trees from leaves: time belongs to the function that starts the path. */
function leafSums(tree: CallTree): { readonly totalNs: Float64Array; readonly outsideNs: Float64Array } {
  const isOutside = new Uint8Array(tree.length);
  for (let node = ROOT + 1; node < tree.length; node++)
    isOutside[node] =
      tree.parent[node] === ROOT ? Number(isStopSymbol(tree.symbol[node])) : isOutside[tree.parent[node]];
  const outsideNs = subtreeSums(
    tree,
    tree.selfNs.map((ns, node) => (isOutside[node] ? ns : 0)),
  );
  return { totalNs: totalTimes(tree), outsideNs };
}
