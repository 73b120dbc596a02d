/**
 * Applies a selection of calls to waits, as a call tree applies it to time: which waits are inside of the calls, and what
 * of a stack is shown.
 */

import type { ThreadQuestions } from '../../analysis/log/answer-thread.js';
import {
  type CallFilter,
  type CallSelection,
  type FunctionSet,
  isDirectRecursion,
  isInSet,
} from '../../analysis/questions.js';
import { ROOT } from '../../model/calls/call-tree.js';
import type { Shape } from '../../model/calls/overlay.js';
import { NONE, type NodeId, type SymbolId, UNBOUNDED } from '../../model/units.js';
import { eachWaitWithin } from '../../waits/summary/interval-sums.js';
import type { CallsOfWaits, TraceWaits } from './ask-waits.js';

/** By wait; 1: a part of it is in the selected time of a selected thread, and it is inside of the selected calls. */
export async function selectedWaits(
  { waits, shown, threads }: TraceWaits,
  calls: CallsOfWaits,
  filter: CallFilter | null,
): Promise<Uint8Array> {
  const selected = shown.isWithin.map((is, wait) => is & Number(threads.of(waits.tid[wait]).isSelected));
  if (filter === null) return selected;
  for (const condition of conditionsOf(filter)) {
    const isMet = await waitsIn(condition, waits, calls, filter.foldsRecursion);
    for (let wait = 0; wait < waits.length; wait++) selected[wait] &= isMet[wait];
  }
  return selected;
}

function conditionsOf({ inside, root }: CallFilter): CallSelection[] {
  return [...inside, ...(root ? [{ functions: root, durations: null }] : [])];
}

/** By wait; 1: its stack has one of the functions, in a call of the wanted duration. */
async function waitsIn(
  selection: CallSelection,
  waits: TraceWaits['waits'],
  calls: CallsOfWaits,
  foldsRecursion: boolean,
): Promise<Uint8Array> {
  const isInside = nodesInside(calls.paths, selection.functions);
  const isOfDuration = selection.durations && (await waitsInSpans(selection, waits, calls, foldsRecursion));
  return Uint8Array.from(calls.waiterNode, (node, wait) => {
    return node === NONE ? 0 : isInside[node] & (isOfDuration?.[wait] ?? 1);
  });
}

/** By call path; 1: it has one of the functions. */
function nodesInside({ length, parent, symbol }: Shape, functions: FunctionSet): Uint8Array {
  const isInside = new Uint8Array(length);
  for (let node = ROOT + 1; node < length; node++)
    isInside[node] = isInside[parent[node]] | Number(isInSet(functions, symbol[node]));
  return isInside;
}

/** By wait; 1: such a call lasted while the thread waited. */
async function waitsInSpans(
  calls: CallSelection,
  waits: TraceWaits['waits'],
  { askable }: CallsOfWaits,
  foldsRecursion: boolean,
): Promise<Uint8Array> {
  const question: ThreadQuestions = {
    ...{ nodesAt: null, treesOver: null, spanTrees: null },
    spans: { calls, window: UNBOUNDED },
  };
  const { threads, paths } = await askable.ask(new Map(Array.from(waits.tids, (tid) => [tid, question])));
  const isInside = new Uint8Array(waits.length);
  for (const [tid, { spans }] of threads)
    spans?.node.forEach((node, row) => {
      if (foldsRecursion && isDirectRecursion(paths, node)) return; // part of the call below it
      eachWaitWithin(waits, tid, spans.startNs[row], spans.endNs[row], (wait) => {
        isInside[wait] = 1;
      });
    });
  return isInside;
}

/** Returns the functions of a path, outermost first. `roots`: the outermost of these begins it; null: all of it is shown. */
export function shownPath(
  { parent, symbol }: Shape,
  end: NodeId,
  { foldsRecursion, root: roots }: Pick<CallFilter, 'foldsRecursion' | 'root'>,
): SymbolId[] {
  const path: SymbolId[] = [];
  for (let node = end; node > ROOT; node = parent[node])
    if (!foldsRecursion || !isDirectRecursion({ parent, symbol }, node)) path.push(symbol[node]);
  const first = roots ? path.findLastIndex((own) => isInSet(roots, own)) : path.length - 1;
  return path.slice(0, first + 1).reverse();
}
