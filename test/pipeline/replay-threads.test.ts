/**
 * Where threads are replayed: large ones never on the main thread, which must handle Ctrl-C.
 */
import { expect, test } from 'vitest';
import type { ReplaySetup } from '../../src/pipeline/replay/replay-thread.js';
import { replayThreads } from '../../src/pipeline/replay/replay-threads.js';
import { WorkerPool } from '../../src/pipeline/workers/worker-pool.js';
import type { StoredThreads } from '../../src/store/stored-threads.js';

const TRACE = { siteFacts: {}, knownPaths: null } as unknown as ReplaySetup;
const SOURCE = { tid: 7, lanes: [], packed: null, events: 0, records: [], unownedGaps: [] };

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
