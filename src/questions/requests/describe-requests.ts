/**
 * Describes requests: asks the threads of all hosts what they did in them, and adds up the time of typical and slow ones.
 */
import type { LogAnswers, ThreadQuestions } from '../../analysis/log/answer-thread.js';
import type { TimeRows } from '../../analysis/log/trees-over.js';
import { isOffCpu, isStop } from '../../analysis/tree/outside.js';
import type { Shape } from '../../model/calls/overlay.js';
import { boundForLongest, float64Column } from '../../model/columns.js';
import { type Nanoseconds, NONE, type Tid } from '../../model/units.js';
import type { ComparedRequests } from '../../waits/compared.js';
import { Reason } from '../../waits/reason.js';
import { KeyedIntervals } from '../waits/keyed-intervals.js';
import { type Places, placesOf } from '../waits/places.js';
import type { KnownThread } from '../waits/thread-directory.js';
import type { LeftOut, RequestDetails, RequestThreadTime, RequestTime } from './found-requests.js';
import { type PartIntervals, requestDetails } from './request-details.js';
import type { RequestsOptions } from './request-question.js';
import type { Scene } from './scene.js';

interface DescribedRequests {
  readonly where: readonly RequestTime[];
  readonly whereByThread: readonly RequestThreadTime[];
  readonly details: readonly RequestDetails[];
  readonly leftOut: LeftOut;
}

export async function describeRequests(
  scene: Scene,
  compared: ComparedRequests,
  details: AskedDetails,
): Promise<DescribedRequests> {
  const intervals = partIntervals(scene);
  const asked = questions(scene, intervals, compared, details);
  const times = new RequestTimes(scene.common.areApart);
  const answers: (LogAnswers | null)[] = [];
  for (const [host, { calls, traced }] of scene.hosts.entries()) {
    const byThread = asked.byHost[host];
    const answered = byThread.size === 0 ? null : await calls.askable.ask(byThread);
    answers.push(answered);
    if (answered === null) continue;
    const { paths, threads } = answered;
    const of = { host, paths, places: placesOf(paths, calls.symbols) };
    for (const [tid, { treesOver }] of threads) if (treesOver) times.add(of, traced.threads.of(tid), treesOver);
  }
  const { minNs, leftOut: calls } = shownCalls(answers, details);
  const counts = [compared.typical.length, compared.slowest.length] as const;
  return {
    where: times.where(...counts),
    whereByThread: times.threads(...counts),
    details: await requestDetails(scene, intervals, { ...details, ...asked, answers, minNs }),
    leftOut: { requests: details.leftOut, calls, minNs },
  };
}

/** Where work is taken when a call begins, the part is that call, which began a little earlier. */
function partIntervals({ parts: { pop, request }, flow, roots }: Scene): PartIntervals {
  const times = (ofRoot: Float64Array, ofWork: Float64Array) =>
    Float64Array.from(pop, (row, part) => (row === NONE ? ofRoot[request[part]] : ofWork[row]));
  return { fromNs: times(roots.ownFromNs, flow.startNs), toNs: times(roots.ownToNs, flow.endNs) };
}

interface AskedOfThreads {
  readonly byHost: readonly ReadonlyMap<Tid, ThreadQuestions>[];
  /** By described part: the row of its interval in its thread. */
  readonly spanRow: ReadonlyMap<number, number>;
}

function questions(
  scene: Scene,
  intervals: PartIntervals,
  { typical, slowest }: ComparedRequests,
  details: AskedDetails,
): AskedOfThreads {
  const { parts, hosts, common } = scene;
  const groups = groupsOf(scene.roots.length, typical, slowest, details.requests);
  const timed = hosts.map(() => new KeyedIntervals());
  const listed = hosts.map(() => new Map<Tid, number[]>());
  const spanRow = new Map<number, number>();
  for (let part = 0; part < parts.length; part++) {
    const group = groups[parts.request[part]];
    if (parts.isInside[part] || group === 0) continue;
    const [host, tid] = [common.threads.hostOf(parts.tid[part]), common.threads.numberOf(parts.tid[part])];
    const side = parts.parent[part] === NONE ? TimeKey.Own : TimeKey.Other;
    const add = (key: number) => addTimed(timed[host], tid, scene, intervals, part, key + side);
    if (group & Group.Typical) add(TimeKey.Typical);
    if (group & Group.Slowest) add(TimeKey.Slowest);
    if (group & Group.Described) spanRow.set(part, pushTo(listed[host], tid, part) - 1);
  }
  const byHost = timed.map((own, host) => withSpanTrees(own.questions(), listed[host], intervals, details));
  return { byHost, spanRow };
}

/** Bits. */
const Group = { Typical: 1, Slowest: 2, Described: 4 } as const;

