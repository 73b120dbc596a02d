/**
 * Asks for what threads did at single moments, in any order, and brings the answers back into that order.
 */
import type { LogAnswers, ThreadQuestions } from '../../analysis/log/answer-thread.js';
import { inOrder, timeOrder } from '../../model/sample-tables-builder.js';
import { NONE, type Tid } from '../../model/units.js';
import type { AskedThreads } from '../../pipeline/replay/replay-setup.js';
import { atPlaces, groupPlaces, rowsAt } from '../../waits/input/group-rows.js';

/** Columns: what did this thread do at this time? NONE or NaN: not a question. */
interface Moments {
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
  const asked = tid.map((each, row) => (Number.isNaN(timeNs[row]) ? NONE : each));
  const { keys, starts, places } = groupPlaces(asked);
  const [allRows, allNs] = [rowsAt(places), atPlaces(timeNs, places)];
  const rows = new Map<Tid, Uint32Array>();
  const questions = new Map<Tid, ThreadQuestions>();
  keys.forEach((each, group) => {
    if (each === NONE || !isKnown(each)) return;
    const ownRows = allRows.subarray(starts[group], starts[group + 1]);
    const ownNs = allNs.subarray(starts[group], starts[group + 1]);
    const order = timeOrder(ownNs);
    rows.set(each, inOrder(ownRows, order));
    questions.set(each, { nodesAt: inOrder(ownNs, order), treesOver: null, spans: null, spanTrees: null });
  });
  return { asked: questions, rows };
}

/** Returns the node of each moment; NONE: not asked, or not observed. */
export function nodesOfMoments(length: number, { rows }: OrderedMoments, { threads }: LogAnswers): Int32Array {
  const nodes = new Int32Array(length).fill(NONE);
  for (const [tid, own] of rows) {
    const answer = threads.get(tid)?.nodesAt;
    if (answer) for (let at = 0; at < own.length; at++) nodes[own[at]] = answer.node[at];
  }
  return nodes;
}
