/**
 * The timeline of all threads, as finely as a number of bytes permits.
 */

import { freeColumns } from '../../model/memory.js';
import type { TimedThread, Timeline } from '../../model/profile/timeline.js';
import type { Nanoseconds, Tid } from '../../model/units.js';
import {
  levelsOf,
  NO_SUMS,
  raise,
  resolutionOf,
  stripSliceNs,
  sumsShare,
  type TimedPaths,
  type TimelineQuestion,
} from './resolution.js';
import { minSpanNs, SPAN_BYTES, SPAN_STEPS, withoutShorter } from './spans-builder.js';
import { inOrder } from './sum-rows.js';
import { coarsen, nextLevel, SumsBuilder, sumsBytes } from './sums-builder.js';
import type { ThreadTimeline } from './thread-timeline.js';

/** Collects the timelines of threads, in any order: the result is as coarse as all of them together require. */
export class TimelineCollector {
  private readonly threads = new Map<Tid, CollectedThread>();
  private sumsBytes = 0;
  private readonly stepCounts = new Float64Array(SPAN_STEPS);
  private readonly builder = new SumsBuilder();
  private readonly durationNs: Nanoseconds;

  constructor(private readonly question: TimelineQuestion) {
    this.durationNs = question.window.endNs - question.window.startNs;
  }

  /** `paths`: of its tree. */
  add(tid: Tid, timeline: ThreadTimeline, paths: TimedPaths): void {
    const { question, stepCounts } = this;
    this.threads.set(tid, { timeline, paths });
    timeline.stepCounts.forEach((count, step) => {
      stepCounts[step] += count;
    });
    const { sums, spans } = levelsOf(question.reached);
    if (timeline.sumsLevel > sums || timeline.firstSpanStep > spans)
      this.coarsenAll(timeline.sumsLevel, timeline.firstSpanStep);
    else this.sumsBytes += this.coarsened(tid);
    if (this.sumsBytes > SLACK * sumsShare(question)) this.limitSums();
    this.limitSpans(SLACK * question.maxBytes, question.maxBytes);
  }

  /** `shiftNs`: from the times of the result to the trace's. */
  build(shiftNs: Nanoseconds): Timeline {
    const { question, durationNs } = this;
    this.limitSums();
    const spanBytes = question.maxBytes - this.sumsBytes;
    this.limitSpans(spanBytes, spanBytes);
    const { sums, spans } = levelsOf(question.reached);
    const byTid = [...this.threads].sort(([a], [b]) => a - b);
    const { sliceNs, minPathNs } = sums === NO_SUMS ? NO_RESOLUTION : resolutionOf(sums, durationNs);
    return {
      startNs: question.window.startNs - shiftNs,
      durationNs,
      stripSliceNs: stripSliceNs(question),
      sumsSliceNs: sliceNs,
      minPathNs,
      minSpanNs: minSpanNs(spans),
      threads: byTid.map(([tid, { timeline }]) => timedThread(tid, timeline)),
      wakings: null,
    };
  }

  private limitSums(): void {
    const { question, durationNs } = this;
    const maxBytes = sumsShare(question);
    while (this.sumsBytes > maxBytes) {
      const threads = [...this.threads.values()].map(({ timeline, paths }) => ({ sums: timeline.sums, paths }));
      this.coarsenAll(nextLevel(threads, levelsOf(question.reached).sums, durationNs, maxBytes), 0);
    }
  }

  /** Reaches `maxBytes` if calls take more than `tooManyBytes`. */
  private limitSpans(tooManyBytes: number, maxBytes: number): void {
    let step = levelsOf(this.question.reached).spans;
    let bytes = this.stepCounts.subarray(step).reduce((sum, count) => sum + count, 0) * SPAN_BYTES;
    if (bytes <= tooManyBytes) return;
    while (bytes > maxBytes) bytes -= this.stepCounts[step++] * SPAN_BYTES;
    this.coarsenAll(0, step);
  }

  /** Brings all threads to these levels; those that are reached already stay. */
  private coarsenAll(sums: number, spans: number): void {
    raise(this.question.reached, sums, spans);
    this.sumsBytes = 0;
    for (const tid of this.threads.keys()) this.sumsBytes += this.coarsened(tid);
  }

  /** Brings a thread to the levels that are reached, and returns how many bytes its sums take. */
  private coarsened(tid: Tid): number {
    const thread = this.threads.get(tid) as CollectedThread;
    const { timeline } = thread;
    const levels = levelsOf(this.question.reached);
    const sums = timeline.sumsLevel < levels.sums ? this.coarser(thread, levels.sums) : timeline.sums;
    const isShorter = timeline.firstSpanStep < levels.spans;
    const spans = isShorter ? withoutShorter(timeline.spans, minSpanNs(levels.spans)) : timeline.spans;
    thread.timeline = { ...timeline, sums, sumsLevel: levels.sums, spans, firstSpanStep: levels.spans };
    return sums === null ? 0 : sumsBytes(sums);
  }

  private coarser({ timeline, paths }: CollectedThread, to: number): ThreadTimeline['sums'] {
    const { sums, sumsLevel: from } = timeline;
    if (sums === null || to === NO_SUMS) return null;
    coarsen(this.builder, sums, { from, to }, this.durationNs, paths);
    for (const part of Object.values(sums)) freeColumns(part);
    return this.builder.build();
  }
}

/** Up to this many times the wanted bytes are kept, because making everything coarser takes time. */
const SLACK = 1.25;

const NO_RESOLUTION = { sliceNs: null, minPathNs: 0 };

function timedThread(tid: Tid, { strip, sums, spans }: ThreadTimeline): TimedThread {
  return { tid, strip, sums: sums && { ...sums, rows: inOrder(sums.rows) }, spans };
}

interface CollectedThread {
  timeline: ThreadTimeline;
  readonly paths: TimedPaths;
}
