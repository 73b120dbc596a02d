/**
 * Joins the requests of one or several hosts: their clocks, the calls that are requests, and the work handed on.
 */

import { isStop } from '../../analysis/tree/outside.js';
import { valuesOf } from '../../model/columns.js';
import { PtflameError } from '../../model/errors.js';
import { type Bounds, type Nanoseconds, NONE, UNBOUNDED } from '../../model/units.js';
import { type WindowOption, windowBounds } from '../../pipeline/replay/selection.js';
import { matchedParts } from '../../trace/records/thread-names.js';
import { WakerKind } from '../../waits/find-wakers.js';
import { type Flow, joinFlows } from '../../waits/flow.js';
import { HandOffBy } from '../../waits/hand-offs.js';
import { addSentIds, HostClocks, noSentIds } from '../../waits/host-clocks.js';
import { flowsByKey, type HostFlow, HostIds, type Hosts, placedFlow } from '../../waits/host-flows.js';
import { eachAlone, joinRequests } from '../../waits/join-requests.js';
import type { Moments } from '../../waits/moments.js';
import { Reason } from '../../waits/reason.js';
import { OffState, rowEndingFrom, threadOf } from '../../waits/schedule.js';
import type { Waits } from '../../waits/waits.js';
import type { CallsOfWaits } from '../waits/ask-waits.js';
import type { WaitFacts } from '../waits/wait-facts.js';
import { flowByEvents, hostFlow } from './named-flow.js';
import type { RequestsOptions } from './request-question.js';
import { hostRoots, RootCalls } from './roots.js';
import type { HostScene, HostTrace, PlacedWaits, Scene } from './scene.js';

/**
 * `window`: on the clock of the first host; null: all time.
 *
 * @throws PtflameError BAD_OPTION for a window in which requests of other hosts cannot be placed
 */
export async function joinHosts(
  traces: readonly HostTrace[],
  { id, recordings }: Pick<RequestsOptions, 'id' | 'recordings'>,
  window: WindowOption | null,
): Promise<Scene> {
  const hosts = traces.map((trace): HostScene => {
    return { ...trace, roots: new RootCalls(trace.calls, trace.functions) };
  });
  const sides = await flowSides(hosts, id ?? null);
  const common = commonOf(sides, hosts.length, recordings !== undefined);
  const roots = hostRoots(
    hosts.map(({ roots }) => roots),
    common,
    window ? requestWindow(window, hosts, common.clocks) : UNBOUNDED,
  );
  const flow = joinFlows(sides.length > 0 ? namedFlows(sides, hosts, common) : await flowsByWaking(hosts, common));
  const endNs = flow.endNs.map((ns, pop) => common.clocks.common(common.threads.hostOf(flow.pops.tid[pop]), ns));
  return {
    hosts,
    common,
    roots,
    flow,
    parts: joinRequests(roots, flow.pushes, flow.pops, flow, { endNs, batch: flow.batch }),
  };
}

/** By named flow: what each host recorded of it. */
async function flowSides(hosts: readonly HostScene[], id: RegExp | null): Promise<HostFlow[][]> {
  const idsOf = id && ((texts: readonly string[]) => matchedParts(id, texts));
  const sides: HostFlow[][] = (hosts[0]?.flows ?? []).map(() => []);
  for (const [host, { flows, calls, traced }] of hosts.entries())
    for (const [row, flow] of flows.entries())
      sides[row].push(await hostFlow(host, flow, idsOf, calls, traced.trace.store.bounds.endNs));
  return sides;
}

function commonOf(sides: readonly (readonly HostFlow[])[], hosts: number, areApart: boolean): Hosts {
  const sent = noSentIds(hosts);
  if (hosts > 1 && !areApart)
    for (const side of sides)
      addSentIds(
        side.map(({ pushes }) => pushes),
        side.map(({ pops }) => pops),
        sent,
      );
  return { clocks: new HostClocks(sent), threads: new HostIds(hosts), processes: new HostIds(hosts), areApart };
}

/** Only keys join hosts: the order of work, and wakings, are known on one host only. */
function namedFlows(sides: readonly (readonly HostFlow[])[], hosts: readonly HostScene[], common: Hosts): Flow[] {
  return sides.flatMap((side, row) => {
    const isKeyed = hosts.some(({ flows }) => flows[row].push?.key) && hosts.some(({ flows }) => flows[row].pop?.key);
    if (isKeyed && hosts.length > 1 && !common.areApart) return flowsByKey(side, common);
    return side.map((own, host) => placedFlow(flowByEvents(own, hosts[host].traced.waits), host, common));
  });
}

function flowsByWaking(hosts: readonly HostScene[], common: Hosts): Promise<Flow[]> {
  const flows = hosts.map(async ({ traced, roots }, host) => {
    const flow = flowByWakings(await traced.withPlaces(), roots, traced.trace.store.bounds.endNs);
    return placedFlow(flow, host, common);
  });
  return Promise.all(flows);
}

/**
 * The window of time of requests on several hosts: it is on the clock of the first host, which is the common one.
 *
 * @throws PtflameError BAD_OPTION if the window is empty, or if requests of a host cannot be told to be in it
 */
function requestWindow(window: WindowOption, hosts: readonly HostScene[], clocks: HostClocks): Bounds {
  const unplaced = hosts.find(({ roots }, host) => roots.length > 0 && !isPlaced(host, roots.fromNs[0], clocks));
  if (unplaced !== undefined) throw withoutClock(unplaced.name, hosts[0].name);
  return windowBounds(window, hosts[0].traced.trace);
}

/** Hand-offs in both directions bound how far the clocks are apart. */
function isPlaced(host: number, ns: number, clocks: HostClocks): boolean {
  return clocks.rootOf(host) === clocks.rootOf(0) && Number.isFinite(clocks.errorNs(host, 0, ns));
}

function withoutClock(host: string | null, first: string | null): PtflameError {
  const [name, firstName] = [host, first].map((own) => own ?? '[unnamed]');
  return new PtflameError(
    'BAD_OPTION',
    `the window is on the clock of ${firstName}, and how far that of ${name} is ahead is not known`,
    { hint: `leave out --window, name a --flow with ids in both directions, or read ${name} alone` },
  );
}

/** Work that a thread took when a wait ended. */
interface TakenWork {
  readonly wait: number;
  readonly endNs: Nanoseconds;
}

/**
 * Finds the work that threads may have done for those that woke them.
 *
 * A thread that another one wakes may work for it from then on, until it wakes that one, or waits again where it waited
 * then. That is a candidate only: the waker need not be the one whose work is taken. Requests do not take work of others.
 * `lastNs`: the end of the recording.
 */
function flowByWakings(placed: PlacedWaits, roots: RootCalls, lastNs: Nanoseconds): Flow {
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
