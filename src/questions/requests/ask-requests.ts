/**
 * Finds the requests of one or several hosts: each call of a function, and the work that other threads did for it.
 */

import { functionSet } from '../../analysis/questions.js';
import type { Profile } from '../../model/profile/profile.js';
import { type Nanoseconds, NONE } from '../../model/units.js';
import type { AnalyzeOptions } from '../../pipeline/analyze.js';
import type { AnalyzedInput } from '../../pipeline/read/read-trace.js';
import { type ComparedRequests, comparedRequests, slowestCount, statsOf } from '../../waits/compared.js';
import type { Flow } from '../../waits/flow.js';
import { HandOffBy } from '../../waits/hand-offs.js';
import type { Parts } from '../../waits/join-requests.js';
import type { CallsOfWaits, CallsToList, TraceWaits } from '../waits/ask-waits.js';
import { askedDetails, describeRequests } from './describe-requests.js';
import {
  type FoundHost,
  type FoundRequests,
  foundHosts,
  type JoinedWork,
  type RequestGroup,
} from './found-requests.js';
import { joinHosts } from './joined-hosts.js';
import { handOffEvents, type RequestsOptions } from './request-question.js';
import { HostWaits, type Scene } from './scene.js';
import { inputHosts, selectedCalls, withHosts } from './with-hosts.js';

/** The requests, and the profile of each host; `shiftNs`: from the profile's time to that of the requests. */
export interface RequestsResult {
  /** Of the first host. */
  readonly profile: Profile;
  readonly requests: FoundRequests;
  readonly shiftNs: Nanoseconds;
  readonly hosts: readonly FoundHost[];
  /** Of the described requests: 1 is the slowest of all. */
  readonly ranks: readonly number[];
  /** The hosts are recordings of one program, named so. */
  readonly areApart: boolean;
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
  const { recordings } = question;
  const hosts = recordings
    ? inputs.map((input, row) => ({ name: recordings[row] ?? null, inputs: [input] }))
    : inputHosts(inputs, question.hosts ?? []);
  const { window = null, ...whole } = options;
  // Where the window is on the other clocks is known only when the hosts are joined.
  const [readOptions, joinedWindow] = hosts.length > 1 ? [whole, window] : [options, null];
  return withHosts(hosts, question, readOptions, async (traces) =>
    findRequests(await joinHosts(traces, question, joinedWindow), question),
  );
}

/** Finds requests of a trace that is replayed for something else, too. */
export interface RequestsAside {
  /** To be asked in that replay. */
  readonly callsToList: CallsToList;
  readonly find: (traced: TraceWaits, calls: CallsOfWaits) => Promise<RequestsResult>;
}

/** Of one host, without named flows. `callsToList` throws NO_SUCH_FUNCTION. */
export function requestsAside(question: RequestsOptions, options: AnalyzeOptions): RequestsAside {
  let functions = functionSet([], 0);
  return {
    callsToList: (askable) => {
      functions = askable.functions(question.root);
      return selectedCalls(functions, askable, options);
    },
    find: async (traced, calls) => {
      const host = { name: null, traced: HostWaits.of(traced, calls), calls, functions, flows: [] };
      return findRequests(await joinHosts([host], question, null), question);
    },
  };
}

