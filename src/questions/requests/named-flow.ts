/**
 * Finds the work that threads handed to others at the events that the user named.
 */
import type { Nanoseconds } from '../../model/units.js';
import type { Flow } from '../../waits/flow.js';
import { handOffsOf } from '../../waits/hand-offs.js';
import type { HostFlow } from '../../waits/host-flows.js';
import { type IdsOf, type Moments, momentsOf, NO_MOMENTS, selectMoments } from '../../waits/moments.js';
import type { Waits } from '../../waits/waits.js';
import type { CallsOfTrace, TraceWaits } from '../waits/ask-waits.js';
import { batchedWork } from './batches.js';
import type { FlowSide } from './request-question.js';
import { type ProbedFunction, probedFunctions, workTimes } from './work-ends.js';

/** A flow as the user named it, and the functions in which work is taken. */
export interface NamedFlow {
  /** null: this host did not record the event. */
  readonly push: FlowSide | null;
  readonly pop: FlowSide | null;
  readonly takenIn: readonly ProbedFunction[];
}

export function namedFlow(push: FlowSide | null, pop: FlowSide | null, trace: TraceWaits['trace']): NamedFlow {
  return { push, pop, takenIn: pop === null ? [] : probedFunctions(pop.table, trace) };
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
