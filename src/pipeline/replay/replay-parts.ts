/**
 * Replays a large thread in parts, on all workers. First each part is reduced to its outline: what matters of it for other
 * parts. Then each part is replayed between the outlines of the others, and what the parts counted is put together.
 */
import { TimelineJoiner } from '../../analysis/timeline/join-timelines.js';
import { sameNodes } from '../../analysis/timeline/thread-timeline.js';
import { withoutEmptyNodes } from '../../model/calls/call-tree.js';
import { DurationsBuilder } from '../../model/calls/durations.js';
import { TreeSorter, totalTimes } from '../../model/calls/tree-view.js';
import { PartJoiner } from '../../replay/join-parts.js';
import type { ThreadSource } from '../../trace/store-contents.js';
import { arePartsOf, cutThread, outlineOf, type PartOutline, withOutlines } from '../../trace/thread-parts.js';
import type { WorkerPool } from '../workers/worker-pool.js';
import { canUseOutlines, needsCallLog, type ReplaySetup } from './replay-setup.js';
import { NO_CALLS, NO_TIMES, type ReplayedPart, type ReplayedThread } from './trace-replayer.js';

/** Gives a part to a worker. Returns null if the thread cannot be replayed in parts. */
export interface GivePart {
  (name: 'outlinePart', part: ThreadSource): Promise<PartOutline | null>;
  (name: 'replayPart', part: ThreadSource): Promise<ReplayedPart | null>;
}

/** Whether what threads answer can be put together from parts. */
export function canReplayParts(trace: ReplaySetup): boolean {
  const { questions, options, span, knownPaths, siteFacts } = trace;
  if (span !== null || knownPaths !== null || options.onlyPairs === true) return false;
  if (needsCallLog({ ...questions, timeline: null })) return false;
  return canUseOutlines(trace) && !siteFacts.showsTaskSwitches && !siteFacts.hasAborts;
}

/** Returns null if the thread has to be replayed as a whole. */
export async function replayInParts(
  source: ThreadSource,
  trace: ReplaySetup,
  { size, sizes }: WorkerPool,
  give: GivePart,
): Promise<ReplayedThread | null> {
  const parts = cutThread(source, trace.events, sizes.partEvents);
  if (parts.length < 2) return null;
  const outlines: PartOutline[] = [];
  const addOutline = (outline: PartOutline) => outlines.push(outline);
  if (!(await eachInOrder(parts, size, (part) => give('outlinePart', part), addOutline))) return null;
  const outline = outlineOf(source, outlines);
  if (!arePartsOf(source, parts, outlines) || (await give('outlinePart', outline)) === null) return null;
  const joiner = new Joiner(trace);
  const around = withOutlines(outline, parts, outlines);
  const addPart = (part: ReplayedPart) => joiner.add(part);
  if (!(await eachInOrder(around, size, (part) => give('replayPart', part), addPart))) return null;
  return joiner.build(outlines.reduce((sum, { clockSteps }) => sum + clockSteps, 0));
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
    const { tree, newId } = new TreeSorter(trace.symbolRank).sort(used);
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
