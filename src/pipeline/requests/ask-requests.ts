/**
 * Finds the requests of a trace: each call of a function, and the work that other threads did for it.
 */
import { type FunctionSet, functionSet, UNBOUNDED } from '../../analysis/questions.js';
import { PtflameError } from '../../model/errors.js';
import type { Profile } from '../../model/profile/profile.js';
import type { Nanoseconds } from '../../model/units.js';
import type { Flow } from '../../waits/handoffs/flow.js';
import { HandOffBy } from '../../waits/handoffs/hand-offs.js';
import { comparedRequests, slowestCount, statsOf } from '../../waits/requests/compared.js';
import { joinRequests, type Parts } from '../../waits/requests/join-requests.js';
import type { AnalyzeOptions } from '../analyze.js';
import type { AskableTrace } from '../ask-threads.js';
import type { AnalyzedInput } from '../read/read-trace.js';
import { filterOf } from '../replay/questions.js';
import { type CallsOfWaits, type TraceWaits, withWaits } from '../waits/ask-waits.js';
import { WaitFacts } from '../waits/wait-facts.js';
import { describeRequests } from './describe-requests.js';
import type { FoundRequests, JoinedWork, RequestGroup } from './found-requests.js';
import { flowByEvents, flowByWakings, type NamedFlow, namedFlow } from './request-flow.js';
import { flowSide, type RequestsOptions } from './request-question.js';
import { RootCalls } from './root-calls.js';

/** A profile, and the requests; `shiftNs`: from the profile's time to that of the requests. */
export interface RequestsResult {
  readonly profile: Profile;
  readonly requests: FoundRequests;
  readonly shiftNs: Nanoseconds;
}

/**
 * Finds requests, and what they and others did for them.
 *
 * @throws PtflameError as `analyze`, and NO_SUCH_FUNCTION or NOT_RECORDED
 */
export async function askRequests(
  inputs: readonly AnalyzedInput[],
  question: RequestsOptions,
  options: AnalyzeOptions = {},
): Promise<RequestsResult> {
  const prepared: { functions?: FunctionSet; flows?: readonly NamedFlow[] } = {};
  const callsToList = (askable: AskableTrace) => {
    const functions = askable.functions(question.root);
    const flows = (question.flows ?? []).map(({ push, pop }) => flowOf(push, pop, askable));
    Object.assign(prepared, { functions, flows });
    const window = filterOf(options, askable.symbols, askable.trace)?.window ?? UNBOUNDED;
    return { calls: { functions: withTaking(functions, flows), durations: null }, window };
  };
  const work = (traced: TraceWaits) => {
    const { functions, flows = [] } = prepared;
    if (traced.calls === null || functions === undefined) throw withoutCalls();
    return findRequests(traced, traced.calls, { functions, flows }, question);
  };
  return withWaits(inputs, options, work, callsToList);
}

function withoutCalls(): PtflameError {
  return new PtflameError('NO_BRANCHES', 'requests are calls of a function, and the recording has no calls', {
    hint: 'record with Intel PT: ptflame record --waits, without --no-trace',
  });
}

function flowOf(push: string, pop: string, { trace }: AskableTrace): NamedFlow {
  return namedFlow(flowSide(push, trace.samples), flowSide(pop, trace.samples), trace);
}

/** Also the functions in which work is taken. */
function withTaking(functions: FunctionSet, flows: readonly NamedFlow[]): FunctionSet {
  const taking = functionSet(
    flows.flatMap(({ takenIn }) => takenIn.map(({ symbol }) => symbol)),
    functions.length,
  );
  return taking.map((flag, symbol) => flag | (functions[symbol] ?? 0));
}

interface Prepared {
  readonly functions: FunctionSet;
  readonly flows: readonly NamedFlow[];
}

async function findRequests(
  traced: TraceWaits,
  calls: CallsOfWaits,
  { functions, flows }: Prepared,
  { minNs, slowest = 0 }: RequestsOptions,
): Promise<RequestsResult> {
  const { endNs } = traced.trace.store.bounds;
  const facts = new WaitFacts(traced);
  const roots = new RootCalls(calls, functions);
  const flow =
    flows.length > 0 ? flowByEvents(flows, traced, calls, endNs) : flowByWakings(traced, facts, calls, roots, endNs);
  const parts = joinRequests(roots, flow.pushes, flow.pops, flow, flow.endNs);
  const complete = roots.durationNs.filter((ns) => !Number.isNaN(ns)).length;
  const compared = comparedRequests(roots.durationNs, slowest || slowestCount(complete));
  const scene = { traced, calls, facts, roots, flow, parts };
  const described = await describeRequests(scene, compared, { minNs: minNs ?? null, slowest });
  const { threads } = roots;
  const requests = {
    functions: [...functions.keys()].filter((symbol) => functions[symbol] === 1),
    requests: roots.length,
    cut: roots.length - complete,
    threads: threads.size,
    otherThreads: new Set(parts.tid.filter((tid) => !threads.has(tid))).size,
    stats: statsOf(roots.durationNs),
    joined: joinedWork(parts, flow, flows.length > 0),
    typical: groupOf(compared.typical, roots),
    slowest: groupOf(compared.slowest, roots),
    ...described,
  };
  return { profile: calls.profile, requests, shiftNs: calls.shiftNs };
}

/** `isNamed`: the user named the flow, so what was not joined should have been. */
function joinedWork({ by, isInside }: Parts, { by: foundBy }: Flow, isNamed: boolean): JoinedWork {
  const count = (way: HandOffBy) => by.filter((each, part) => each === way && isInside[part] === 0).length;
  const [byKey, byOrder, byWaking] = [count(HandOffBy.Key), count(HandOffBy.Order), count(HandOffBy.Waking)];
  const inside = isInside.filter((flag) => flag === 1).length;
  const notJoined = isNamed ? foundBy.filter((way) => way === HandOffBy.None).length : 0;
  const forNoRequest = isNamed ? foundBy.length - notJoined - byKey - byOrder - byWaking - inside : 0;
  return { byKey, byOrder, byWaking, forNoRequest, notJoined };
}

function groupOf(rows: Int32Array, { durationNs }: RootCalls): RequestGroup | null {
  if (rows.length === 0) return null;
  const all = Float64Array.from(rows, (row) => durationNs[row]).sort();
  const avgNs = all.reduce((sum, ns) => sum + ns, 0) / all.length;
  return { requests: all.length, minNs: all[0], maxNs: all[all.length - 1], avgNs };
}
