/**
 * Finds the work that threads may have done for those that woke them.
 */
import { isStop } from '../../../analysis/tree/outside.js';
import { valuesOf } from '../../../model/columns.js';
import { type Nanoseconds, NONE } from '../../../model/units.js';
import type { Flow } from '../../../waits/handoffs/flow.js';
import { HandOffBy } from '../../../waits/handoffs/hand-offs.js';
import type { Moments } from '../../../waits/handoffs/moments.js';
import { Reason } from '../../../waits/reasons/reason.js';
import { eachAlone } from '../../../waits/requests/join-requests.js';
import { OffState } from '../../../waits/schedule/off-state.js';
import { rowEndingFrom, threadOf } from '../../../waits/schedule/schedule.js';
import type { Waits } from '../../../waits/waits.js';
import { WakerKind } from '../../../waits/wakers/find-wakers.js';
import type { CallsOfWaits } from '../../waits/ask-waits.js';
import type { WaitFacts } from '../../waits/wait-facts.js';
import type { PlacedWaits } from '../hosts/host-waits.js';
import type { RootCalls } from '../root-calls.js';

/** Work that a thread took when a wait ended. */
interface TakenWork {
  readonly wait: number;
  readonly endNs: Nanoseconds;
}

/**
 * A thread that another one wakes may work for it from then on, until it wakes that one, or waits again where it waited
 * then. That is a candidate only: the waker need not be the one whose work is taken. Requests do not take work of others.
 * `lastNs`: the end of the recording.
 */
export function flowByWakings(placed: PlacedWaits, roots: RootCalls, lastNs: Nanoseconds): Flow {
  const taken: TakenWork[] = [];
  placed.waits.tids.forEach((_, thread) => {
    for (const work of workTakenBy(thread, placed, roots, lastNs)) taken.push(work);
  });
  return flowOf(placed.waits, taken);
}

/** `thread`: its row among the waits' threads. */
function* workTakenBy(
  thread: number,
  { waits, facts, calls }: PlacedWaits,
  roots: RootCalls,
  lastNs: Nanoseconds,
): Generator<TakenWork> {
  let [taken, place] = [NONE, NONE]; // the wait that ended with work, and where that was
  for (let wait = waits.starts[thread]; wait < waits.starts[thread + 1]; wait++) {
    const own = functionOf(calls, calls.waiterNode[wait]);
    if (taken !== NONE && own === place) {
      yield { wait: taken, endNs: replyNs(waits, facts, taken, waits.outNs[wait]) };
      taken = NONE;
    }
    if (taken !== NONE || own === NONE || !mayTakeWork(waits, facts, wait)) continue;
    if (!roots.isWithin(waits.tid[wait], waits.inNs[wait])) [taken, place] = [wait, own];
  }
  if (taken !== NONE) yield { wait: taken, endNs: replyNs(waits, facts, taken, lastNs) };
}

/** Returns when the woken thread woke its waker, if that was before `untilNs`. */
function replyNs(waits: Waits, { reason }: WaitFacts, wait: number, untilNs: Nanoseconds): Nanoseconds {
  const waker = threadOf(waits, waits.waker[wait]);
  if (waker === NONE) return untilNs;
  const { tid, inNs, outNs, starts, wakeNs } = waits;
  for (let reply = rowEndingFrom(waits, waker, inNs[wait]); reply < starts[waker + 1]; reply++) {
    if (outNs[reply] >= untilNs) break;
    const isReply = waits.waker[reply] === tid[wait] && wakeNs[reply] > inNs[wait] && !OF_LOCKS.has(reason[reply]);
    if (isReply) return Math.min(wakeNs[reply], untilNs);
  }
  return untilNs;
}

function flowOf(waits: Waits, taken: readonly TakenWork[]): Flow {
  const byTime = [...taken].sort((a, b) => waits.inNs[a.wait] - waits.inNs[b.wait]);
  const waitOf = Int32Array.from(byTime, ({ wait }) => wait); // by pop
  const byWaking = [...waitOf.keys()].sort((a, b) => waits.wakeNs[waitOf[a]] - waits.wakeNs[waitOf[b]]);
  const push = new Int32Array(waitOf.length);
  byWaking.forEach((pop, row) => {
    push[pop] = row;
  });
  const pushes = momentsAt(valuesOf(waitOf, Int32Array.from(byWaking)), waits.wakeNs, waits.waker);
  const pops = momentsAt(waitOf, waits.inNs, waits.tid);
  return {
    ...{ pushes, pops, push, by: new Uint8Array(push.length).fill(HandOffBy.Waking) },
    ...{ pushNs: pushes.timeNs, startNs: pops.timeNs, endNs: Float64Array.from(byTime, ({ endNs }) => endNs) },
    batch: eachAlone(push.length),
  };
}

/** Moments of waits, without keys. `timeNs`, `tid`: by wait. */
function momentsAt(rows: Int32Array, timeNs: Float64Array, tid: Int32Array): Moments {
  const { length } = rows;
  return {
    ...{ length, timeNs: valuesOf(timeNs, rows), tid: valuesOf(tid, rows) },
    ...{ pid: new Int32Array(length).fill(NONE), key: new Float64Array(length).fill(Number.NaN) },
  };
}

const OF_LOCKS: ReadonlySet<number> = new Set([Reason.Mutex, Reason.RwLock]);

function mayTakeWork(waits: Waits, { reason }: WaitFacts, wait: number): boolean {
  const isByThread = waits.state[wait] === OffState.Blocked && waits.wakerKind[wait] === WakerKind.Thread;
  return isByThread && !OF_LOCKS.has(reason[wait]);
}

function functionOf({ paths: { parent, symbol } }: CallsOfWaits, node: number): number {
  let at = node;
  while (at > 0 && isStop(symbol[at])) at = parent[at];
  return at;
}
