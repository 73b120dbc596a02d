/**
 * Describes requests: asks the threads of all hosts what they did in them, and adds up the time of typical and slow ones.
 */
import type { ThreadQuestions } from '../../analysis/log/answer-thread.js';
import type { LogAnswers } from '../../analysis/log/join-answers.js';
import { type Nanoseconds, NONE, type Tid } from '../../model/units.js';
import type { ComparedRequests } from '../../waits/requests/compared.js';
import { placesOf } from '../waits/places.js';
import type { RequestDetails, RequestThreadTime, RequestTime } from './found-requests.js';
import type { HostRoots } from './hosts/host-roots.js';
import { type PartIntervals, requestDetails } from './request-details.js';
import { RequestTimes, sharedKey, TimeKey } from './request-times.js';
import type { Scene } from './scene.js';

export interface DescribedRequests {
  readonly where: readonly RequestTime[];
  readonly whereByThread: readonly RequestThreadTime[];
  readonly details: readonly RequestDetails[];
}

export async function describeRequests(
  scene: Scene,
  compared: ComparedRequests,
  { minNs, slowest }: { readonly minNs: Nanoseconds | null; readonly slowest: number },
): Promise<DescribedRequests> {
  const intervals = partIntervals(scene);
  const described = compared.slowest.subarray(0, slowest);
  const asked = questions(scene, intervals, compared, described, minSpanNs(scene.roots, described, minNs));
  const times = new RequestTimes();
  const answers: (LogAnswers | null)[] = [];
  for (const [host, { calls, traced }] of scene.hosts.entries()) {
    const byThread = asked.byHost[host];
    const answered = byThread.size === 0 ? null : await calls.askable.ask(byThread);
    answers.push(answered);
    if (answered === null) continue;
    const { paths, threads } = answered;
    const of = { host, paths, places: placesOf(paths, calls.symbols) };
    for (const [tid, { treesOver }] of threads) if (treesOver) times.add(of, traced.threads.of(tid).comm, treesOver);
  }
  const counts = [compared.typical.length, compared.slowest.length] as const;
  return {
    where: times.where(...counts),
    whereByThread: times.threads(...counts),
    details: requestDetails(scene, intervals, answers, asked.spanRow, described),
  };
}

const MIN_SHARE = 0.01;

/** `minNs`: null, to see what matters in the slowest. The requests themselves are always seen. */
function minSpanNs({ durationNs }: HostRoots, described: Int32Array, minNs: Nanoseconds | null): Nanoseconds {
  const all = Array.from(described, (row) => durationNs[row]);
  return Math.min(minNs ?? Math.max(MIN_SPAN_NS, MIN_SHARE * Math.max(...all)), ...all);
}

const MIN_SPAN_NS = 10_000;

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
  described: Int32Array,
  minNs: Nanoseconds,
): AskedOfThreads {
  const { parts, hosts, common } = scene;
  const { fromNs, toNs } = intervals;
  const [isTypical, isSlow, isDescribed] = [new Set(typical), new Set(slowest), new Set(described)];
  const threads = new Map<number, { timed: TimedInterval[]; listed: number[] }>();
  const spanRow = new Map<number, number>();
  for (let part = 0; part < parts.length; part++) {
    const request = parts.request[part];
    if (parts.isInside[part] || !(isTypical.has(request) || isSlow.has(request))) continue;
    let thread = threads.get(parts.tid[part]);
    if (thread === undefined) threads.set(parts.tid[part], (thread = { timed: [], listed: [] }));
    const side = parts.parent[part] === NONE ? TimeKey.Own : TimeKey.Other;
    for (const [is, key] of [
      [isTypical, TimeKey.Typical],
      [isSlow, TimeKey.Slowest],
    ] as const) {
      if (!is.has(request)) continue;
      thread.timed.push(...timedIntervals(scene, intervals, part, key + side));
    }
    if (isDescribed.has(request)) spanRow.set(part, thread.listed.push(part) - 1);
  }
  const column = (rows: readonly number[], values: Float64Array) => Float64Array.from(rows, (row) => values[row]);
  const byHost = hosts.map(() => new Map<Tid, ThreadQuestions>());
  for (const [thread, { timed, listed }] of threads) {
    const treesOver = {
      key: Int32Array.from(timed, ({ key }) => key),
      fromNs: Float64Array.from(timed, ({ fromNs }) => fromNs),
      toNs: Float64Array.from(timed, ({ toNs }) => toNs),
    };
    const spanTrees =
      listed.length === 0 ? null : { fromNs: column(listed, fromNs), toNs: column(listed, toNs), minNs };
    const own = byHost[common.threads.hostOf(thread)];
    own.set(common.threads.numberOf(thread), { nodesAt: null, spans: null, treesOver, spanTrees });
  }
  return { byHost, spanRow };
}

interface TimedInterval {
  readonly key: number;
  readonly fromNs: Nanoseconds;
  readonly toNs: Nanoseconds;
}

/** Time that several requests share is asked about under a key that says by how many to divide it. */
function timedIntervals({ parts, common }: Scene, { fromNs, toNs }: PartIntervals, part: number, key: number) {
  const [from, to] = [fromNs[part], toNs[part]];
  if (parts.sharedBy[part] === 1) return [{ key, fromNs: from, toNs: to }];
  const host = common.threads.hostOf(parts.tid[part]);
  const own = (ns: Nanoseconds) => Math.max(from, common.clocks.own(host, ns));
  return [
    { key, fromNs: from, toNs: own(parts.ownToNs[part]) },
    { key: sharedKey(key, parts.sharedBy[part]), fromNs: own(parts.sharedFromNs[part]), toNs: to },
  ];
}
