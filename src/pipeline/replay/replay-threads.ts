/**
 * Replays the threads of a trace, in parallel if workers help: the largest first, with results in that order, so that
 * nothing depends on which worker is faster.
 */
import { setImmediate } from 'node:timers/promises';
import type { HistogramMemory } from '../../model/calls/durations.js';
import type { Tid } from '../../model/units.js';
import type { StoredThreads } from '../../store/stored-threads.js';
import { threadBytes } from '../../store/thread-memory.js';
import { MIN_EVENTS } from '../workers/resources.js';
import { inSharedMemory } from '../workers/shared-data.js';
import type { WorkerPool } from '../workers/worker-pool.js';
import type { HistogramPool } from './histogram-pool.js';
import {
  type AskedThreads,
  NOTHING_ASKED,
  type ReplayedThread,
  type ReplaySetup,
  TraceReplayer,
} from './replay-thread.js';

export interface ReplayHelp {
  readonly pool: WorkerPool;
  /** For all threads that are replayed at the same time; one thread is always replayed, however large. */
  readonly memoryBytes: number;
  /** For durations of calls; null if not requested, or if each thread counts its own. */
  readonly histograms: HistogramPool | null;
}

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
  const { pool, histograms } = help;
  const ordered = tids.toSorted((a, b) => store.eventCount(b) - store.eventCount(a) || a - b);
  const events = tids.reduce((sum, tid) => sum + store.eventCount(tid), 0);
  const { toShare, toWake } = MIN_EVENTS[trace.span ? 'ofPart' : 'ofAll'];
  const isSmall = events < (pool.isAwake ? toShare : toWake);
  if (isSmall || !pool.canWork) yield* replayOnMain(ordered, store, trace, histograms, asked);
  else yield* replayOnWorkers(ordered, store, trace, help, asked);
}

async function* replayOnMain(
  tids: readonly Tid[],
  store: StoredThreads,
  trace: ReplaySetup,
  histograms: HistogramPool | null,
  asked: AskedThreads,
): AsyncGenerator<Replay> {
  const memory = histograms?.acquire() ?? null;
  const replayer = new TraceReplayer(trace);
  let buffer = new ArrayBuffer(0);
  for (const tid of tids) {
    await setImmediate(); // lets signals arrive between two threads
    const source = store.threadSource(tid);
    if (threadBytes(source) > buffer.byteLength) buffer = new ArrayBuffer(threadBytes(source));
    yield [tid, replayer.replay(source, buffer, memory, asked.get(tid) ?? null)];
  }
  if (memory) histograms?.release(memory);
}

async function* replayOnWorkers(
  tids: readonly Tid[],
  store: StoredThreads,
  trace: ReplaySetup,
  { pool, memoryBytes, histograms }: ReplayHelp,
  asked: AskedThreads,
): AsyncGenerator<Replay> {
  const shared = {
    ...trace,
    siteFacts: inSharedMemory(trace.siteFacts),
    ...inSharedMemory({ symbolRank: trace.symbolRank }),
    knownPaths: trace.knownPaths && inSharedMemory(trace.knownPaths),
  };
  const buffers = new BufferPool(memoryBytes, pool.size + 1);
  const pending: Pending[] = [];
  for (const tid of tids) {
    const source = store.threadSource(tid);
    while (!buffers.hasFree) {
      const oldest = pending.shift() as Pending;
      const replayed = await oldest.result;
      buffers.release(oldest.buffer);
      if (oldest.memory) histograms?.release(oldest.memory);
      yield [oldest.tid, replayed];
    }
    const buffer = buffers.acquire(threadBytes(source));
    const memory = histograms?.acquire() ?? null;
    const result = pool.run('replayThread', {
      ...{ trace: shared, source, buffer, histogram: memory },
      asked: asked.get(tid) ?? null,
    });
    result.catch(() => {}); // a rejection is handled when its result is awaited
    pending.push({ tid, result, buffer, memory });
  }
  for (const { tid, result, memory } of pending) {
    const replayed = await result;
    if (memory) histograms?.release(memory);
    yield [tid, replayed];
  }
}

/** A task, and the memory that it uses. */
interface Pending {
  readonly tid: Tid;
  readonly result: Promise<ReplayedThread>;
  readonly buffer: SharedArrayBuffer;
  readonly memory: HistogramMemory | null;
}

/** Buffers for tasks, within limits of number and memory; there is always at least one. */
class BufferPool {
  private readonly free: SharedArrayBuffer[] = [];
  private readonly maxCount: number;
  private readonly memoryBytes: number;
  private created = 0;
  private bytes = 0;

  constructor(memoryBytes: number, maxCount: number) {
    this.memoryBytes = memoryBytes;
    this.maxCount = maxCount;
  }

  /** Whether a buffer can be acquired without waiting. The largest is acquired first, so a new one is not larger than those before. */
  get hasFree(): boolean {
    if (this.free.length > 0 || this.created === 0) return true;
    return this.created < this.maxCount && this.bytes + this.bytes / this.created <= this.memoryBytes;
  }

  acquire(bytes: number): SharedArrayBuffer {
    const free = this.free.pop();
    if (free !== undefined && free.byteLength >= bytes) return free;
    if (free !== undefined) this.discard(free);
    this.created++;
    this.bytes += bytes;
    return new SharedArrayBuffer(bytes);
  }

  release(buffer: SharedArrayBuffer): void {
    this.free.push(buffer);
  }

  private discard(buffer: SharedArrayBuffer): void {
    this.created--;
    this.bytes -= buffer.byteLength;
  }
}