/** By request: the groups that it is in. */
function groupsOf(requests: number, typical: Int32Array, slowest: Int32Array, described: Int32Array): Uint8Array {
  const groups = new Uint8Array(requests);
  for (const row of typical) groups[row] |= Group.Typical;
  for (const row of slowest) groups[row] |= Group.Slowest;
  for (const row of described) groups[row] |= Group.Described;
  return groups;
}

/** Time that several requests share is asked about under a key that says by how many to divide it. */
function addTimed(
  timed: KeyedIntervals,
  tid: Tid,
  { parts, common }: Scene,
  { fromNs, toNs }: PartIntervals,
  part: number,
  key: number,
): void {
  const [from, to] = [fromNs[part], toNs[part]];
  const sharedBy = parts.sharedBy[part];
  if (sharedBy === 1) return timed.add(tid, from, to, key);
  const host = common.threads.hostOf(parts.tid[part]);
  const own = (ns: Nanoseconds) => Math.max(from, common.clocks.own(host, ns));
  timed.add(tid, from, own(parts.ownToNs[part]), key);
  timed.add(tid, own(parts.sharedFromNs[part]), to, sharedKey(key, sharedBy));
}

/** Returns the number of parts in the list. */
function pushTo(lists: Map<Tid, number[]>, tid: Tid, part: number): number {
  const own = lists.get(tid);
  if (own) return own.push(part);
  lists.set(tid, [part]);
  return 1;
}

const NOTHING_ASKED = { nodesAt: null, treesOver: null, spans: null };

function withSpanTrees(
  asked: ReadonlyMap<Tid, ThreadQuestions>,
  listed: ReadonlyMap<Tid, readonly number[]>,
  { fromNs, toNs }: PartIntervals,
  { minNs, maxCalls }: AskedDetails,
): Map<Tid, ThreadQuestions> {
  const column = (rows: readonly number[], values: Float64Array) => Float64Array.from(rows, (row) => values[row]);
  const all = new Map<Tid, ThreadQuestions>(asked);
  for (const [tid, rows] of listed) {
    const spanTrees = { fromNs: column(rows, fromNs), toNs: column(rows, toNs), minNs, maxCalls };
    all.set(tid, { ...(asked.get(tid) ?? NOTHING_ASKED), spanTrees });
  }
  return all;
}

/**
 * Adds up where the time of requests goes: by thread, function, and why it waited.
 *
 * Keys of intervals: of typical or of slow requests, plus their own thread or others.
 */
const TimeKey = { Typical: 0, Slowest: 2, Own: 0, Other: 1 } as const;
const KEYS = 4;

/** The key of time that `sharedBy` requests share: each gets an equal part, so that the time is counted once. */
function sharedKey(key: number, sharedBy: number): number {
  return key + KEYS * (sharedBy - 1);
}

type Summed<Row> = { -readonly [Field in keyof Row]: Row[Field] };
type Sums = Pick<RequestTime, 'isOwn' | 'typicalNs' | 'slowestNs'>;

/** The call paths of a host's threads. */
interface HostPaths {
  readonly host: number;
  readonly paths: Shape;
  readonly places: Places;
}

class RequestTimes {
  private readonly byPlace = new Map<string, Summed<RequestTime>>();
  private readonly byThread = new Map<string, Summed<RequestThreadTime>>();

  /** Threads that are counted, each once. */
  private readonly counted = new Set<string>();

  /** `areApart`: a thread is the same on all hosts. */
  constructor(private readonly areApart: boolean) {}

  /** Adds the time of a thread. */
  add(of: HostPaths, { tid, comm }: Pick<KnownThread, 'tid' | 'comm'>, { key, node, ns }: TimeRows): void {
    const names = new Set<Summed<RequestThreadTime>>();
    for (let row = 0; row < key.length; row++) {
      const isOwn = key[row] % 2 === TimeKey.Own;
      const ownNs = ns[row] / (Math.floor(key[row] / KEYS) + 1);
      const thread = this.threadRow(this.areApart ? 0 : of.host, isOwn, comm);
      names.add(thread);
      for (const sum of [this.placeRow(of, isOwn, node[row]), thread]) {
        if (key[row] % KEYS < TimeKey.Slowest) sum.typicalNs += ownNs;
        else sum.slowestNs += ownNs;
      }
    }
    for (const thread of names) {
      const id = `${thread.host} ${tid} ${thread.isOwn} ${comm}`;
      if (!this.counted.has(id)) thread.threads++;
      this.counted.add(id);
    }
  }

  /** Averages per request, the longest first. `typical`, `slowest`: how many requests these are. */
  where(typical: number, slowest: number): RequestTime[] {
    return averages(this.byPlace, typical, slowest);
  }

  threads(typical: number, slowest: number): RequestThreadTime[] {
    return averages(this.byThread, typical, slowest);
  }

