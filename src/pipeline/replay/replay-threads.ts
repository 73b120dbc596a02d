/**
 * Replays the threads of a trace, in parallel if workers help: the largest first, with results in that order, so that
 * nothing depends on which worker is faster.
 */
import { nextTurn } from '../../host/turns.js';
import { inSharedMemory, sharesMemory } from '../../model/shared-memory.js';
import { pagesOf } from '../../model/trace/pages.js';
import type { Tid } from '../../model/units.js';
import type { SiteFacts } from '../../replay/functions/site-facts.js';
import type { KnownPathsData } from '../../replay/losses/known-paths.js';
import { pairedPageBytes } from '../../replay/pairing/pairing.js';
import type { SharedEvents } from '../../trace/event-memory.js';
import { maxThreadBytes } from '../../trace/load-thread.js';
import { sentThread } from '../../trace/sent-thread.js';
import type { ThreadSource } from '../../trace/store-contents.js';
import type { StoredThreads } from '../../trace/stored-threads.js';
import { Setups } from '../workers/setup.js';
import type { WorkerPool } from '../workers/worker-pool.js';
import { canReplayParts, type GiveParts, replayInParts } from './replay-parts.js';
import {
  type AskedThreads,
  canUseOutlines,
  NOTHING_ASKED,
  type ReplayFacts,
  type ReplaySetup,
} from './replay-setup.js';
import type { OwnTask, ReplayTask } from './replay-thread.js';
import { loadCallWriters, type ReplayedThread, TraceReplayer } from './trace-replayer.js';
import { type HistogramPool, type RowLimit, spaceFor, type WorkSpaces, workSpaces } from './work-spaces.js';

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
  all: StoredThreads,
  trace: ReplaySetup,
  help: ReplayHelp,
  asked: AskedThreads = NOTHING_ASKED,
): AsyncGenerator<Replay> {
  const { pool } = help;
  const store = trace.span !== null && canUseOutlines(trace) ? all.within(trace.span) : all;
  const ordered = tids.toSorted((a, b) => store.eventCount(b) - store.eventCount(a) || a - b);
  const events = eventsOf(tids, store);
  const { toShare, toWake } = pool.sizes.minEvents[trace.span ? 'ofPart' : 'ofAll'];
  const isSmall = events < (pool.isAwake ? toShare : toWake);
  // Rows of calls go into a file that all workers share.
  const mustStay = !sharesMemory() && trace.questions.callRows !== null;
  if (isSmall || mustStay || !pool.canWork) yield* replayOnMain(ordered, store, trace, help, asked);
  else yield* replayOnWorkers(ordered, store, trace, help, asked);
}

type Threads = Pick<StoredThreads, 'eventCount' | 'threadSource' | 'outlineOf'>;

async function* replayOnMain(
  tids: readonly Tid[],
  store: Threads,
  trace: ReplaySetup,
  { pool, memoryBytes, histograms, logLimits }: ReplayHelp,
  asked: AskedThreads,
): AsyncGenerator<Replay> {
  const limit = { memoryBytes, ...pool.sizes };
  const memory = histograms?.acquire() ?? null;
  const replayer = new TraceReplayer(trace, await loadCallWriters(trace.questions));
  let buffer = new ArrayBuffer(0);
  for (const tid of tids) {
    await nextTurn(); // lets signals arrive between two threads
    const source = store.threadSource(tid);
    const { eventBytes, ...sizes } = spaceFor(source, limit);
    if (eventBytes > buffer.byteLength) buffer = new ArrayBuffer(eventBytes);
    const space = { buffer, ...sizes };
    yield [tid, replayer.replay(source, space, memory, asked.get(tid) ?? null, logLimits?.get(tid))];
  }
  if (memory) histograms?.release(memory);
}

