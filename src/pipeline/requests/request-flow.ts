/**
 * Finds all work that threads handed to others: at the events that the user named, or by wakings.
 */
import { isStop } from '../../analysis/tree/outside.js';
import { type Nanoseconds, NONE } from '../../model/units.js';
import type { Flow } from '../../waits/handoffs/flow.js';
import { HandOffBy, handOffsOf } from '../../waits/handoffs/hand-offs.js';
import { type IdsOf, type Moments, momentsOf, NO_MOMENTS, selectMoments } from '../../waits/handoffs/moments.js';
import type { HostFlow } from '../../waits/hosts/host-flows.js';
import { Reason } from '../../waits/reasons/reason.js';
import { eachAlone } from '../../waits/requests/join-requests.js';
import { OffState } from '../../waits/schedule/off-state.js';
import { rowEndingFrom, threadOf } from '../../waits/schedule/schedule.js';
import type { Waits } from '../../waits/waits.js';
import { WakerKind } from '../../waits/wakers/find-wakers.js';
import type { CallsOfTrace, CallsOfWaits, TraceWaits } from '../waits/ask-waits.js';
import type { WaitFacts } from '../waits/wait-facts.js';
import { batchedWork } from './batches.js';
import type { PlacedWaits } from './hosts/host-waits.js';
import { type ProbedFunction, probedFunctions } from './probed-functions.js';
import type { FlowSide } from './request-question.js';
import type { RootCalls } from './root-calls.js';
import { workTimes } from './work-ends.js';

/** A flow as the user named it, and the functions in which work is taken. */
export interface NamedFlow {
  /** null: this host did not record the event. */
  readonly push: FlowSide | null;
  readonly pop: FlowSide | null;
  readonly takenIn: readonly ProbedFunction[];
}

export function namedFlow(push: FlowSide | null, pop: FlowSide | null, { sites }: TraceWaits['trace']): NamedFlow {
  return { push, pop, takenIn: pop === null ? [] : probedFunctions(pop.table, sites) };
}

/** What a host recorded of a flow. `idsOf`: takes ids out of keys; null: they are used as they are. */
export async function hostFlow(
  host: number,
  { push, pop, takenIn }: NamedFlow,
  idsOf: IdsOf | null,
  calls: CallsOfTrace,
  lastNs: Nanoseconds,
): Promise<HostFlow> {
  const [pushes, taken] = [push, pop].map((side) => (side ? momentsOf(side.table, side.key, idsOf) : NO_MOMENTS));
  const pops = takesOf(taken, pushes);
  const work = await batchedWork(pops, workTimes(pops, takenIn, calls, lastNs), takenIn, calls, lastNs);
  return { host, pushes, pops, ...work };
}

/** A function that finds no work returns 0, which is no key unless it is handed on. */
function takesOf(pops: Moments, pushes: Moments): Moments {
  const isKey = Array.prototype.includes.call(pushes.key, 0);
  return isKey ? pops : selectMoments(pops, (pop) => pops.key[pop] !== 0);
}

/** The hand-offs of a flow on one host. */
export function flowByEvents({ host: _, ...own }: HostFlow, waits: () => Waits): Flow {
  return { ...own, pushNs: own.pushes.timeNs, ...handOffsOf(own.pushes, own.pops, waits) };
}

/**
 * A thread that another one wakes may work for it from then on, until it wakes that one, or waits again where it waited
 * then. That is a candidate only: the waker need not be the one whose work is taken. Requests do not take work of others.
 */
export function flowByWakings({ waits, facts, calls }: PlacedWaits, roots: RootCalls, lastNs: Nanoseconds): Flow {
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

function flowOfWaits(waits: Waits, taken: readonly number[], endNs: readonly number[]): Flow {
  const order = [...taken.keys()].sort((a, b) => waits.inNs[taken[a]] - waits.inNs[taken[b]] || a - b);
  const byPush = [...order.keys()].sort((a, b) => {
    return waits.wakeNs[taken[order[a]]] - waits.wakeNs[taken[order[b]]] || a - b;
  });
  const push = new Int32Array(order.length);
  byPush.forEach((pop, row) => {
    push[pop] = row;
  });
  const unknown = () => new Int32Array(order.length).fill(NONE);
  const noKeys = () => new Float64Array(order.length).fill(Number.NaN);
  const pushNs = Float64Array.from(byPush, (pop) => waits.wakeNs[taken[order[pop]]]);
  const popNs = Float64Array.from(order, (at) => waits.inNs[taken[at]]);
  return {
    pushes: {
      length: order.length,
      timeNs: pushNs,
      tid: Int32Array.from(byPush, (pop) => waits.waker[taken[order[pop]]]),
      pid: unknown(),
      key: noKeys(),
    },
    pops: {
      length: order.length,
      timeNs: popNs,
      tid: Int32Array.from(order, (at) => waits.tid[taken[at]]),
      pid: unknown(),
      key: noKeys(),
    },
    ...{ push, by: new Uint8Array(order.length).fill(HandOffBy.Waking) },
    pushNs,
    ...{ startNs: popNs, endNs: Float64Array.from(order, (at) => endNs[at]), batch: eachAlone(order.length) },
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
