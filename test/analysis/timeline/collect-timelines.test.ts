/**
 * The timelines of threads, collected in any order and made at any time: as fine as all together permit, no finer.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TimelineCollector } from '../../../src/analysis/timeline/collect-timelines.js';
import {
  LISTED,
  levelsOf,
  NO_SUMS,
  reachedLevels,
  resolutionOf,
  type TimelineQuestion,
} from '../../../src/analysis/timeline/resolution.js';
import { minSpanNs, SPAN_BYTES, SPAN_STEPS, spanStep } from '../../../src/analysis/timeline/spans-builder.js';
import { coarsen, SumsBuilder, sumsBytes } from '../../../src/analysis/timeline/sums-builder.js';
import {
  type ShownPaths,
  type ThreadTimeline,
  threadTimeline,
} from '../../../src/analysis/timeline/thread-timeline.js';
import type { CallLog } from '../../../src/model/calls/call-log.js';
import { totalTimes } from '../../../src/model/calls/tree-view.js';
import { rowNumbers } from '../../../src/model/columns.js';
import { spanLevel, type Timeline } from '../../../src/model/profile/timeline.js';
import { Replayer } from '../../../src/replay/replayer.js';
import { execute } from '../../helpers/random/execution.js';
import { decisions } from '../../helpers/random/random-questions.js';
import { copyOf } from '../../helpers/traces/for-logs.js';
import { inputOf } from '../../helpers/traces/load.js';
import { threadsOfInput } from '../../helpers/traces/threads-of.js';

interface Logged {
  readonly tid: number;
  readonly log: CallLog;
  readonly paths: ShownPaths;
}

interface Loaded {
  readonly threads: readonly Logged[];
  readonly window: TimelineQuestion['window'];
}

async function loaded(lines: readonly string[]): Promise<Loaded> {
  const { threads, facts, bounds } = await threadsOfInput(inputOf(lines.map((line) => `${line}\n`).join('')));
  const replayer = new Replayer(facts);
  const options = { tailCalls: 'nest', extendTo: null, mayBeUndecoded: false, createdInside: false } as const;
  const logged = threads.map(({ events }, tid) => {
    const { log, tree } = replayer.replay(events, { ...options, knownPaths: null, durations: null, wantsLog: true });
    if (log === null) throw new Error('there is no log');
    const paths = structuredClone(tree);
    return { tid, log: copyOf(log), paths: { ...paths, totalNs: totalTimes(paths), nodeOf: rowNumbers(paths.length) } };
  });
  return { threads: logged, window: { startNs: bounds.startNs, endNs: bounds.endNs + 1 } };
}

function questionOf({ window }: Loaded, maxBytes: number): TimelineQuestion {
  return { window, stripSlices: 32, reached: reachedLevels(LISTED), maxBytes };
}

/** `ahead`: how many threads are made before the first of them is added, as several workers do. */
function collected(all: Loaded, maxBytes: number, threads: readonly Logged[], ahead: number): Timeline {
  const question = questionOf(all, maxBytes);
  const collector = new TimelineCollector(question);
  const made: [Logged, ThreadTimeline][] = [];
  const addFirst = () => {
    const [{ tid, paths }, timeline] = made.shift() as [Logged, ThreadTimeline];
    collector.add(tid, timeline, paths);
  };
  for (const thread of threads) {
    made.push([thread, threadTimeline(thread.log, thread.paths, question)]);
    if (made.length > ahead) addFirst();
  }
  while (made.length > 0) addFirst();
  return collector.build(0);
}

const executions = fc
  .array(fc.array(decisions({ ns: fc.constantFrom(0, 0, 1, 7, 100, 5000) }), { minLength: 10, maxLength: 120 }), {
    minLength: 2,
    maxLength: 6,
  })
  .map((threads) => execute(threads).lines.map(({ text }) => text));

async function expectSameInAnyOrder(beforeOthers: () => void): Promise<void> {
  await fc.assert(
    fc.asyncProperty(executions, fc.constantFrom(40_000, 4000, 1500, 400, 50, 1), async (lines, maxBytes) => {
      const all = await loaded(lines);
      const expected = collected(all, maxBytes, all.threads, 0);
      beforeOthers();
      for (const ahead of [1, 3, 9])
        for (const threads of [all.threads, all.threads.toReversed()])
          expect(collected(all, maxBytes, threads, ahead)).toEqual(expected);
    }),
    { numRuns: 40 },
  );
}

test('is the same in any order, however many threads are made before others were added', () =>
  expectSameInAnyOrder(() => {}));

