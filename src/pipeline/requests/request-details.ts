/**
 * Lists all that happened in some requests, on the clock of each request's host.
 */
import type { LogAnswers } from '../../analysis/log/join-answers.js';
import { type Nanoseconds, NONE } from '../../model/units.js';
import type { HandOffBy } from '../../waits/handoffs/hand-offs.js';
import type { RequestDetails, RequestPart } from './found-requests.js';
import { RequestSpans } from './request-spans.js';
import type { Scene } from './scene.js';

/** By part, on the clock of its host. */
export interface PartIntervals {
  readonly fromNs: Float64Array;
  readonly toNs: Float64Array;
}

/** `answers`: by host; null: none of its threads was asked. `spanRow`: by part, its row among what its thread was asked. */
export async function requestDetails(
  scene: Scene,
  { fromNs, toNs }: PartIntervals,
  answers: readonly (LogAnswers | null)[],
  spanRow: ReadonlyMap<number, number>,
  described: Int32Array,
): Promise<RequestDetails[]> {
  if (described.length === 0) return [];
  const { parts, roots, hosts, common } = scene;
  const spans = await Promise.all(
    hosts.map(async ({ traced }, at) => {
      const paths = answers[at]?.paths;
      return paths ? new RequestSpans(await traced.withPlaces(), traced.threads, paths) : null;
    }),
  );
  const partsOf = new Map<number, number[]>([...described].map((request) => [request, []]));
  for (const part of spanRow.keys()) partsOf.get(parts.request[part])?.push(part);
  return [...partsOf].map(([request, own]) => {
    const laterNs = (host: number, ns: Nanoseconds) => differenceNs(scene, request, host, ns);
    return {
      host: roots.host[request],
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
          spans: trees ? (spans[host]?.of(tid, trees, spanRow.get(part) as number, later) ?? []) : [],
        };
      }),
    };
  });
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
