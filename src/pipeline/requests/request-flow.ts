/**
 * Finds all work that threads handed to others: at the events that the user named, or by wakings.
 */
import { isStop } from '../../analysis/tree/outside.js';
import { type Nanoseconds, NONE } from '../../model/units.js';
import { type Flow, joinFlows } from '../../waits/handoffs/flow.js';
import { HandOffBy, handOffsOf } from '../../waits/handoffs/hand-offs.js';
import { momentsOf } from '../../waits/handoffs/moments.js';
import { Reason } from '../../waits/reasons/reason.js';
import { OffState } from '../../waits/schedule/off-state.js';
import { rowEndingFrom, threadOf } from '../../waits/schedule/schedule.js';
import { WakerKind } from '../../waits/wakers/find-wakers.js';
import type { CallsOfWaits, TraceWaits } from '../waits/ask-waits.js';
import type { WaitFacts } from '../waits/wait-facts.js';
import { type ProbedFunction, probedFunctions } from './probed-functions.js';
import type { FlowSide } from './request-question.js';
import type { RootCalls } from './root-calls.js';
import { workTimes } from './work-ends.js';

/** A flow as the user named it, and the functions in which work is taken. */
export interface NamedFlow {
  readonly push: FlowSide;
  readonly pop: FlowSide;
  readonly takenIn: readonly ProbedFunction[];
}

export function namedFlow(push: FlowSide, pop: FlowSide, { sites }: TraceWaits['trace']): NamedFlow {
  return { push, pop, takenIn: probedFunctions(pop.table, sites) };
}

export function flowByEvents(named: readonly NamedFlow[], { waits }: TraceWaits, calls: CallsOfWaits, lastNs: number) {
  return joinFlows(
    named.map(({ push, pop, takenIn }): Flow => {
      const pushes = momentsOf(push.table, push.key);
      const pops = momentsOf(pop.table, pop.key);
      return { pushes, pops, ...handOffsOf(pushes, pops, waits), ...workTimes(pops, takenIn, calls, lastNs) };
    }),
  );
}

/**
 * A thread that another one wakes may work for it from then on, until it wakes that one, or waits again where it waited
 * then. That is a candidate only: the waker need not be the one whose work is taken. Requests do not take work of others.
 */
export function flowByWakings(
  { waits }: TraceWaits,
  facts: WaitFacts,
  calls: CallsOfWaits,
  roots: RootCalls,
  lastNs: Nanoseconds,
): Flow {
  const taken: number[] = [];
  const endNs: number[] = [];
  waits.tids.forEach((_, thread) => {
    let place = NONE; // where it waited for the work that it does
    for (let wait = waits.starts[thread]; wait < waits.starts[thread + 1]; wait++) {
      const own = functionOf(calls, calls.waiterNode[wait]);
      if (place !== NONE && place === own) {
        endNs.push(replyNs(waits, facts, taken[taken.length - 1], waits.outNs[wait]));
        place = NONE;
      }
      if (place !== NONE || own === NONE || !mayTakeWork(waits, facts, wait)) continue;
      if (roots.isWithin(waits.tid[wait], waits.inNs[wait])) continue;
      place = own;
      taken.push(wait);
    }
    if (place !== NONE) endNs.push(replyNs(waits, facts, taken[taken.length - 1], lastNs));
  });
  return flowOfWaits(waits, taken, endNs);
}

/** Returns when the woken thread woke its waker, if that was before `untilNs`. */
function replyNs(waits: TraceWaits['waits'], { reason }: WaitFacts, wait: number, untilNs: Nanoseconds): Nanoseconds {
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

function flowOfWaits(waits: TraceWaits['waits'], taken: readonly number[], endNs: readonly number[]): Flow {
  const order = [...taken.keys()].sort((a, b) => waits.inNs[taken[a]] - waits.inNs[taken[b]] || a - b);
  const byPush = [...order.keys()].sort((a, b) => {
    return waits.wakeNs[taken[order[a]]] - waits.wakeNs[taken[order[b]]] || a - b;
  });
  const push = new Int32Array(order.length);
  byPush.forEach((pop, row) => {
    push[pop] = row;
  });
  const noKeys = () => new Float64Array(order.length).fill(Number.NaN);
  const popNs = Float64Array.from(order, (at) => waits.inNs[taken[at]]);
  return {
    pushes: {
      length: order.length,
      timeNs: Float64Array.from(byPush, (pop) => waits.wakeNs[taken[order[pop]]]),
      tid: Int32Array.from(byPush, (pop) => waits.waker[taken[order[pop]]]),
      key: noKeys(),
    },
    pops: {
      length: order.length,
      timeNs: popNs,
      tid: Int32Array.from(order, (at) => waits.tid[taken[at]]),
      key: noKeys(),
    },
    ...{ push, by: new Uint8Array(order.length).fill(HandOffBy.Waking) },
    ...{ startNs: popNs, endNs: Float64Array.from(order, (at) => endNs[at]) },
  };
}

const OF_LOCKS: ReadonlySet<number> = new Set([Reason.Mutex, Reason.RwLock]);

function mayTakeWork(waits: TraceWaits['waits'], { reason }: WaitFacts, wait: number): boolean {
  const isByThread = waits.state[wait] === OffState.Blocked && waits.wakerKind[wait] === WakerKind.Thread;
  return isByThread && !OF_LOCKS.has(reason[wait]);
}

function functionOf({ paths: { parent, symbol } }: CallsOfWaits, node: number): number {
  let at = node;
  while (at > 0 && isStop(symbol[at])) at = parent[at];
  return at;
}
