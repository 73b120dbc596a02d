/**
 * Determines which nodes of the shape are in view, independent of the selected threads, so that every thread can show its time in
 * the view.
 */
import { ROOT } from '../../model/calls/call-tree.js';
import type { Shape } from '../../model/calls/overlay.js';
import type { NodeId, SymbolId } from '../../model/units.js';
import type { State } from './state.js';

export interface NodeSelection extends Pick<State, 'focus' | 'hidden' | 'foldsRecursion' | 'zoom'> {
  /** The siblings that fill the width; the zoom leads to the first of them. */
  readonly zoomedSiblings: ReadonlySet<SymbolId>;
  /** The zoom path leads from functions to their callers. */
  readonly isFromLeaves: boolean;
  /** By symbol: only these functions and their callees are in view; null: all. */
  readonly isMatch: readonly boolean[] | null;
}

/** What counts of a node: of folded recursion, only the time. */
export const Counted = { Nothing: 0, Time: 1, All: 2 } as const;

/** Outside the zoom. */
const OUTSIDE = -1;

/** Returns what counts (`Counted`) of each node of the shape. */
export function selectedNodes(shape: Shape, selection: NodeSelection): Uint8Array {
  const { parent, symbol, length } = shape;
  const { focus, foldsRecursion, zoom, isFromLeaves, isMatch } = selection;
  const hidden = new Set(selection.hidden);
  const isHidden = new Uint8Array(length);
  const isShown = new Uint8Array(length); // below the focus, and not hidden
  const isFound = new Uint8Array(length);
  const zoomed = new Int32Array(length); // number of leading frames of its path that match the zoom, or OUTSIDE
  const counted = new Uint8Array(length);
  isShown[ROOT] = focus === null ? 1 : 0;
  isFound[ROOT] = isMatch === null ? 1 : 0;
  if (isShown[ROOT] && isFound[ROOT] && zoom.length === 0) counted[ROOT] = Counted.All;
  for (let node: NodeId = ROOT + 1; node < length; node++) {
    const caller = parent[node];
    const own = symbol[node];
    const isInside = isShown[caller] === 1 || own === focus;
    if (isHidden[caller] || (isInside && hidden.has(own))) isHidden[node] = 1;
    else if (isInside) {
      isShown[node] = 1;
      isFound[node] = isMatch === null || isFound[caller] || isMatch[own] ? 1 : 0;
      const isFolded = foldsRecursion && caller !== ROOT && isShown[caller] === 1 && symbol[caller] === own;
      zoomed[node] = isFolded ? zoomed[caller] : advance(selection, isShown[caller] ? zoomed[caller] : 0, own);
      const isIn = isFromLeaves ? isBelowLeaf(shape, isShown, selection, node) : zoomed[node] >= zoom.length;
      if (isIn && isFound[node]) counted[node] = isFolded ? Counted.Time : Counted.All;
    }
  }
  return counted;
}

/** Returns the number of matching frames after one more frame of a path. */
function advance({ zoom, zoomedSiblings }: NodeSelection, frames: number, symbol: SymbolId): number {
  if (frames === OUTSIDE || frames >= zoom.length) return frames;
  const isOnTheWay = frames === zoom.length - 1 ? zoomedSiblings.has(symbol) : zoom[frames] === symbol;
  return isOnTheWay ? frames + 1 : OUTSIDE;
}

/** Whether the path from a leaf to its callers starts with the zoom. */
function isBelowLeaf({ parent, symbol }: Shape, isShown: Uint8Array, selection: NodeSelection, leaf: NodeId): boolean {
  let frames = 0;
  let below = -1;
  for (let node = leaf; node !== ROOT && isShown[node] && frames !== OUTSIDE && frames < selection.zoom.length; ) {
    if (!selection.foldsRecursion || symbol[node] !== below) frames = advance(selection, frames, symbol[node]);
    below = symbol[node];
    node = parent[node];
  }
  return frames === selection.zoom.length;
}
