/**
 * Lists all that happened in some requests, on the clock of each request's host.
 */
import type { LogAnswers } from '../../analysis/log/answer-thread.js';
import { CONTINUES, type SpanTrees } from '../../analysis/log/span-trees.js';
import { isOffCpu } from '../../analysis/tree/outside.js';
import type { Shape } from '../../model/calls/overlay.js';
import { countBelow } from '../../model/columns.js';
import { isComplete } from '../../model/profile/profile.js';
import { type Nanoseconds, NONE, type Tid } from '../../model/units.js';
import type { HandOffBy } from '../../waits/hand-offs.js';
import type { Reason } from '../../waits/reason.js';
import { rowEndingFrom, threadOf } from '../../waits/schedule.js';
import type { ThreadDirectory } from '../waits/thread-directory.js';
import type { RequestDetails, RequestPart, RequestSpan, RequestWait } from './found-requests.js';
import type { PlacedWaits, Scene } from './scene.js';
import { type TraceContext, TraceContexts } from './trace-contexts.js';

/** By part, on the clock of its host. */
export interface PartIntervals {
  readonly fromNs: Float64Array;
  readonly toNs: Float64Array;
}

/** What threads answered about the parts of some requests. */
interface DescribedParts {
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
  intervals: PartIntervals,
  described: DescribedParts,
): Promise<RequestDetails[]> {
  if (described.requests.length === 0) return [];
  const { parts, roots, hosts } = scene;
  const describer = new PartDescriber(scene, intervals, described, await spansByHost(scene, described));
  const contexts = hosts.map(({ traced }) => new TraceContexts(traced.trace.samples));
  const partsOf = new Map<number, number[]>([...described.requests].map((request) => [request, []]));
  for (const part of described.spanRow.keys()) partsOf.get(parts.request[part])?.push(part);
  return [...partsOf].map(([request, own]) => ({
    host: roots.host[request],
    symbol: roots.symbol[request],
    context: contextOf(scene, request, contexts),
    startNs: roots.ownFromNs[request],
    commonNs: roots.fromNs[request],
    durationNs: roots.durationNs[request],
    parts: own.map((part) => describer.describe(part, own)),
  }));
}

/** null: the threads of the host were not asked. */
function spansByHost({ hosts }: Scene, { answers }: DescribedParts): Promise<(RequestSpans | null)[]> {
  const spans = hosts.map(async ({ traced }, host) => {
    const paths = answers[host]?.paths;
    return paths ? new RequestSpans(await traced.withPlaces(), traced.threads, paths) : null;
  });
  return Promise.all(spans);
}

function contextOf({ roots, common }: Scene, request: number, contexts: readonly TraceContexts[]): TraceContext | null {
  const tid = common.threads.numberOf(roots.tid[request]);
  return contexts[roots.host[request]].within(tid, roots.ownFromNs[request], roots.ownToNs[request]);
}

class PartDescriber {
  constructor(
    private readonly scene: Scene,
    private readonly intervals: PartIntervals,
    private readonly described: DescribedParts,
    private readonly spans: readonly (RequestSpans | null)[],
  ) {}

  /** `own`: all parts of the request. */
  describe(part: number, own: readonly number[]): RequestPart {
    const { parts, roots, hosts, common } = this.scene;
    const [fromNs, toNs] = [this.intervals.fromNs[part], this.intervals.toNs[part]];
    const request = parts.request[part];
    const host = common.threads.hostOf(parts.tid[part]);
    const tid = common.threads.numberOf(parts.tid[part]);
    const laterNs = this.laterNs(request, host, fromNs);
    return {
      ...{ host, thread: hosts[host].traced.threads.of(tid) },
      errorNs: common.clocks.errorNs(host, roots.host[request], fromNs),
      by: parts.by[part] as HandOffBy,
      sharedBy: parts.sharedBy[part],
      parent: own.indexOf(parts.parent[part]),
      handedOnNs: this.handedOnNs(request, parts.pop[part]),
      startNs: fromNs + laterNs,
      endNs: toNs + laterNs,
      ...{ ownStartNs: fromNs, ownEndNs: toNs },
      spans: this.spansOf(part, host, tid, laterNs),
    };
  }

