/**
 * Asks for what threads did at single moments, in any order, and brings the answers back into that order.
 */
import type { LogAnswers } from '../../analysis/log/join-answers.js';
import { NONE, type Tid } from '../../model/units.js';
import type { AskedThreads } from '../replay/replay-thread.js';

/** Columns: what did this thread do at this time? NONE or NaN: not a question. */
export interface Moments {
  readonly tid: Int32Array;
  readonly timeNs: Float64Array;
}

export interface OrderedMoments {
  readonly asked: AskedThreads;
  /** By thread: the rows of its moments, by time. */
  readonly rows: ReadonlyMap<Tid, Uint32Array>;
}

/** `isKnown`: whether a thread can be asked. */
export function orderMoments({ tid, timeNs }: Moments, isKnown: (tid: Tid) => boolean): OrderedMoments {
  const lists = new Map<Tid, number[]>();
  tid.forEach((each, row) => {
    if (each === NONE || Number.isNaN(timeNs[row]) || !isKnown(each)) return;
    const list = lists.get(each);
    if (list) list.push(row);
    else lists.set(each, [row]);
  });
  const rows = new Map([...lists].map(([each, list]) => [each, inOrder(list, timeNs)]));
  const asked = new Map(
    [...rows].map(([each, own]) => {
      const nodesAt = Float64Array.from(own, (row) => timeNs[row]);
      return [each, { nodesAt, treesOver: null, spans: null, spanTrees: null }];
    }),
  );
  return { asked, rows };
}

/** Returns the node of each moment; NONE: not asked, or not observed. */
export function nodesOfMoments(length: number, { rows }: OrderedMoments, { threads }: LogAnswers): Int32Array {
  const nodes = new Int32Array(length).fill(NONE);
  for (const [tid, own] of rows) {
    const answer = threads.get(tid)?.nodesAt;
    if (answer)
      own.forEach((row, at) => {
        nodes[row] = answer.node[at];
      });
  }
  return nodes;
}

function inOrder(rows: readonly number[], timeNs: Float64Array): Uint32Array {
  return Uint32Array.from(rows).sort((a, b) => timeNs[a] - timeNs[b] || a - b);
}