  private placeRow({ host, paths, places }: HostPaths, isOwn: boolean, node: number): Summed<RequestTime> {
    const own = paths.symbol[node];
    const stop = isStop(own) ? own : NONE;
    const reason = stop !== NONE && isOffCpu(stop) ? (places.reason[node] as Reason) : Reason.Unknown;
    const place = { symbol: places.symbol[node], call: places.call[node] };
    return rowOf(this.byPlace, `${host} ${isOwn} ${place.symbol} ${place.call} ${stop} ${reason}`, () => {
      return { host, isOwn, place, stop, reason, typicalNs: 0, slowestNs: 0 };
    });
  }

  private threadRow(host: number, isOwn: boolean, comm: string | null): Summed<RequestThreadTime> {
    return rowOf(this.byThread, `${host} ${isOwn} ${comm}`, () => {
      return { host, isOwn, comm, threads: 0, typicalNs: 0, slowestNs: 0 };
    });
  }
}

function rowOf<Row>(rows: Map<string, Row>, key: string, create: () => Row): Row {
  let row = rows.get(key);
  if (row === undefined) rows.set(key, (row = create()));
  return row;
}

function averages<Row extends Sums>(sums: ReadonlyMap<string, Row>, typical: number, slowest: number): Row[] {
  const rows = [...sums].map(([key, row]) => {
    return { key, row: { ...row, typicalNs: row.typicalNs / typical, slowestNs: row.slowestNs / slowest } };
  });
  const longestNs = ({ row }: (typeof rows)[number]) => Math.max(row.typicalNs, row.slowestNs);
  return rows.sort((a, b) => longestNs(b) - longestNs(a) || (a.key < b.key ? -1 : 1)).map(({ row }) => row);
}

interface AskedDetails {
  /** Rows of roots, slowest first. */
  readonly requests: Int32Array;
  /** How many others should be described, but have too many parts in all. */
  readonly leftOut: number;
  /** Shorter calls are left out, and of the others, all but so many of the longest. */
  readonly minNs: Nanoseconds;
  readonly maxCalls: number;
}

/**
 * Decides which requests are described, and which of their calls are shown: those that last long enough, or the longest.
 *
 * `slowest`: the complete requests to describe. The requests themselves are always seen.
 */
export function askedDetails(
  { roots, parts }: Scene,
  slowest: Int32Array,
  { minNs, maxSpans }: Pick<RequestsOptions, 'minNs' | 'maxSpans'>,
): AskedDetails {
  if (maxSpans === undefined) {
    const maxCalls = Number.POSITIVE_INFINITY;
    return { requests: slowest, leftOut: 0, minNs: minCallNs(roots.durationNs, slowest, minNs ?? null), maxCalls };
  }
  const partsOf = new Int32Array(roots.length);
  parts.request.forEach((request, part) => {
    if (parts.isInside[part] === 0) partsOf[request]++;
  });
  let [count, maxCalls] = [0, maxSpans];
  while (count < slowest.length && partsOf[slowest[count]] <= maxCalls) maxCalls -= partsOf[slowest[count++]];
  return { requests: slowest.subarray(0, count), leftOut: slowest.length - count, minNs: minNs ?? 0, maxCalls };
}

const MIN_SHARE = 0.01;
const MIN_CALL_NS = 10_000;

/** `minNs`: null, to see what matters in the slowest. */
function minCallNs(durationNs: Float64Array, described: Int32Array, minNs: Nanoseconds | null): Nanoseconds {
  if (described.length === 0) return minNs ?? MIN_CALL_NS;
  const [longest, shortest] = [durationNs[described[0]], durationNs[described[described.length - 1]]];
  return Math.min(minNs ?? Math.max(MIN_CALL_NS, MIN_SHARE * longest), shortest);
}

/** Returns the shortest duration of which all calls are shown, and how many calls are not. `answers`: by host. */
function shownCalls(
  answers: readonly (LogAnswers | null)[],
  { minNs, maxCalls }: AskedDetails,
): { readonly minNs: Nanoseconds; readonly leftOut: number } {
  const trees = answers.flatMap((answer) => (answer ? [...answer.threads.values()] : []));
  const spans = trees.flatMap(({ spanTrees }) => spanTrees ?? []);
  const durations = float64Column();
  for (const { startNs, endNs } of spans) durations.append(endNs.map((ns, row) => ns - startNs[row]));
  const bounds = [minNs, ...spans.map((tree) => tree.minNs), boundForLongest(durations.view(), maxCalls)];
  const bound = Math.max(...bounds);
  const tooShort = durations.view().filter((ns) => ns < bound).length;
  return { minNs: bound, leftOut: spans.reduce((sum, { leftOut }) => sum + leftOut, tooShort) };
}
