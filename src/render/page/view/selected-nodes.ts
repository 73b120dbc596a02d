/**
 * What is looked at → which paths of the threads are in it, whichever threads are chosen: so every thread can tell how much of
 * its time is there.
 */
import { ROOT } from '../../../model/calls/call-tree.js';
import type { NodeId, SymbolId } from '../../../model/units.js';
import type { Shape } from '../data/page-data.js';
import type { State } from './state.js';

export interface NodeSelection extends Pick<State, 'focus' | 'hidden' | 'foldsRecursion' | 'zoom'> {
  /** The siblings that fill the width, of which the zoom leads to the first. */
  readonly zoomedSiblings: ReadonlySet<SymbolId>;
  /** The zoom goes from functions to their callers. */
  readonly isFromLeaves: boolean;
  /** By symbol: only what is inside of these; null: all. */
  readonly isMatch: readonly boolean[] | null;
}

/** What of a node of the shape counts: of recursion that is one frame, the time alone. */
export const Counted = { Nothing: 0, Time: 1, All: 2 } as const;

/** What is left out of the zoom. */
const OUTSIDE = -1;

/** By node of the shape. */
export function selectedNodes(shape: Shape, sight: NodeSelection): Uint8Array {
  const { parent, symbol, length } = shape;
  const { focus, foldsRecursion, zoom, isFromLeaves, isMatch } = sight;
  const hidden = new Set(sight.hidden);
  const isHidden = new Uint8Array(length);
  const isShown = new Uint8Array(length); // below the focus, and not hidden
  const isFound = new Uint8Array(length);
  const zoomed = new Int32Array(length); // so many frames of its path are the first ones of the zoom, or BESIDE
  const seen = new Uint8Array(length);
  isShown[ROOT] = focus === null ? 1 : 0;
  isFound[ROOT] = isMatch === null ? 1 : 0;
  if (isShown[ROOT] && isFound[ROOT] && zoom.length === 0) seen[ROOT] = Counted.All;
  for (let node: NodeId = ROOT + 1; node < length; node++) {
    const caller = parent[node];
    const own = symbol[node];
    const isInside = isShown[caller] === 1 || own === focus;
    if (isHidden[caller] || (isInside && hidden.has(own))) isHidden[node] = 1;
    else if (isInside) {
      isShown[node] = 1;
      isFound[node] = isFound[caller] || isMatch?.[own] ? 1 : 0;
      const isFolded = foldsRecursion && caller !== ROOT && isShown[caller] === 1 && symbol[caller] === own;
      zoomed[node] = isFolded ? zoomed[caller] : advance(sight, isShown[caller] ? zoomed[caller] : 0, own);
      const isIn = isFromLeaves ? isBelowLeaf(shape, isShown, sight, node) : zoomed[node] >= zoom.length;
      if (isIn && isFound[node]) seen[node] = isFolded ? Counted.Time : Counted.All;
    }
  }
  return seen;
}

/** One frame further along a path of which so many are those of the zoom. */
function advance({ zoom, zoomedSiblings }: NodeSelection, frames: number, symbol: SymbolId): number {
  if (frames === OUTSIDE || frames >= zoom.length) return frames;
  const isOnTheWay = frames === zoom.length - 1 ? zoomedSiblings.has(symbol) : zoom[frames] === symbol;
  return isOnTheWay ? frames + 1 : OUTSIDE;
}

/** Its path, from the leaf to its callers, begins with the zoom. */
function isBelowLeaf({ parent, symbol }: Shape, isShown: Uint8Array, sight: NodeSelection, leaf: NodeId): boolean {
  let frames = 0;
  let below = -1;
  for (let node = leaf; node !== ROOT && isShown[node] && frames !== OUTSIDE && frames < sight.zoom.length; ) {
    if (!sight.foldsRecursion || symbol[node] !== below) frames = advance(sight, frames, symbol[node]);
    below = symbol[node];
    node = parent[node];
  }
  return frames === sight.zoom.length;
}
