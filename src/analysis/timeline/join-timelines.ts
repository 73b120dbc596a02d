/**
 * Puts the timelines of a thread's parts together, in the order of time.
 */
import type { Strip, ThreadSums } from '../../model/profile/timeline.js';
import type { Nanoseconds } from '../../model/units.js';
import {
  COARSEST_OF_ALL_PATHS,
  levelsOf,
  NO_SUMS,
  raise,
  resolutionOf,
  sumsShare,
  type TimedPaths,
  type TimelineQuestion,
} from './resolution.js';
import { SpansBuilder } from './spans-builder.js';
import { BoundedSums, SumsBuilder, SumsMemory } from './sums-builder.js';
import type { PartTimeline, PathTime, ThreadTimeline } from './thread-timeline.js';

/** Until all parts are there, it is not known which call paths have little time, so all are kept. */
const NO_PATHS: TimedPaths = { length: 0, parent: new Int32Array(0), totalNs: new Float64Array(0) };

export class TimelineJoiner {
  private strip: Strip = new Float64Array(0);
  /** All so far, at a level that the whole needs at least. */
  private sums = new SumsBuilder();
  private unused = new SumsBuilder();
  private level: number;
  /** Time that may go on in the next part. The last part leaves none: all its calls end. */
  private open: PathTime | null = null;
  private readonly spans = new SpansBuilder();
  private readonly durationNs: Nanoseconds;

  constructor(private readonly question: TimelineQuestion) {
    const { window, maxBytes, reached } = question;
    const { sums, spans } = levelsOf(reached);
    this.durationNs = window.endNs - window.startNs;
    this.spans.clear(spans, maxBytes);
    this.level = sums;
    if (sums !== NO_SUMS) this.sums.clear(resolutionOf(sums, this.durationNs), NO_PATHS);
  }

  /** Adds the next part. `nodeOf`: by its nodes, those of the thread, of which there are `nodes` so far. */
  add(part: PartTimeline, nodeOf: Int32Array, nodes: number): void {
    const { strip, sums, sumsLevel, spans, firstSpanStep } = part;
    this.strip = this.strip.length === 0 ? strip : strip.map((ns, at) => ns + this.strip[at]);
    if (sumsLevel > this.level) this.coarsenTo(sumsLevel, nodes);
    this.sums.addPaths(nodes);
    this.goOn(part, nodeOf);
    if (sums !== null && this.level !== NO_SUMS) this.addSums(withNodes(sums, nodeOf), sumsLevel, nodes);
    this.spans.beginFrom(firstSpanStep);
    for (const { node, startNs, endNs, ending } of spans.levels)
      for (let row = 0; row < node.length; row++)
        this.spans.add(nodeOf[node[row]], startNs[row], endNs[row], ending[row]);
    raise(this.question.reached, this.level, this.spans.firstStep);
  }

  /** Time that goes on from one part to the next is one time. */
  private goOn({ first, last, isThrough }: PartTimeline, nodeOf: Int32Array): void {
    const { open } = this;
    const next = last && { ...last, node: nodeOf[last.node] };
    if (isThrough) {
      if (next) this.open = open ? { ...open, endNs: next.endNs } : next;
      return;
    }
    const begun = open ?? (first && { ...first, node: nodeOf[first.node] });
    this.addTime(begun && first ? { ...begun, endNs: first.endNs } : begun);
    this.open = next;
  }

  private addTime(time: PathTime | null): void {
    if (time !== null && this.level !== NO_SUMS)
      this.sums.addTime(time.node, time.startNs, time.endNs, time.isInferred);
  }

  /** `nodeOf`: by node of the thread so far, that of `paths`. */
  build(nodeOf: Int32Array, paths: TimedPaths): ThreadTimeline {
    const { question, durationNs, spans, strip } = this;
    const reached = levelsOf(question.reached);
    const bounded = new BoundedSums(this.level, durationNs, paths, sumsShare(question), new SumsMemory());
    bounded.addFiner(withNodes(this.sums.view(), nodeOf), this.level);
    const sums = bounded.build(reached.sums);
    spans.renumber(nodeOf);
    const kept = { strip, sums, spans: spans.build(reached.spans) };
    return { ...kept, sumsLevel: bounded.level, firstSpanStep: spans.firstStep, stepCounts: spans.stepCounts() };
  }

  private addSums(sums: ThreadSums, level: number, nodes: number): void {
    this.sums.addFiner(sums, resolutionOf(level, this.durationNs).sliceNs);
    while (this.level < COARSEST_OF_ALL_PATHS && this.sums.bytes > sumsShare(this.question))
      this.coarsenTo(this.level + 1, nodes);
  }

  private coarsenTo(level: number, nodes: number): void {
    const { sums, unused, durationNs } = this;
    if (level !== NO_SUMS) {
      unused.clear(resolutionOf(level, durationNs), NO_PATHS);
      unused.addPaths(nodes);
      unused.addFiner(sums.view(), resolutionOf(this.level, durationNs).sliceNs);
    }
    this.level = level;
    this.sums = unused;
    this.unused = sums;
  }
}

function withNodes({ rows, calls, times }: ThreadSums, nodeOf: Int32Array): ThreadSums {
  const renumbered = (node: Int32Array) => node.map((own) => nodeOf[own]);
  return {
    rows: { ...rows, node: renumbered(rows.node) },
    calls: { ...calls, node: renumbered(calls.node) },
    times: { ...times, node: renumbered(times.node) },
  };
}
