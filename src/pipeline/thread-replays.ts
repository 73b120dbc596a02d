/**
 * Threads of a trace in, their replays out: side by side where there are others to help, the largest first, and told of in
 * that order, so that nothing depends on who was faster.
 */
import { setImmediate } from 'node:timers/promises';
import type { Tid } from '../model/units.js';
import type { TraceStore } from '../store/trace-store.js';
import { type ReplayedThread, type ReplayedTrace, TraceReplayer } from './replay-task.js';
import { inSharedMemory } from './shared-data.js';
import type { WorkerPool } from './worker-pool.js';

/** While an event's thread is replayed: its time and site, twice while they are put in order, and what its return ends. */
const BYTES_PER_EVENT = 32;
/** Fewer events are replayed here before others would have begun, or got to know the trace if they are awake. */
const LEAST_EVENTS = { toWake: 1_500_000, toShare: 200_000 } as const;

export interface ReplayHelp {
  readonly pool: WorkerPool;
  /** For the threads that are replayed at one time; one is, however large. */
  readonly memoryBytes: number;
}

/** Replays threads; each result is given away as soon as those before it are. */
export async function* replayThreads(
  tids: readonly Tid[],
  store: TraceStore,
  trace: ReplayedTrace,
  { pool, memoryBytes }: ReplayHelp,
): AsyncGenerator<readonly [Tid, ReplayedThread]> {
  const ordered = tids.toSorted((a, b) => store.eventsOf(b) - store.eventsOf(a) || a - b);
  const events = tids.reduce((sum, tid) => sum + store.eventsOf(tid), 0);
  const isSmall = events < (pool.isAwake ? LEAST_EVENTS.toShare : LEAST_EVENTS.toWake);
  if (pool.isAlone || tids.length === 1 || isSmall) yield* replayHere(ordered, store, trace);
  else yield* replayElsewhere(ordered, store, trace, pool, memoryBytes);
}

async function* replayHere(
  tids: readonly Tid[],
  store: TraceStore,
  trace: ReplayedTrace,
): AsyncGenerator<readonly [Tid, ReplayedThread]> {
  const replayer = new TraceReplayer(trace);
  for (const tid of tids) {
    await setImmediate(); // lets a signal be heard between two threads
    yield [tid, replayer.replay(store.sourceOf(tid))];
  }
}

let versions = 0;

interface Pending {
  readonly tid: Tid;
  readonly bytes: number;
  readonly result: Promise<ReplayedThread>;
}

async function* replayElsewhere(
  tids: readonly Tid[],
  store: TraceStore,
  trace: ReplayedTrace,
  pool: WorkerPool,
  memoryBytes: number,
): AsyncGenerator<readonly [Tid, ReplayedThread]> {
  const shared = {
    ...trace,
    facts: inSharedMemory(trace.facts),
    lessons: trace.lessons && inSharedMemory(trace.lessons),
  };
  const version = ++versions;
  const pending: Pending[] = [];
  let bytes = 0;
  for (const tid of tids) {
    const needed = BYTES_PER_EVENT * store.eventsOf(tid);
    while (pending.length > 0 && (bytes + needed > memoryBytes || pending.length > 2 * pool.size)) {
      const oldest = pending.shift() as Pending;
      yield [oldest.tid, await oldest.result];
      bytes -= oldest.bytes;
    }
    const result = pool.run('replayThread', { trace: shared, version, source: store.sourceOf(tid) });
    result.catch(() => {}); // it is heard of when its turn comes
    pending.push({ tid, bytes: needed, result });
    bytes += needed;
  }
  for (const { tid, result } of pending) yield [tid, await result];
}
