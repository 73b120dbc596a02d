/**
 * Turns the calls of a thread into samples: a stack for each time from one change of the stack to the next one.
 */
import { type CallEvents, isBeginning } from '../../model/calls/call-events.js';
import { ROOT } from '../../model/calls/call-tree.js';
import { float64Column, int32Column } from '../../model/columns.js';
import type { Nanoseconds, NodeId } from '../../model/units.js';

/** A sample lasts until the next one; the last one has no length. */
export interface Samples {
  /** Row of the stack, or NONE while no call is open. */
  readonly stack: Int32Array;
  readonly timeNs: Float64Array;
}

/** `stackOf`: of a node of the thread's tree. The samples cover the time from `startNs` to `endNs`. */
export function samplesOf(
  { timeNs, node, kind }: CallEvents,
  stackOf: (node: NodeId) => number,
  { startNs, endNs }: { readonly startNs: Nanoseconds; readonly endNs: Nanoseconds },
): Samples {
  const stack = int32Column();
  const times = float64Column();
  const open: NodeId[] = [];
  let sinceNs = startNs;
  const push = () => {
    stack.push(stackOf(open.at(-1) ?? ROOT));
    times.push(sinceNs);
  };
  for (let row = 0; row < kind.length; row++) {
    if (timeNs[row] > sinceNs || isSeenWithoutTime(node, kind, row)) push();
    if (isBeginning(kind[row])) open.push(node[row]);
    else open.pop();
    sinceNs = timeNs[row];
  }
  push();
  if (endNs > sinceNs) {
    sinceNs = endNs;
    push();
  }
  return { stack: stack.view(), timeNs: times.view() };
}

/** A call of no length would have no sample otherwise, and two calls of a function in a row would be one. */
function isSeenWithoutTime(node: Int32Array, kind: Uint8Array, row: number): boolean {
  if (row === 0) return false;
  const began = isBeginning(kind[row - 1]);
  return began !== isBeginning(kind[row]) && (began || node[row] === node[row - 1]);
}
