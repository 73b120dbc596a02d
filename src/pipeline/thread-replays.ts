/**
 * Threads of a trace in, their replays out: side by side where there are others to help, the largest first, and told of in
 * that order, so that nothing depends on who was faster.
 */
import { setImmediate } from 'node:timers/promises';
import type { Tid } from '../model/units.js';
import { threadBytes } from '../store/thread-memory.js';
import type { TraceStore } from '../store/trace-store.js';
import { type ReplayedThread, type ReplayedTrace, TraceReplayer } from './replay-task.js';
import { inSharedMemory } from './shared-data.js';
import type { WorkerPool } from './worker-pool.js';

/** Fewer events are replayed here before others would have begun, or got to know the trace if they are awake. */
const LEAST_EVENTS = { toWake: 1_500_000, toShare: 200_000 } as const;

export interface ReplayHelp {
  readonly pool: WorkerPool;
  /** For the threads that are replayed at one time; one is, however large. */
  readonly memoryBytes: number;
}

type Replay = readonly [Tid, ReplayedThread];

/** Replays threads; each result is given away as soon as those before it are. */
export async function* replayThreads(
  tids: readonly Tid[],
  store: TraceStore,
  trace: ReplayedTrace,
  { pool, memoryBytes }: ReplayHelp,
): AsyncGenerator<Replay> {
  const ordered = tids.toSorted((a, b) => store.eventsOf(b) - store.eventsOf(a) || a - b);
  const events = tids.reduce((sum, tid) => sum + store.eventsOf(tid), 0);
  const isSmall = events < (pool.isAwake ? LEAST_EVENTS.toShare : LEAST_EVENTS.toWake);
  if (pool.isAlone || tids.length === 1 || isSmall) yield* replayHere(ordered, store, trace);
  else yield* replayElsewhere(ordered, store, trace, pool, memoryBytes);
}

async function* replayHere(tids: readonly Tid[], store: TraceStore, trace: ReplayedTrace): AsyncGenerator<Replay> {
  const replayer = new TraceReplayer(trace);
  let buffer = new ArrayBuffer(0);
  for (const tid of tids) {
    await setImmediate(); // lets a signal be heard between two threads
    const source = store.sourceOf(tid);
    if (threadBytes(source) > buffer.byteLength) buffer = new ArrayBuffer(threadBytes(source));
    yield [tid, replayer.replay(source, buffer)];
  }
}

async function* replayElsewhere(
  tids: readonly Tid[],
  store: TraceStore,
  trace: ReplayedTrace,
  pool: WorkerPool,
  memoryBytes: number,
): AsyncGenerator<Replay> {
  const shared = {
    ...trace,
    facts: inSharedMemory(trace.facts),
    lessons: trace.lessons && inSharedMemory(trace.lessons),
  };
  const buffers = new Buffers(memoryBytes, pool.size + 1);
  const pending: { readonly tid: Tid; readonly result: Promise<ReplayedThread>; readonly buffer: SharedArrayBuffer }[] =
    [];
  for (const tid of tids) {
    const source = store.sourceOf(tid);
    while (!buffers.hasFree) {
      const oldest = pending.shift() as (typeof pending)[0];
      yield [oldest.tid, await oldest.result];
      buffers.giveBack(oldest.buffer);
    }
    const buffer = buffers.take(threadBytes(source));
    const result = pool.run('replayThread', { trace: shared, source, buffer });
    result.catch(() => {}); // it is heard of when its turn comes
    pending.push({ tid, result, buffer });
  }
  for (const { tid, result } of pending) yield [tid, await result];
}

/** Memory that is lent to tasks: as many pieces at a time as may be, and one at least. */
class Buffers {
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

  take(bytes: number): SharedArrayBuffer {
    const free = this.free.pop();
    if (free !== undefined && free.byteLength >= bytes) return free;
    if (free !== undefined) this.forget(free);
    this.made++;
    this.bytes += bytes;
    return new SharedArrayBuffer(bytes);
  }

  giveBack(buffer: SharedArrayBuffer): void {
    this.free.push(buffer);
  }

  private forget(buffer: SharedArrayBuffer): void {
    this.made--;
    this.bytes -= buffer.byteLength;
  }
}
