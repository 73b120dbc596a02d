/**
 * Replays the threads of a trace, in parallel if workers help: the largest first, with results in that order, so that
 * nothing depends on which worker is faster.
 */
import { setImmediate } from 'node:timers/promises';
import { inSharedMemory } from '../../model/shared-memory.js';
import type { Tid } from '../../model/units.js';
import { maxThreadBytes, threadBytes } from '../../trace/load-thread.js';
import type { StoredThreads } from '../../trace/stored-threads.js';
import { MIN_EVENTS } from '../workers/resources.js';
import type { WorkerPool } from '../workers/worker-pool.js';
import { type AskedThreads, NOTHING_ASKED, type ReplaySetup } from './replay-setup.js';
import { loadCallWriters, type ReplayedThread, TraceReplayer } from './trace-replayer.js';
import { type HistogramPool, workSpaces } from './work-spaces.js';

export interface ReplayHelp {
  readonly pool: WorkerPool;
  /** For all threads that are replayed at the same time; one thread is always replayed, however large. */
  readonly memoryBytes: number;
  /** For durations of calls; null if not requested, or if each thread counts its own. */
  readonly histograms: HistogramPool | null;
  /** By thread: its log is kept if it is not larger than this. Default: none is. */
  readonly logLimits?: ReadonlyMap<Tid, number>;
}

/** Results that may wait for the ones before them: a large thread keeps no worker from going on with small ones. */
const PENDING_PER_WORKER = 8;

/** Of threads that are smaller than this part of a worker's share, one can wait for another at the same worker. */
const EVEN_PART = 1 / 4;

type Replay = readonly [Tid, ReplayedThread];

/**
 * Replays threads, and yields each result once the results before it have been yielded. `asked`: questions to single
 * threads.
 */
export async function* replayThreads(
  tids: readonly Tid[],
  store: StoredThreads,
  trace: ReplaySetup,
  help: ReplayHelp,
  asked: AskedThreads = NOTHING_ASKED,
): AsyncGenerator<Replay> {
  const { pool } = help;
  const ordered = tids.toSorted((a, b) => store.eventCount(b) - store.eventCount(a) || a - b);
  const events = tids.reduce((sum, tid) => sum + store.eventCount(tid), 0);
  const { toShare, toWake } = MIN_EVENTS[trace.span ? 'ofPart' : 'ofAll'];
  const isSmall = events < (pool.isAwake ? toShare : toWake);
  if (isSmall || !pool.canWork) yield* replayOnMain(ordered, store, trace, help, asked);
  else yield* replayOnWorkers(ordered, store, trace, help, asked);
}

async function* replayOnMain(
  tids: readonly Tid[],
  store: StoredThreads,
  trace: ReplaySetup,
  { histograms, logLimits }: ReplayHelp,
  asked: AskedThreads,
): AsyncGenerator<Replay> {
  const memory = histograms?.acquire() ?? null;
  const replayer = new TraceReplayer(trace, await loadCallWriters(trace.questions));
  let buffer = new ArrayBuffer(0);
  for (const tid of tids) {
    await setImmediate(); // lets signals arrive between two threads
    const source = store.threadSource(tid);
    if (threadBytes(source) > buffer.byteLength) buffer = new ArrayBuffer(threadBytes(source));
    yield [tid, replayer.replay(source, buffer, memory, asked.get(tid) ?? null, logLimits?.get(tid))];
  }
  if (memory) histograms?.release(memory);
}

async function* replayOnWorkers(
  tids: readonly Tid[],
  store: StoredThreads,
  trace: ReplaySetup,
  { pool, memoryBytes, histograms, logLimits }: ReplayHelp,
  asked: AskedThreads,
): AsyncGenerator<Replay> {
  const shared = {
    ...trace,
    siteFacts: inSharedMemory(trace.siteFacts),
    probes: trace.probes && inSharedMemory(trace.probes),
    ...inSharedMemory({ symbolRank: trace.symbolRank }),
    knownPaths: trace.knownPaths && inSharedMemory(trace.knownPaths),
  };
  const { count, bytes } = spacesFor(tids, store, memoryBytes, pool.size);
  const histogramOf = Array.from({ length: count }, () => histograms?.acquire() ?? null);
  const spaces = workSpaces(histogramOf, bytes);
  const task = areEven(tids, store, pool.size) ? 'replayNextThread' : 'replayThread';
  const maxPending = count < pool.size ? count : PENDING_PER_WORKER * pool.size;
  const pending: Pending[] = [];
  try {
    for (const tid of tids) {
      if (pending.length === maxPending) yield await finished(pending);
      const source = store.threadSource(tid);
      const own = { asked: asked.get(tid) ?? null, maxLogBytes: logLimits?.get(tid) ?? 0 };
      const result = pool.run(task, { trace: shared, source, spaces, ...own });
      result.catch(() => {}); // a rejection is handled when its result is awaited
      pending.push({ tid, result });
    }
    while (pending.length > 0) yield await finished(pending);
  } finally {
    await Promise.allSettled(pending.map(({ result }) => result)); // they use memory that the next ones need
  }
  for (const histogram of histogramOf) if (histogram) histograms?.release(histogram);
}

interface Pending {
  readonly tid: Tid;
  readonly result: Promise<ReplayedThread>;
}

/** Waits for the oldest one. */
async function finished(pending: Pending[]): Promise<Replay> {
  const { tid, result } = pending.shift() as Pending;
  return [tid, await result];
}

/** Returns how many threads can be replayed at the same time, each as large as the first one: one at least. */
function spacesFor(
  tids: readonly Tid[],
  store: StoredThreads,
  memoryBytes: number,
  workers: number,
): { readonly count: number; readonly bytes: number } {
  const first = tids[0];
  const bytes = first === undefined ? 0 : maxThreadBytes(store.threadSource(first));
  return { count: Math.max(1, Math.min(workers, tids.length, Math.floor(memoryBytes / bytes))), bytes };
}

/** Whether no thread is so large that others would wait long for it. The largest is first. */
function areEven(tids: readonly Tid[], store: StoredThreads, workers: number): boolean {
  const counts = tids.map((tid) => store.eventCount(tid));
  const share = counts.reduce((sum, count) => sum + count, 0) / workers;
  return (counts[0] ?? 0) <= EVEN_PART * share;
}
