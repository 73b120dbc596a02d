/**
 * Where threads are replayed, and how many at a time: large ones never on the main thread, which must handle Ctrl-C.
 */
import { expect, test } from 'vitest';
import type { ReplaySetup } from '../../src/pipeline/replay/replay-setup.js';
import { replayThreads } from '../../src/pipeline/replay/replay-threads.js';
import type { ReplayedThread } from '../../src/pipeline/replay/trace-replayer.js';
import { spaceFor } from '../../src/pipeline/replay/work-spaces.js';
import { WORK_SIZES } from '../../src/pipeline/workers/resources.js';
import { WorkerPool } from '../../src/pipeline/workers/worker-pool.js';
import { NO_SWITCHES } from '../../src/trace/records/switch-log.js';
import type { ThreadSource } from '../../src/trace/store-contents.js';
import type { StoredThreads } from '../../src/trace/stored-threads.js';

const TRACE = { siteFacts: {}, knownPaths: null } as unknown as ReplaySetup;
const SOURCE = {
  tid: 7,
  isIdleTask: false,
  lanes: [],
  packed: null,
  around: null,
  events: 0,
  records: [],
  switches: NO_SWITCHES,
  unownedGaps: [],
};

/** Tasks given to workers for one thread with this many events; what is replayed here fails for lack of a trace. */
async function tasksOnWorkers(events: number, pool: WorkerPool): Promise<number> {
  const store = { eventCount: () => events, threadSource: () => SOURCE } as unknown as StoredThreads;
  let given = 0;
  pool.run = async () => {
    given++;
    return {} as never;
  };
  const replays = replayThreads([7], store, TRACE, { pool, memoryBytes: 1e9, histograms: null });
  await replays.next().catch(() => null);
  return given;
}

test.for([
  ['a large thread runs on a worker if there are several', 2_000_000, new WorkerPool(4), 1],
  ['a large thread runs on the only worker (-j 1)', 2_000_000, new WorkerPool(1, true), 1],
  [
    'a large thread stays on the main thread if there is no memory for a worker',
    2_000_000,
    new WorkerPool(1, false),
    0,
  ],
  ['a small thread stays on the main thread', 1000, new WorkerPool(4), 0],
] as const)('%s', async ([, events, pool, wanted]) => {
  expect(await tasksOnWorkers(events, pool)).toBe(wanted);
});

/** Threads with these events, of which none is finished: the tasks that two workers are given. */
async function tasksBeforeFirst(events: readonly number[], memoryBytes: number): Promise<string[]> {
  const store = {
    eventCount: (tid: number) => events[tid],
    threadSource: (tid: number) => ({ ...SOURCE, tid, events: events[tid] }),
  } as unknown as StoredThreads;
  const pool = new WorkerPool(2);
  const given: string[] = [];
  pool.run = async (name, task) => {
    const { source, threads = [{ source }] } = task as { source: ThreadSource; threads?: { source: ThreadSource }[] };
    given.push([name, ...threads.map((own) => own.source.tid)].join(' '));
    return new Promise<never>(() => {});
  };
  const tids = events.map((_, tid) => tid);
  const isDone = replayThreads(tids, store, TRACE, { pool, memoryBytes, histograms: null }).next();
  await Promise.race([isDone, new Promise((resolve) => setImmediate(resolve))]);
  return given;
}

const HUGE = 2 ** 22; // whole pages
const names = (given: readonly string[]) => [...new Set(given.map((task) => task.split(' ')[0]))];

test('a huge thread does not keep the small ones after it from being replayed', async () => {
  const given = await tasksBeforeFirst([20_000, HUGE, ...Array<number>(30).fill(20_000)], 1e9);
  expect(given.slice(0, 3)).toEqual(['replayThread 1', 'replayThread 0', 'replayThread 2']);
  expect(given).toHaveLength(16);
});

test('threads wait for a worker at that worker only if none is much larger than the others', async () => {
  expect(names(await tasksBeforeFirst(Array<number>(32).fill(100_000), 1e9))).toEqual(['replayNextThread']);
  expect(names(await tasksBeforeFirst([HUGE, ...Array<number>(32).fill(100_000)], 1e9))).toEqual(['replayThread']);
});

test('small threads are given together, up to a number of events or of threads', async () => {
  expect(await tasksBeforeFirst([6000, HUGE, 6000, 3000, 5000, 5000], 1e9)).toEqual([
    'replayThread 1',
    'replaySmallThreads 0 2',
    'replaySmallThreads 4 5 3',
  ]);
  const given = await tasksBeforeFirst([HUGE, ...Array<number>(300).fill(1)], 1e9);
  expect(given.map((task) => task.split(' ').length - 1)).toEqual([1, 128, 128, 44]);
});

test('no more threads are begun than there is memory for', async () => {
  const pairedBytes = 5 * HUGE;
  const { readAgainBytes } = WORK_SIZES; // the rest of the events is read again
  const tasksIn = async (memoryBytes: number) => (await tasksBeforeFirst([HUGE, HUGE, HUGE], memoryBytes)).length;
  expect(await tasksIn(2 * (readAgainBytes + pairedBytes))).toBe(3); // one for each worker, and one waits
  expect(await tasksIn(2 * pairedBytes)).toBe(1);
});

test('a small thread with records has memory for all that pairing finds', () => {
  const switches = { ...NO_SWITCHES, length: 100 };
  const source = { ...SOURCE, events: WORK_SIZES.pageRows, switches } as unknown as ThreadSource;
  expect(spaceFor(source, { memoryBytes: 1e9, ...WORK_SIZES }).pairedPages).toBeGreaterThan(1);
});

test('results come in the order of size, whichever is done first', async () => {
  const events = [1_000_000, 2_000_000, 1_500_000, 10, 20];
  const store = {
    eventCount: (tid: number) => events[tid],
    threadSource: (tid: number) => ({ ...SOURCE, tid, events: events[tid] }),
  } as unknown as StoredThreads;
  const pool = new WorkerPool(4);
  const finish: (() => void)[] = [];
  pool.run = (_, task) =>
    new Promise((resolve) => {
      const { source, threads } = task as { source: ThreadSource; threads?: { source: ThreadSource }[] };
      const result = ({ tid }: ThreadSource) => ({ tid });
      finish.push(() => resolve((threads ? threads.map((own) => result(own.source)) : result(source)) as never));
      if (finish.length === 4) for (const done of finish.toReversed()) done();
    });
  const results: [number, ReplayedThread][] = [];
  for await (const [tid, thread] of replayThreads([0, 1, 2, 3, 4], store, TRACE, {
    pool,
    memoryBytes: 1e9,
    histograms: null,
  }))
    results.push([tid, thread]);
  expect(results).toEqual([1, 2, 0, 4, 3].map((tid) => [tid, { tid }]));
});