  private spansOf(part: number, host: number, tid: Tid, laterNs: Nanoseconds): readonly RequestSpan[] {
    const { answers, spanRow, minNs } = this.described;
    const trees = answers[host]?.threads.get(tid)?.spanTrees;
    return (trees && this.spans[host]?.of(tid, trees, spanRow.get(part) as number, minNs, laterNs)) ?? [];
  }

  /** Returns by how much the clock of a request's host is ahead of another host's at a time of the latter. */
  private laterNs(request: number, host: number, ns: Nanoseconds): Nanoseconds {
    const { roots, common } = this.scene;
    if (host === roots.host[request]) return 0;
    const sinceNs = common.clocks.common(host, ns) - roots.fromNs[request];
    return roots.ownFromNs[request] + sinceNs - ns;
  }

  private handedOnNs(request: number, pop: number): Nanoseconds {
    const { flow, common } = this.scene;
    if (pop === NONE) return Number.NaN;
    const push = flow.push[pop];
    const ns = flow.pushNs[push];
    return ns + this.laterNs(request, common.threads.hostOf(flow.pushes.tid[push]), ns);
  }
}

/** Describes the calls in one part of a request, and for whom it waited. */
class RequestSpans {
  constructor(
    private readonly placed: PlacedWaits,
    private readonly threads: ThreadDirectory,
    private readonly paths: Shape,
  ) {}

  /**
   * `wanted`: the row of an interval among those that the thread was asked about. `minNs`: shorter calls are left out.
   * `laterNs`: is added to all times.
   */
  of(tid: Tid, trees: SpanTrees, wanted: number, minNs: Nanoseconds, laterNs: Nanoseconds): RequestSpan[] {
    const { interval, parent, node, startNs, endNs, ending } = trees;
    const first = countBelow(interval, wanted);
    const below: number[] = [];
    const depth: number[] = [];
    const selfNs: number[] = [];
    const rows: number[] = [];
    const placeOf = new Map<number, number>([[NONE, NONE]]); // by row: where it is among `rows`
    for (let row = first; row < interval.length && interval[row] === wanted; row++) {
      if (endNs[row] - startNs[row] < minNs) continue;
      const above = placeOf.get(parent[row]) ?? NONE;
      placeOf.set(row, rows.push(row) - 1);
      below.push(above);
      depth.push(above === NONE ? 0 : depth[above] + 1);
      selfNs.push(endNs[row] - startNs[row]);
      if (above !== NONE) selfNs[above] -= endNs[row] - startNs[row];
    }
    return rows.map((row, at) => {
      const symbol = this.paths.symbol[node[row]];
      const wait = isOffCpu(symbol) ? this.waitOf(tid, startNs[row], endNs[row]) : null;
      const times = { startNs: startNs[row] + laterNs, endNs: endNs[row] + laterNs, selfNs: selfNs[at] };
      const isInferred = ending[row] !== CONTINUES && !isComplete(ending[row]);
      return { depth: depth[at], parent: below[at], symbol, ...times, isInferred, wait };
    });
  }

  /** Returns the wait that overlaps an interval most. */
  private waitOf(tid: Tid, fromNs: Nanoseconds, toNs: Nanoseconds): RequestWait | null {
    const { waits } = this.placed;
    const thread = threadOf(waits, tid);
    if (thread === NONE) return null;
    let found = NONE;
    let mostNs = 0;
    for (let wait = rowEndingFrom(waits, thread, fromNs); wait < waits.starts[thread + 1]; wait++) {
      if (waits.outNs[wait] >= toNs) break;
      const ns = Math.min(toNs, waits.inNs[wait]) - Math.max(fromNs, waits.outNs[wait]);
      if (ns > mostNs) [found, mostNs] = [wait, ns];
    }
    return found === NONE ? null : this.describe(found);
  }

  private describe(wait: number): RequestWait {
    const { threads } = this;
    const { waits, facts } = this.placed;
    const waker = waits.waker[wait];
    return {
      reason: facts.reason[wait] as Reason,
      isReasonInferred: facts.isInferred(wait),
      address: facts.addressOf(wait),
      endedBy: facts.endedBy(wait),
      waker: waker === NONE ? null : threads.of(waker),
      wakerPlace: facts.wakerPlaceOf(wait),
      wakeUpNs: waits.isOpen[wait] ? Number.NaN : waits.inNs[wait] - waits.wakeNs[wait],
    };
  }
}
