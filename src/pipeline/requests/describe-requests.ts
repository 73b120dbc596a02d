/**
 * Describes requests: where the time of typical and slow ones goes, and all that happened in the slowest.
 */
import type { ThreadAnswers, ThreadQuestions } from '../../analysis/log/answer-thread.js';
import type { Shape } from '../../model/calls/overlay.js';
import { type Nanoseconds, NONE, type Tid } from '../../model/units.js';
import type { HandOffBy } from '../../waits/handoffs/hand-offs.js';
import type { ComparedRequests } from '../../waits/requests/compared.js';
import type { RequestDetails, RequestPart, RequestThreadTime, RequestTime } from './found-requests.js';
import { RequestSpans } from './request-spans.js';
import { RequestTimes, TimeKey } from './request-times.js';
import type { RootCalls } from './root-calls.js';
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
  if (asked.byThread.size === 0) return { where: [], whereByThread: [], details: [] };
  const { paths, threads } = await scene.calls.askable.ask(asked.byThread);
  return {
    ...whereTimeGoes(scene, paths, threads, compared),
    details: details(scene, intervals, paths, threads, asked, described),
  };
}

const MIN_SHARE = 0.01;

/** `minNs`: null, to see what matters in the slowest. The requests themselves are always seen. */
function minSpanNs({ durationNs }: RootCalls, described: Int32Array, minNs: Nanoseconds | null): Nanoseconds {
  const all = Array.from(described, (row) => durationNs[row]);
  return Math.min(minNs ?? Math.max(MIN_SPAN_NS, MIN_SHARE * Math.max(...all)), ...all);
}

const MIN_SPAN_NS = 10_000;

interface PartIntervals {
  readonly fromNs: Float64Array;
  readonly toNs: Float64Array;
}

/** Where work is taken when a call begins, the part is that call, which began a little earlier. */
function partIntervals({ parts, flow }: Scene): PartIntervals {
  const fromNs = parts.fromNs.map((ns, part) => (parts.pop[part] === NONE ? ns : flow.startNs[parts.pop[part]]));
  return { fromNs, toNs: parts.toNs };
}

interface AskedOfThreads {
  readonly byThread: ReadonlyMap<Tid, ThreadQuestions>;
  /** By described part: the row of its interval in its thread. */
  readonly spanRow: ReadonlyMap<number, number>;
}

function questions(
  { parts }: Scene,
  { fromNs, toNs }: PartIntervals,
  { typical, slowest }: ComparedRequests,
  described: Int32Array,
  minNs: Nanoseconds,
): AskedOfThreads {
  const [isTypical, isSlow, isDescribed] = [new Set(typical), new Set(slowest), new Set(described)];
  const threads = new Map<Tid, { keys: number[]; timed: number[]; listed: number[] }>();
  const spanRow = new Map<number, number>();
  for (let part = 0; part < parts.length; part++) {
    const request = parts.request[part];
    if (parts.isInside[part] || !(isTypical.has(request) || isSlow.has(request))) continue;
    let thread = threads.get(parts.tid[part]);
    if (thread === undefined) threads.set(parts.tid[part], (thread = { keys: [], timed: [], listed: [] }));
    const side = parts.parent[part] === NONE ? TimeKey.Own : TimeKey.Other;
    for (const [is, key] of [
      [isTypical, TimeKey.Typical],
      [isSlow, TimeKey.Slowest],
    ] as const) {
      if (!is.has(request)) continue;
      thread.keys.push(key + side);
      thread.timed.push(part);
    }
    if (isDescribed.has(request)) spanRow.set(part, thread.listed.push(part) - 1);
  }
  const column = (rows: readonly number[], values: Float64Array) => Float64Array.from(rows, (row) => values[row]);
  const intervals = (rows: readonly number[]) => ({ fromNs: column(rows, fromNs), toNs: column(rows, toNs) });
  const byThread = new Map(
    [...threads].map(([tid, { keys, timed, listed }]): [Tid, ThreadQuestions] => {
      const treesOver = { key: Int32Array.from(keys), ...intervals(timed) };
      const spanTrees = listed.length === 0 ? null : { ...intervals(listed), minNs };
      return [tid, { nodesAt: null, spans: null, treesOver, spanTrees }];
    }),
  );
  return { byThread, spanRow };
}

function whereTimeGoes(
  { calls, traced }: Scene,
  paths: Shape,
  threads: ReadonlyMap<Tid, ThreadAnswers>,
  { typical, slowest }: ComparedRequests,
): Pick<DescribedRequests, 'where' | 'whereByThread'> {
  const times = new RequestTimes(paths, calls.symbols);
  for (const [tid, { treesOver }] of threads) if (treesOver) times.add(traced.threads.of(tid).comm, treesOver);
  const counts = [typical.length, slowest.length] as const;
  return { where: times.where(...counts), whereByThread: times.threads(...counts) };
}

function details(
  scene: Scene,
  { fromNs, toNs }: PartIntervals,
  paths: Shape,
  threads: ReadonlyMap<Tid, ThreadAnswers>,
  { spanRow }: AskedOfThreads,
  described: Int32Array,
): RequestDetails[] {
  const { parts, roots, flow, traced } = scene;
  const spans = new RequestSpans(scene, paths);
  const partsOf = new Map<number, number[]>([...described].map((request) => [request, []]));
  for (const part of spanRow.keys()) partsOf.get(parts.request[part])?.push(part);
  return [...partsOf].map(([request, own]) => ({
    startNs: roots.fromNs[request],
    durationNs: roots.durationNs[request],
    parts: own.map((part): RequestPart => {
      const tid = parts.tid[part];
      const trees = threads.get(tid)?.spanTrees;
      const pop = parts.pop[part];
      return {
        thread: traced.threads.of(tid),
        by: parts.by[part] as HandOffBy,
        parent: own.indexOf(parts.parent[part]),
        handedOnNs: pop === NONE ? Number.NaN : flow.pushes.timeNs[flow.push[pop]],
        startNs: fromNs[part],
        endNs: toNs[part],
        spans: trees ? spans.of(tid, trees, spanRow.get(part) as number) : [],
      };
    }),
  }));
}
