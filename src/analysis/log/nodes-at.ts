/**
 * Finds what was on top of a thread's stack at many moments, in one walk over its log.
 */
import type { CallLog } from '../../model/calls/call-log.js';
import { ROOT } from '../../model/calls/call-tree.js';
import { type Nanoseconds, NONE } from '../../model/units.js';
import { type CallListener, OpenCall, walkCalls } from './walk-calls.js';

/** A row for each moment. */
export interface NodesAt {
  /** The stop that the thread was in, else its function; the root: no function is known; NONE: it was not observed. */
  readonly node: Int32Array;
  /** When that call or stop began; NaN: there is none. */
  readonly sinceNs: Float64Array;
  /** `Certainty` of the call path. */
  readonly certainty: Uint8Array;
}

/** `moments`: ascending. */
export function nodesAt(log: CallLog, moments: Float64Array): NodesAt {
  const node = new Int32Array(moments.length).fill(NONE);
  const sinceNs = new Float64Array(moments.length).fill(Number.NaN);
  const certainty = new Uint8Array(moments.length);
  let row = 0;
  const listener: CallListener = {
    newCall: () => new OpenCall(),
    opened() {},
    closed() {},
    spent(top, fromNs, toNs, certaintyOfPath) {
      while (row < moments.length && moments[row] < fromNs) row++;
      for (; row < moments.length && moments[row] < toNs; row++) {
        node[row] = top === null ? ROOT : top.node;
        sinceNs[row] = top === null ? (Number.NaN as Nanoseconds) : top.entryNs;
        certainty[row] = certaintyOfPath;
      }
    },
  };
  walkCalls(log, listener);
  return { node, sinceNs, certainty };
}
