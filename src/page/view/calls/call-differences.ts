/**
 * Finds what a slow call did longer than the average one: functions that it called, and stops.
 */

import { rowsInWindow } from '../../../analysis/timeline/spans-builder.js';
import type { Shape } from '../../../model/calls/overlay.js';
import { PIECE, type ThreadSpans } from '../../../model/profile/timeline.js';
import type { Bounds, Nanoseconds, SymbolId } from '../../../model/units.js';
import type { ListedCall } from './find-listed-calls.js';

/** What a call did longer than the average one. */
export interface LongerCallee {
  readonly symbol: SymbolId;
  /** At least this much, as short calls may not be listed. */
  readonly moreNs: Nanoseconds;
}

/** Smaller parts of the duration of the call are not worth a word. */
const MIN_SHARE = 0.05;
const MAX_CALLEES = 2;
/** A call with more calls inside is not searched. */
export const MAX_ROWS = 200_000;

/**
 * Returns how long the functions that the call called directly took in it, within `bounds`; null: unknown. `spans`: the calls
 * of its thread, of which those inside the call matter. `nodes`: the thread's nodes, as nodes of the shape.
 */
export function calleeTimes(
  call: ListedCall,
  spans: ThreadSpans,
  nodes: Int32Array,
  shape: Shape,
  bounds: Bounds,
): Map<SymbolId, Nanoseconds> | null {
  if (call.isSplit) return null;
  const { startNs, endNs } = call;
  const [fromNs, toNs] = [Math.max(startNs, bounds.startNs), Math.min(endNs, bounds.endNs)];
  const found = rowsInWindow(spans, 0, fromNs, toNs);
  if (found.reduce((sum, { from, to }) => sum + to - from, 0) > MAX_ROWS) return null;
  const times = new Map<SymbolId, Nanoseconds>();
  for (const { level, from, to } of found) {
    const inner = spans.levels[level];
    for (let row = from; row < to; row++) {
      const node = nodes[inner.node[row]];
      const isInside = inner.startNs[row] >= startNs && inner.endNs[row] <= endNs && inner.ending[row] !== PIECE;
      if (!isInside || shape.parent[node] !== nodes[call.node]) continue;
      const symbol = shape.symbol[node];
      const ns = Math.min(inner.endNs[row], toNs) - Math.max(inner.startNs[row], fromNs);
      times.set(symbol, (times.get(symbol) ?? 0) + Math.max(0, ns));
    }
  }
  return times;
}

/**
 * `times`: by function called directly, in the call. `averageNs`: per call. Returns the largest difference first.
 */
export function longerCallees(
  { durationNs }: Pick<ListedCall, 'durationNs'>,
  times: ReadonlyMap<SymbolId, Nanoseconds>,
  averageNs: ReadonlyMap<SymbolId, Nanoseconds>,
): LongerCallee[] {
  return [...times]
    .map(([symbol, ns]) => ({ symbol, moreNs: ns - (averageNs.get(symbol) ?? 0) }))
    .filter(({ moreNs }) => moreNs > MIN_SHARE * durationNs)
    .sort((a, b) => b.moreNs - a.moreNs || a.symbol - b.symbol)
    .slice(0, MAX_CALLEES);
}