async function findRequests(
  scene: Scene,
  { minNs, maxSpans, slowest = 0, listed, flows = [] }: RequestsOptions,
): Promise<RequestsResult> {
  const { roots, parts, flow, common } = scene;
  const complete = roots.durationNs.filter((ns) => !Number.isNaN(ns)).length;
  const describesAll = maxSpans !== undefined && slowest === 0;
  const bySlowness = comparedRequests(roots.durationNs, describesAll ? complete : slowest || slowestCount(complete));
  const compared = maxSpans === undefined ? bySlowness : NONE_COMPARED;
  const count = describesAll ? complete : slowest;
  const ranks = listed ? listedRanks(complete, listed) : Array.from({ length: count }, (_, at) => at + 1);
  const ordered = listed ? comparedRequests(roots.durationNs, complete).slowest : bySlowness.slowest;
  const asked = Int32Array.from(
    ranks.filter((rank) => rank <= ordered.length),
    (rank) => ordered[rank - 1],
  );
  const limits = { ...(minNs !== undefined && { minNs }), ...(maxSpans !== undefined && { maxSpans }) };
  const described = await describeRequests(scene, compared, askedDetails(scene, asked, limits));
  const numbersOf = (ids: Iterable<number>) =>
    new Set(common.areApart ? Array.from(ids, (id) => common.threads.numberOf(id)) : ids);
  const threads = numbersOf(roots.tid);
  const requests = {
    requests: roots.length,
    cut: roots.length - complete,
    threads: threads.size,
    otherThreads: [...numbersOf(parts.tid)].filter((tid) => !threads.has(tid)).length,
    stats: statsOf(roots.durationNs),
    joined: joinedWork(parts, flow, flows.length > 0),
    flow: { isNamed: flows.length > 0, events: flows.length > 0 ? [] : eventsOf(scene) },
    typical: groupOf(compared.typical, roots),
    slowest: groupOf(compared.slowest, roots),
    ...described,
  };
  const hosts = foundHosts(scene.hosts, common.clocks);
  const [{ profile, shiftNs }] = hosts;
  return { profile, shiftNs, requests, hosts, ranks, areApart: common.areApart };
}

/** Returns the ranks of the slowest, and of others as far from each other. */
function listedRanks(complete: number, { slowest, sampled }: NonNullable<RequestsOptions['listed']>): number[] {
  const ranks = Array.from({ length: complete }, (_, at) => at + 1);
  const step = Math.max(1, Math.ceil((complete - slowest) / sampled));
  return ranks.filter((rank) => rank <= slowest || (complete - rank) % step === 0);
}

function eventsOf({ hosts }: Scene): string[] {
  return [...new Set(hosts.flatMap(({ traced }) => handOffEvents(traced.trace.samples)))];
}

const NONE_COMPARED: ComparedRequests = { typical: new Int32Array(0), slowest: new Int32Array(0) };

/** `isNamed`: the user named the flow, so what was not joined should have been. */
function joinedWork({ pop, isInside, sharedBy }: Parts, { by: foundBy }: Flow, isNamed: boolean): JoinedWork {
  const isJoined = new Uint8Array(foundBy.length); // 1: within a request's own part only, 2: as a part
  const isShared = new Uint8Array(foundBy.length);
  pop.forEach((row, part) => {
    if (row === NONE) return;
    isJoined[row] = Math.max(isJoined[row], isInside[part] ? 1 : 2);
    if (sharedBy[part] > 1) isShared[row] = 1;
  });
  const count = (way: HandOffBy) => foundBy.filter((each, row) => each === way && isJoined[row] === 2).length;
  const [byKey, byOrder, byWaking] = [count(HandOffBy.Key), count(HandOffBy.Order), count(HandOffBy.Waking)];
  const left = isNamed ? foundBy.filter((_, row) => isJoined[row] === 0) : new Uint8Array(0);
  const notJoined = left.filter((way) => way === HandOffBy.None).length;
  const shared = isShared.filter((flag) => flag === 1).length;
  return { byKey, byOrder, byWaking, shared, forNoRequest: left.length - notJoined, notJoined };
}

function groupOf(rows: Int32Array, { durationNs }: Scene['roots']): RequestGroup | null {
  if (rows.length === 0) return null;
  const all = Float64Array.from(rows, (row) => durationNs[row]).sort();
  const avgNs = all.reduce((sum, ns) => sum + ns, 0) / all.length;
  return { requests: all.length, minNs: all[0], maxNs: all[all.length - 1], avgNs };
}
