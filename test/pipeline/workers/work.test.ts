/**
 * How far replay is: by events, also within a thread.
 */
import { afterEach, expect, test, vi } from 'vitest';
import { passRows } from '../../../src/model/work.js';
import type { ReplayProgress } from '../../../src/pipeline/read/trace-builder.js';
import { replayTrace } from '../../../src/pipeline/replay-trace.js';
import { withTrace } from '../../../src/pipeline/with-trace.js';
import { sendWorkBy, tellWorkOn, type WorkMessage } from '../../../src/pipeline/workers/work.js';
import type { WorkerPool } from '../../../src/pipeline/workers/worker-pool.js';
import { beginningOf, inputOf } from '../../helpers/traces/load.js';

const THREADS = 'truth/gentrace-faults.perf.txt.gz';

/** Replays a trace of several threads. `between`: called after the first one, with the smallest. */
async function progressOf(between: (pool: WorkerPool, smallest: number) => void = () => {}): Promise<ReplayProgress[]> {
  const told: ReplayProgress[] = [];
  await withTrace([inputOf(beginningOf(THREADS))], { byCalls: false }, async (trace, resources) => {
    const { tids } = trace.store;
    const [smallest] = tids.toSorted((a, b) => trace.store.eventCount(a) - trace.store.eventCount(b)) as [number];
    const onProgress = (progress: ReplayProgress) => {
      told.push(progress);
      if (told.length === 1) between(resources.pool, smallest);
    };
    await replayTrace(trace, { onProgress }, {}, resources);
  });
  return told;
}

afterEach(() => {
  vi.useRealTimers();
});

test('the share of replay counts events', async () => {
  const told = await progressOf();
  expect(told.length).toBeGreaterThan(3);
  const shares = told.map(({ share }) => share);
  expect(shares).toEqual(shares.toSorted((a, b) => a - b));
  expect(shares.at(-1)).toBe(1);
  const first = told[0] as ReplayProgress;
  expect(first.share).toBeGreaterThan(first.threads / first.ofThreads); // the largest thread
});

test('it counts what workers tell of threads that are not done, and no more than all of them', async () => {
  const plain = await progressOf();
  const told = await progressOf((pool, tid) => {
    pool.onWork?.({ tid, rows: 10 });
    pool.onWork?.({ tid, rows: 10 });
    pool.onWork?.({ tid, rows: 1e9 });
  });
  const [before, ten, twenty, all] = told.map(({ share }) => share) as [number, number, number, number];
  expect(before).toBe(plain[0]?.share);
  expect(ten).toBeGreaterThan(before);
  expect(twenty - ten).toBeCloseTo(ten - before, 10);
  expect(all).toBeLessThan(1);
  expect(told.slice(4)).toEqual(
    plain.slice(1).map((one, at, rest) => (at === rest.length - 1 ? one : expect.anything())),
  );
  expect(told.at(-1)?.share).toBe(1);
});

test('a worker tells at most ten times a second', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const told: WorkMessage[] = [];
  sendWorkBy((message) => told.push(message));
  tellWorkOn(7);
  for (let at = 0; at < 25; at++) {
    vi.advanceTimersByTime(10);
    passRows(100);
  }
  expect(told).toEqual([{ work: { tid: 7, rows: 1000 } }, { work: { tid: 7, rows: 1000 } }]);
});
