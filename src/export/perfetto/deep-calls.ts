/**
 * Leaves out calls that are nested too deeply for Perfetto: its trace processor keeps stacks of 512 slices, and gives those
 * below wrong ends if there are more, without an error.
 */
import { type CallEvents, forEachEvent, isBeginning } from '../../model/calls/call-events.js';
import { int32Column, valuesOf } from '../../model/columns.js';

export const MAX_DEPTH = 512;

/** Returns the other events, and how many calls (and parts of calls) are left out. */
export function withoutDeepCalls(events: CallEvents): { readonly events: CallEvents; readonly leftOut: number } {
  const { timeNs, node, kind } = events;
  if (deepestOf(events) < MAX_DEPTH) return { events, leftOut: 0 };
  const kept = int32Column();
  let row = 0;
  forEachEvent(events, (_kind, _timeNs, _node, depth) => {
    if (depth < MAX_DEPTH) kept.push(row);
    row++;
  });
  const rows = kept.view();
  return {
    events: { timeNs: valuesOf(timeNs, rows), node: valuesOf(node, rows), kind: valuesOf(kind, rows) },
    leftOut: (kind.length - rows.length) / 2,
  };
}

/** Returns the depth of the deepest call, from 0. */
function deepestOf({ kind }: CallEvents): number {
  let open = 0;
  let most = 0;
  for (let row = 0; row < kind.length; row++) {
    if (isBeginning(kind[row])) most = Math.max(most, ++open);
    else open--;
  }
  return most - 1;
}
