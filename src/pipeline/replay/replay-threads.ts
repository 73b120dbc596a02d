/**
 * Threads of a trace in, their replays out: side by side where there are others to help, the largest first, and told of in
 * that order, so that nothing depends on who was faster.
 */
import { setImmediate } from 'node:timers/promises';
import type { HistogramMemory } from '../../model/calls/durations.js';
import type { Tid } from '../../model/units.js';
import type { StoredThreads } from '../../store/stored-threads.js';
import { threadBytes } from '../../store/thread-memory.js';
import { inSharedMemory } from '../workers/shared-data.js';
import type { WorkerPool } from '../workers/worker-pool.js';
import type { HistogramPool } from './histogram-pool.js';
import { type ReplayedThread, type ReplaySetup, TraceReplayer } from './replay-thread.js';

/**
 * Fewer events are replayed here before others would have begun, or got to know the trace if they are awake. More would keep this
 * thread so long that nobody hears Ctrl-C.
 */
const MIN_EVENTS = { toWake: 1_500_000, toShare: 200_000 } as const;

export interface ReplayHelp {
  readonly pool: WorkerPool;
  /** For the threads that are replayed at one time; one is, however large. */
  readonly memoryBytes: number;
  /** To count in how long calls took; null if nobody asks, or if each thread tells it itself. */
  readonly counts: HistogramPool | null;
}

type Replay = readonly [Tid, ReplayedThread];

/** Replays threads; each result is given away as soon as those before it are. */
export async function* replayThreads(
  tids: readonly Tid[],
  store: StoredThreads,
  trace: ReplaySetup,
  help: ReplayHelp,
): AsyncGenerator<Replay> {
  const { pool, counts } = help;
  const ordered = tids.toSorted((a, b) => store.eventCount(b) - store.eventCount(a) || a - b);
  const events = tids.reduce((sum, tid) => sum + store.eventCount(tid), 0);
  const isSmall = events < (pool.isAwake ? MIN_EVENTS.toShare : MIN_EVENTS.toWake);
  if (isSmall || !pool.canWork) yield* replayOnMain(ordered, store, trace, counts);
  else yield* replayOnWorkers(ordered, store, trace, help);
}

async function* replayOnMain(
  tids: readonly Tid[],
  store: StoredThreads,
  trace: ReplaySetup,
  counts: HistogramPool | null,
): AsyncGenerator<Replay> {
  const memory = counts?.acquire() ?? null;
  const replayer = new TraceReplayer(trace);
  let buffer = new ArrayBuffer(0);
  for (const tid of tids) {
    await setImmediate(); // lets a signal be heard between two threads
    const source = store.threadSource(tid);
    if (threadBytes(source) > buffer.byteLength) buffer = new ArrayBuffer(threadBytes(source));
    yield [tid, replayer.replay(source, buffer, memory)];
  }
  if (memory) counts?.release(memory);
}

async function* replayOnWorkers(
  tids: readonly Tid[],
  store: StoredThreads,
  trace: ReplaySetup,
  { pool, memoryBytes, counts }: ReplayHelp,
): AsyncGenerator<Replay> {
  const shared = {
    ...trace,
    siteFacts: inSharedMemory(trace.siteFacts),
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
      if (oldest.memory) counts?.release(oldest.memory);
      yield [oldest.tid, replayed];
    }
    const buffer = buffers.acquire(threadBytes(source));
    const memory = counts?.acquire() ?? null;
    const result = pool.run('replayThread', { trace: shared, source, buffer, counts: memory });
    result.catch(() => {}); // it is heard of when its turn comes
    pending.push({ tid, result, buffer, memory });
  }
  for (const { tid, result, memory } of pending) {
    const replayed = await result;
    if (memory) counts?.release(memory);
    yield [tid, replayed];
  }
}

/** A task, and the memory that is lent to it. */
interface Pending {
  readonly tid: Tid;
  readonly result: Promise<ReplayedThread>;
  readonly buffer: SharedArrayBuffer;
  readonly memory: HistogramMemory | null;
}

/** Memory that is lent to tasks: as many pieces at a time as may be, and one at least. */
class BufferPool {
  private readonly free: SharedArrayBuffer[] = [];
  private readonly most: number;
  private readonly memoryBytes: number;
  private made = 0;
  private bytes = 0;

  constructor(memoryBytes: number, most: number) {
    this.memoryBytes = memoryBytes;
    this.most = most;
  }

  /** The largest is asked for first: another one is no larger. */
  get hasFree(): boolean {
    if (this.free.length > 0 || this.made === 0) return true;
    return this.made < this.most && this.bytes + this.bytes / this.made <= this.memoryBytes;
  }

  acquire(bytes: number): SharedArrayBuffer {
    const free = this.free.pop();
    if (free !== undefined && free.byteLength >= bytes) return free;
    if (free !== undefined) this.discard(free);
    this.made++;
    this.bytes += bytes;
    return new SharedArrayBuffer(bytes);
  }

  release(buffer: SharedArrayBuffer): void {
    this.free.push(buffer);
  }

  private discard(buffer: SharedArrayBuffer): void {
    this.made--;
    this.bytes -= buffer.byteLength;
  }
}