test('is the same where memory is freed at once, as in browsers', async () => {
  const { prototype } = ArrayBuffer as { prototype: { transfer?: (bytes: number) => ArrayBuffer } };
  const own = Object.getOwnPropertyDescriptor(prototype, 'transfer');
  let freed = 0;
  const free = function (this: ArrayBuffer, bytes: number): ArrayBuffer {
    freed += this.byteLength;
    structuredClone(this, { transfer: [this] });
    return new ArrayBuffer(bytes);
  };
  try {
    await expectSameInAnyOrder(() => Object.defineProperty(prototype, 'transfer', { configurable: true, value: free }));
  } finally {
    if (own === undefined) delete prototype.transfer;
    else Object.defineProperty(prototype, 'transfer', own);
  }
  expect(freed).toBeGreaterThan(0);
});

/** Made at the finest level, and as coarse as needed by trying each level. */
test('is as fine as the bytes permit', () =>
  fc.assert(
    fc.asyncProperty(executions, fc.constantFrom(40_000, 4000, 1500, 400, 50, 1), async (lines, maxBytes) => {
      const all = await loaded(lines);
      const durationNs = all.window.endNs - all.window.startNs;
      const unlimited = { ...questionOf(all, 0), maxBytes: Number.POSITIVE_INFINITY };
      const finest = all.threads.map(({ log, paths }) => threadTimeline(log, paths, unlimited));
      const bytesAt = (to: number) => {
        const builder = new SumsBuilder();
        return finest.reduce((bytes, { sums }, at) => {
          if (sums === null || to === LISTED) return bytes + (sums === null ? 0 : sumsBytes(sums));
          coarsen(builder, sums, { from: LISTED, to }, durationNs, all.threads[at].paths);
          return bytes + builder.bytes;
        }, 0);
      };
      let level: number = LISTED;
      while (level < NO_SUMS && bytesAt(level) > maxBytes / 2) level++;
      const left = maxBytes - (level === NO_SUMS ? 0 : bytesAt(level));
      const durations = finest.flatMap(({ spans }) =>
        spans.levels.flatMap(({ startNs, endNs }) => Array.from(startNs, (start, row) => endNs[row] - start)),
      );
      let step = 0;
      while (durations.filter((ns) => ns >= minSpanNs(step)).length * SPAN_BYTES > left) step++;
      const { sumsSliceNs, minPathNs, minSpanNs: minNs, threads } = collected(all, maxBytes, all.threads, 2);
      expect(minNs).toBe(minSpanNs(step));
      const kept = threads.flatMap(({ spans }) => spans.levels.map(({ node }) => node.length));
      expect(kept.reduce((sum, count) => sum + count, 0)).toBe(durations.filter((ns) => ns >= minNs).length);
      for (const { spans } of threads) expect(spans.levels.at(-1)?.node.length).not.toBe(0);
      const none = { sliceNs: null, minPathNs: 0 };
      const { sliceNs, minPathNs: minNsOfPath } = level === NO_SUMS ? none : resolutionOf(level, durationNs);
      expect([sumsSliceNs, minPathNs]).toEqual([sliceNs, minNsOfPath]);
      expect(threads.map(({ sums }) => sums === null)).toEqual(threads.map(() => level === NO_SUMS));
    }),
    { numRuns: 40 },
  ));

test('levels that are reached are kept by threads that come later, and never fall', async () => {
  const all = await loaded(fc.sample(executions, { numRuns: 1, seed: 5 })[0]);
  const question = questionOf(all, 50);
  const collector = new TimelineCollector(question);
  let before = levelsOf(question.reached);
  for (const { tid, log, paths } of all.threads) {
    const timeline = threadTimeline(log, paths, question);
    expect(timeline.sumsLevel).toBeGreaterThanOrEqual(before.sums);
    expect(timeline.firstSpanStep).toBeGreaterThanOrEqual(before.spans);
    collector.add(tid, timeline, paths);
    const now = levelsOf(question.reached);
    expect([now.sums >= before.sums, now.spans >= before.spans]).toEqual([true, true]);
    before = now;
  }
  expect(before.sums).toBeGreaterThan(LISTED);
  expect(before.spans).toBeGreaterThan(0);
});

test('a step has the durations from its own to the next one, in the level of its calls', () => {
  const durations = fc.oneof(
    fc.nat(5000),
    fc.maxSafeInteger().map(Math.abs),
    fc.nat(50).map((bits) => 2 ** bits),
  );
  fc.assert(
    fc.property(durations, (ns) => {
      const step = spanStep(ns);
      expect(step).toBeLessThan(SPAN_STEPS);
      expect(minSpanNs(step)).toBeLessThanOrEqual(ns);
      const next = step < 8 ? 8 : step + 1;
      expect(ns < minSpanNs(next) || minSpanNs(next) === minSpanNs(step)).toBe(true);
      expect(Math.floor(step / 8)).toBe(spanLevel(ns));
    }),
  );
});