async function* replayOnWorkers(
  tids: readonly Tid[],
  store: Threads,
  trace: ReplaySetup,
  { pool, memoryBytes, histograms, logLimits }: ReplayHelp,
  asked: AskedThreads,
): AsyncGenerator<Replay> {
  const limit = { memoryBytes, ...pool.sizes };
  const { count, bytes } = spacesFor(tids, store, limit, pool.size);
  const histogramOf = Array.from({ length: count }, () => histograms?.acquire() ?? null);
  const { give, giveAll, giveParts } = sharesMemory()
    ? sharing(trace, pool, limit, workSpaces(histogramOf, bytes))
    : sending(trace, pool, limit);
  const share = eventsOf(tids, store) / pool.size;
  const canCut = pool.size > 1 && logLimits === undefined && canReplayParts(trace);
  const name = areEven(tids, store, pool.size) ? 'replayNextThread' : 'replayThread';
  const maxPending = count < pool.size ? count : PENDING_PER_WORKER * pool.size;
  const giveOne = async (own: OwnTask): Promise<ReplayedThread[]> => {
    const { source, asked } = own;
    const isCut = canCut && asked === null && source.events > share;
    const inParts = isCut && (await replayInParts(source, store.outlineOf(source.tid), trace, pool, giveParts));
    return [inParts || (await give(name, own))];
  };
  const pending: Pending[] = [];
  try {
    for (const some of giveAll ? batchesOf(tids, store, limit.batchEvents) : tids.map((tid) => [tid])) {
      if (pending.length === maxPending) yield* await finished(pending);
      const threads = some.map((tid) => ({
        source: store.threadSource(tid),
        asked: asked.get(tid) ?? null,
        maxLogBytes: logLimits?.get(tid) ?? 0,
      }));
      const result = giveAll && threads.length > 1 ? giveAll(threads) : giveOne(threads[0] as OwnTask);
      result.catch(() => {}); // a rejection is handled when its result is awaited
      pending.push({ tids: some, result });
    }
    while (pending.length > 0) yield* await finished(pending);
  } finally {
    await Promise.allSettled(pending.map(({ result }) => result)); // they use memory that the next ones need
  }
  for (const histogram of histogramOf) if (histogram) histograms?.release(histogram);
}

/** Gives a thread, or a part of one, to a worker. */
interface Giving {
  give(name: 'replayThread' | 'replayNextThread', own: OwnTask): Promise<ReplayedThread>;
  /** Several threads at once; null: each is given by itself. */
  readonly giveAll: ((threads: readonly OwnTask[]) => Promise<readonly ReplayedThread[]>) | null;
  readonly giveParts: GiveParts;
}

const FACTS = new Setups<SiteFacts, ReplayFacts>('facts');
const PATHS = new Setups<KnownPathsData, KnownPathsData>('paths');
let termsSoFar = 0;

/** All workers use the same memory. */
function sharing(trace: ReplaySetup, pool: WorkerPool, limit: RowLimit, spaces: WorkSpaces): Giving {
  const common = { ...commonOf(trace, trace.events), limit, chunks: null };
  const ofPart = { ...common, limit: partLimit(limit, pool) };
  return {
    give: (name, own) => pool.run(name, { ...common, spaces, ...own }),
    giveAll: (threads) => pool.run('replaySmallThreads', { ...common, spaces, threads }),
    giveParts: {
      outline: (source) => pool.run('outlinePart', { ...ofPart, source }),
      replay: (source) => pool.run('replayPart', { ...ofPart, source }),
    },
  };
}

/** All workers replay parts at the same time. */
function partLimit({ memoryBytes, ...sizes }: RowLimit, { size }: WorkerPool): RowLimit {
  return { ...sizes, memoryBytes: memoryBytes / size };
}

