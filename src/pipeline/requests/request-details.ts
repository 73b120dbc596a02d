/**
 * Lists all that happened in some requests, on the clock of each request's host.
 */
import type { LogAnswers } from '../../analysis/log/join-answers.js';
import { type Nanoseconds, NONE } from '../../model/units.js';
import type { HandOffBy } from '../../waits/handoffs/hand-offs.js';
import type { RequestDetails, RequestPart } from './found-requests.js';
import { RequestSpans } from './request-spans.js';
import type { Scene } from './scene.js';
import { TraceContexts } from './trace-contexts.js';

/** By part, on the clock of its host. */
export interface PartIntervals {
  readonly fromNs: Float64Array;
  readonly toNs: Float64Array;
}

/** What threads answered about the parts of some requests. */
export interface DescribedParts {
  readonly requests: Int32Array;
  /** By host; null: none of its threads was asked. */
  readonly answers: readonly (LogAnswers | null)[];
  /** By part: its row among what its thread was asked. */
  readonly spanRow: ReadonlyMap<number, number>;
  /** Shorter calls are left out. */
  readonly minNs: Nanoseconds;
}

export async function requestDetails(
  scene: Scene,
  { fromNs, toNs }: PartIntervals,
  { requests: described, answers, spanRow, minNs }: DescribedParts,
): Promise<RequestDetails[]> {
  if (described.length === 0) return [];
  const { parts, roots, hosts, common } = scene;
  const spans = await Promise.all(
    hosts.map(async ({ traced }, at) => {
      const paths = answers[at]?.paths;
      return paths ? new RequestSpans(await traced.withPlaces(), traced.threads, paths) : null;
    }),
  );
  const contexts = hosts.map(({ traced }) => new TraceContexts(traced.trace.samples));
  const partsOf = new Map<number, number[]>([...described].map((request) => [request, []]));
  for (const part of spanRow.keys()) partsOf.get(parts.request[part])?.push(part);
  return [...partsOf].map(([request, own]) => {
    const laterNs = (host: number, ns: Nanoseconds) => differenceNs(scene, request, host, ns);
    return {
      host: roots.host[request],
      symbol: roots.symbol[request],
      context: contextOf(scene, request, contexts),
      startNs: roots.ownFromNs[request],
      durationNs: roots.durationNs[request],
      parts: own.map((part): RequestPart => {
        const host = common.threads.hostOf(parts.tid[part]);
        const tid = common.threads.numberOf(parts.tid[part]);
        const trees = answers[host]?.threads.get(tid)?.spanTrees;
        const later = laterNs(host, fromNs[part]);
        return {
          ...{ host, thread: hosts[host].traced.threads.of(tid) },
          errorNs: common.clocks.errorNs(host, roots.host[request], fromNs[part]),
          by: parts.by[part] as HandOffBy,
          sharedBy: parts.sharedBy[part],
          parent: own.indexOf(parts.parent[part]),
          handedOnNs: handedOnNs(parts.pop[part], scene, laterNs),
          startNs: fromNs[part] + later,
          endNs: toNs[part] + later,
          spans: trees ? (spans[host]?.of(tid, trees, spanRow.get(part) as number, minNs, later) ?? []) : [],
        };
      }),
    };
  });
}

function contextOf({ roots, common }: Scene, request: number, contexts: readonly TraceContexts[]) {
  const tid = common.threads.numberOf(roots.tid[request]);
  return contexts[roots.host[request]].within(tid, roots.ownFromNs[request], roots.ownToNs[request]);
}

/** Returns by how much the clock of a request's host is ahead of another's at a time. */
function differenceNs({ roots, common }: Scene, request: number, host: number, ns: Nanoseconds): Nanoseconds {
  if (host === roots.host[request]) return 0;
  const sinceNs = common.clocks.common(host, ns) - roots.fromNs[request];
  return roots.ownFromNs[request] + sinceNs - ns;
}

function handedOnNs(
  pop: number,
  { flow, common }: Scene,
  laterNs: (host: number, ns: Nanoseconds) => Nanoseconds,
): Nanoseconds {
  if (pop === NONE) return Number.NaN;
  const push = flow.push[pop];
  const ns = flow.pushNs[push];
  return ns + laterNs(common.threads.hostOf(flow.pushes.tid[push]), ns);
}
