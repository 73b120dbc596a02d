/**
 * Replays a large thread in parts, on all workers. First each part is reduced to its outline: what matters of it for other
 * parts. Then each part is replayed between the outlines of the others, and what the parts counted is put together.
 */
import { TimelineJoiner } from '../../analysis/timeline/join-timelines.js';
import { sameNodes } from '../../analysis/timeline/thread-timeline.js';
import type { PackedOutline } from '../../codec/block-head.js';
import { withoutEmptyNodes } from '../../model/calls/call-tree.js';
import { DurationsBuilder } from '../../model/calls/durations.js';
import { sortedTree, totalTimes } from '../../model/calls/tree-view.js';
import { PartJoiner } from '../../replay/join-parts.js';
import type { ThreadSource } from '../../trace/store-contents.js';
import { outlineOf, type PartOutline, packedParts, ThreadCut, withOutlines } from '../../trace/thread-parts.js';
import type { WorkerPool } from '../workers/worker-pool.js';
import { canUseOutlines, needsCallLog, type ReplaySetup } from './replay-setup.js';
import { NO_CALLS, NO_TIMES, type ReplayedPart, type ReplayedThread } from './trace-replayer.js';

/** Give a part to a worker; null: the thread cannot be replayed in parts. */
export interface GiveParts {
  readonly outline: (part: ThreadSource) => Promise<PartOutline | null>;
  readonly replay: (part: ThreadSource) => Promise<ReplayedPart | null>;
}

/** Whether what threads answer can be put together from parts. */
export function canReplayParts(trace: ReplaySetup): boolean {
  const { questions, options, span, knownPaths, siteFacts } = trace;
  if (span !== null || knownPaths !== null || options.onlyPairs === true) return false;
  if (needsCallLog({ ...questions, timeline: null })) return false;
  return canUseOutlines(trace) && !siteFacts.showsTaskSwitches && !siteFacts.hasAborts;
}

/** `outline`: that of a thread in a trace file. Returns null if the thread has to be replayed as a whole. */
export async function replayInParts(
  source: ThreadSource,
  outline: PackedOutline | null,
  trace: ReplaySetup,
  pool: WorkerPool,
  give: GiveParts,
): Promise<ReplayedThread | null> {
  const { size } = pool;
  const outlined = await (outline
    ? packedPartsOf(source, outline, pool, give)
    : outlinedParts(source, trace, pool, give));
  if (outlined === null) return null;
  const { parts, outlines } = outlined;
  const all = outlineOf(source, outlines);
  if ((await give.outline(all)) === null) return null;
  const joiner = new Joiner(trace);
  const addPart = (part: ReplayedPart) => joiner.add(part);
  if (!(await eachInOrder(withOutlines(all, parts, outlines), size, give.replay, addPart))) return null;
  return joiner.build(outlines.reduce((sum, { clockSteps }) => sum + clockSteps, 0));
}

interface OutlinedParts {
  readonly parts: readonly ThreadSource[];
  readonly outlines: readonly PartOutline[];
}

/** Likewise of a thread in a trace file: what its outline has of each part is reduced once more. */
async function packedPartsOf(
  source: ThreadSource,
  outline: PackedOutline,
  { size, sizes }: WorkerPool,
  give: GiveParts,
): Promise<OutlinedParts | null> {
  const cut = packedParts(source, outline, sizes.partEvents);
  if (cut.length < sizes.minParts) return null;
  const outlines: PartOutline[] = [];
  const toReduce = cut.map(({ outline }) => outline);
  if (!(await eachInOrder(toReduce, size, give.outline, (found) => outlines.push(found)))) return null;
  const parts = cut.map(({ part }) => part);
  return { parts, outlines: parts.map(({ events }, part) => ({ ...(outlines[part] as PartOutline), events })) };
}

/** Cuts a thread, and finds the outlines of its parts; null: it cannot be replayed in parts. */
async function outlinedParts(
  source: ThreadSource,
  trace: ReplaySetup,
  { size, sizes }: WorkerPool,
  give: GiveParts,
): Promise<OutlinedParts | null> {
  const cut = ThreadCut.of(source, trace.events, sizes.partEvents);
  let known: (PartOutline | null)[] = [];
  while (cut !== null) {
    const parts = cut.parts();
    if (parts.length < sizes.minParts) return null;
    const found: PartOutline[] = [];
    const lacking = parts.filter((_, part) => !known[part]);
    if (!(await eachInOrder(lacking, size, give.outline, (outline) => found.push(outline)))) return null;
    const outlines = parts.map((_, part) => known[part] ?? (found.shift() as PartOutline));
    if (!cut.isWhole(outlines)) return null;
    known = cut.join(outlines);
    if (known.length === parts.length) return { parts, outlines };
  }
  return null;
}

/**
 * Works on the parts, on so many at a time, and hands on their results in order. Returns false, and does no more, once a
 * result is null.
 */
async function eachInOrder<Result>(
  parts: readonly ThreadSource[],
  atOnce: number,
  work: (part: ThreadSource) => Promise<Result | null>,
  add: (result: Result) => void,
): Promise<boolean> {
  const pending: Promise<Result | null>[] = [];
  let isPossible = true;
  let next = 0;
  try {
    while (isPossible && (next < parts.length || pending.length > 0)) {
      while (next < parts.length && pending.length < RESULTS_AHEAD * atOnce) {
        const result = work(parts[next++] as ThreadSource);
        result.catch(() => {}); // a rejection is handled when its result is awaited
        pending.push(result);
      }
      const result = (await pending.shift()) as Result | null;
      if (result === null) isPossible = false;
      else add(result);
    }
  } finally {
    await Promise.allSettled(pending);
  }
  return isPossible;
}

/** A worker has its next part while results wait for the one before. */
const RESULTS_AHEAD = 2;

/** Puts the parts of a thread together, in their order. */
class Joiner {
  private readonly replays: PartJoiner;
  private readonly durations: DurationsBuilder | null;
  private readonly timelines: TimelineJoiner | null;
  private first: ReplayedPart | null = null;

  constructor(private readonly trace: ReplaySetup) {
    const { durations, timeline } = trace.questions;
    this.replays = new PartJoiner(trace.siteFacts);
    this.durations = durations && new DurationsBuilder();
    this.timelines = timeline && new TimelineJoiner(timeline);
  }

  add(part: ReplayedPart): void {
    this.first ??= part;
    const nodeOf = this.replays.add(part.replay);
    if (part.durations) this.durations?.addAll(part.durations);
    if (part.timeline) this.timelines?.add(part.timeline, nodeOf, this.replays.nodes);
  }

  build(clockSteps: number): ReplayedThread {
    const { durations, timelines, trace } = this;
    const replay = this.replays.build();
    const used = withoutEmptyNodes(replay.tree);
    const { tree, newId } = sortedTree(used, trace.symbolRank);
    const nodeOf = used === replay.tree ? newId : sameNodes(replay.tree, tree, trace.symbolRank);
    const { thread } = this.first as ReplayedPart;
    return {
      thread: { ...thread, clockSteps, mendedNs: NO_TIMES },
      durations: durations?.build() ?? null,
      ...{ calls: null, stack: null, answers: null, keptLog: null, jumpedTo: null, ...NO_CALLS },
      timeline: timelines?.build(nodeOf, { ...tree, totalNs: totalTimes(tree) }) ?? null,
      replay: { ...replay, tree },
    };
  }
}