/** Workers get the events of their threads. */
function sending(trace: ReplaySetup, pool: WorkerPool, limit: RowLimit): Giving {
  const common = { ...commonOf(trace, { ...trace.events, chunks: [] }), limit };
  const taskOf = <Own extends object>(source: ThreadSource, own: Own) => {
    const sent = sentThread(source, trace.events);
    const moved = sent.chunks.map(({ buffer }) => buffer);
    return { data: { ...common, ...sent, ...own }, moved };
  };
  return {
    give: (name, { source, ...own }) => pool.send(name, () => taskOf(source, { spaces: null, ...own })),
    giveAll: null,
    giveParts: {
      outline: (source) => pool.send('outlinePart', () => taskOf(source, { limit: partLimit(limit, pool) })),
      replay: (source) => pool.send('replayPart', () => taskOf(source, { limit: partLimit(limit, pool) })),
    },
  };
}

/** What all tasks have. */
function commonOf(
  { siteFacts, symbolRank, edge, events: _, probes, systemCalls, knownPaths, ...terms }: ReplaySetup,
  events: SharedEvents,
): Omit<ReplayTask, 'source' | 'chunks' | 'spaces' | 'limit' | 'asked' | 'maxLogBytes'> {
  return {
    ...terms,
    terms: termsSoFar++,
    facts: FACTS.of(siteFacts, () => ({
      siteFacts: inSharedMemory(siteFacts),
      probes: probes && inSharedMemory(probes),
      systemCalls: systemCalls && inSharedMemory(systemCalls),
      edge,
      events,
      ...inSharedMemory({ symbolRank }),
    })),
    knownPaths: knownPaths && PATHS.of(knownPaths, () => inSharedMemory(knownPaths)),
  };
}

interface Pending {
  readonly tids: readonly Tid[];
  readonly result: Promise<readonly ReplayedThread[]>;
}

/** Waits for the oldest ones. */
async function finished(pending: Pending[]): Promise<Replay[]> {
  const { tids, result } = pending.shift() as Pending;
  const threads = await result;
  return tids.map((tid, row) => [tid, threads[row] as ReplayedThread]);
}

/** Results wait for those of the same task. */
const BATCH_THREADS = 128;

/** Groups small threads. */
function* batchesOf(tids: readonly Tid[], store: Threads, batchEvents: number): Generator<readonly Tid[]> {
  let batch: Tid[] = [];
  let events = 0;
  for (const tid of tids) {
    const own = store.eventCount(tid);
    if (batch.length > 0 && (batch.length === BATCH_THREADS || events + own > batchEvents)) {
      yield batch;
      [batch, events] = [[], 0];
    }
    batch.push(tid);
    events += own;
  }
  if (batch.length > 0) yield batch;
}

/**
 * Returns how many threads can be replayed at the same time, each as large as the first one: one at least. And what the
 * events of any of them take; those of a smaller one on several CPUs may take more than those of the first.
 */
function spacesFor(
  tids: readonly Tid[],
  store: Threads,
  limit: RowLimit,
  workers: number,
): { readonly count: number; readonly bytes: number } {
  if (tids.length === 0) return { count: 1, bytes: 0 };
  const { memoryBytes, pageRows } = limit;
  const first = spaceFor(store.threadSource(tids[0]), limit);
  let bytes = first.eventBytes;
  for (const tid of tids.slice(1)) {
    if (maxThreadBytes(store.eventCount(tid), pageRows) <= bytes) break;
    bytes = Math.max(bytes, spaceFor(store.threadSource(tid), limit).eventBytes);
  }
  const pages = pagesOf(store.eventCount(tids[0]), pageRows);
  const threadBytes = bytes + pairedPageBytes(pageRows) * Math.min(first.pairedPages, pages);
  return { count: Math.max(1, Math.min(workers, tids.length, Math.floor(memoryBytes / threadBytes))), bytes };
}

/** Whether no thread is so large that others would wait long for it. The largest is first. */
function areEven(tids: readonly Tid[], store: Threads, workers: number): boolean {
  const [largest] = tids;
  return largest === undefined || store.eventCount(largest) <= (EVEN_PART * eventsOf(tids, store)) / workers;
}

function eventsOf(tids: readonly Tid[], store: Threads): number {
  return tids.reduce((sum, tid) => sum + store.eventCount(tid), 0);
}
