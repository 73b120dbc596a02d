/**
 * A thread as its stack chart needs it: its calls by time, and the depth and the function of each call path.
 */

import { ROOT } from '../../../model/calls/call-tree.js';
import type { ThreadSpans, Timeline } from '../../../model/profile/timeline.js';
import { SymbolKind } from '../../../model/symbol-table.js';
import type { Bounds, Nanoseconds, Tid } from '../../../model/units.js';
import type { PageData } from '../../data/page-data.js';
import { type UnlistedCalls, unlistedCalls } from './unlisted-calls.js';

export interface ChartThread {
  readonly tid: Tid;
  readonly durationNs: Nanoseconds;
  readonly spans: ThreadSpans;
  /** Node of the shape for each node of the thread. */
  readonly node: Int32Array;
  /** By node of the thread: 0 for the thread itself, 1 for its outermost functions. Inlined functions have no calls, and so no row. */
  readonly depth: Int32Array;
  readonly symbol: Int32Array;
  /** By node of the thread: 1 if functions were called there. Stops call nothing. */
  readonly hasCallees: Uint8Array;
  /** Rows of its deepest call. */
  readonly rows: number;
  /** The calls that are too short to be listed. */
  readonly unlisted: UnlistedCalls;
  /** null: all of `spans` and `unlisted` is right at any time. */
  readonly within: KnownWithin | null;
}

/** Calls that a server sent are known in a window. */
export interface KnownWithin {
  readonly window: Bounds;
  /** What is known at any time. */
  readonly elsewhere: ChartThread;
}

/** Returns null if the timeline does not have the thread. */
export function chartThread({ shape, threads, symbols }: PageData, timeline: Timeline, tid: Tid): ChartThread | null {
  const timed = timeline.threads.find((thread) => thread.tid === tid);
  const thread = threads.find((one) => one.tid === tid);
  if (timed === undefined || thread === undefined) return null;
  const shapeDepth = depthsOf(shape, symbols);
  const depth = thread.node.map((node) => shapeDepth[node]);
  return {
    tid,
    durationNs: timeline.durationNs,
    spans: timed.spans,
    node: thread.node,
    depth,
    symbol: thread.node.map((node) => shape.symbol[node]),
    hasCallees: callersOf(shape, symbols, thread.node),
    rows: deepestOf(timed.spans, depth),
    unlisted: unlistedCalls(timeline, timed),
    within: null,
  };
}

/** Returns the thread as far as it is known of an interval. */
export function knownOf(thread: ChartThread, { startNs, endNs }: Bounds): ChartThread {
  const { within } = thread;
  const isKnown = within === null || (startNs >= within.window.startNs && endNs <= within.window.endNs);
  return isKnown ? thread : within.elsewhere;
}

type Shape = PageData['shape'];
type Symbols = Pick<PageData['symbols'], 'kind'>;

/** Returns the number of calls down to each node. */
function depthsOf({ length, parent, symbol }: Shape, { kind }: Symbols): Int32Array {
  const depth = new Int32Array(length);
  for (let node = ROOT + 1; node < length; node++)
    depth[node] = depth[parent[node]] + (kind[symbol[node]] === SymbolKind.Inlined ? 0 : 1);
  return depth;
}

/**
 * A node of the shape has no callees here if only other threads called something there. What inlined code calls, the function
 * around it calls.
 */
function callersOf({ length, parent, symbol }: Shape, { kind }: Symbols, nodes: Int32Array): Uint8Array {
  const isCaller = new Uint8Array(length);
  for (const node of nodes) {
    if (node === ROOT) continue;
    let caller = parent[node];
    while (kind[symbol[caller]] === SymbolKind.Inlined) caller = parent[caller];
    isCaller[caller] = 1;
  }
  return Uint8Array.from(nodes, (node) => isCaller[node]);
}

function deepestOf({ levels }: ThreadSpans, depth: Int32Array): number {
  let deepest = 0;
  for (const { node } of levels)
    for (let row = 0; row < node.length; row++) deepest = Math.max(deepest, depth[node[row]]);
  return deepest + 1; // blocks are one row below their caller
}
