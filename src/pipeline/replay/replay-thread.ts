/**
 * Replays one thread, as a task for any worker: plain data in, plain data out.
 */
import type { ThreadQuestions } from '../../analysis/log/answer-thread.js';
import { threadBytes } from '../../trace/load-thread.js';
import type { ThreadSource } from '../../trace/store-contents.js';
import { needsCallLog, type ReplaySetup } from './replay-setup.js';
import { loadCallWriters, type ReplayedThread, TraceReplayer } from './trace-replayer.js';
import { inOwnSpace, type WorkSpaces } from './work-spaces.js';

export interface ReplayTask {
  /** The same for all threads; its columns are in shared memory. */
  readonly trace: ReplaySetup;
  readonly source: ThreadSource;
  /** As many as threads that are replayed at the same time. */
  readonly spaces: WorkSpaces;
  /** Questions to this thread alone; null: none. */
  readonly asked: ThreadQuestions | null;
  /** Its log is kept if it is not larger than this; 0: it is not. */
  readonly maxLogBytes: number;
}

/** The replayer of this worker. */
let replayer: TraceReplayer | null = null;
let setupKind = '';

/** Replays one thread; all tasks of a worker must be of the same trace. */
export async function replayThread(task: ReplayTask): Promise<ReplayedThread> {
  const writers = await loadCallWriters(task.trace.questions);
  const kind = kindOf(task.trace);
  if (replayer === null || setupKind !== kind) replayer = new TraceReplayer(task.trace, writers);
  setupKind = kind;
  const own = replayer;
  const { source } = task;
  const replayed = inOwnSpace(task.spaces, ({ buffer, histogram }) =>
    own.replay(source, fitting(buffer, source), histogram, task.asked, task.maxLogBytes),
  );
  return replayed.timeline === null ? replayed : moved(replayed, replayed.timeline);
}

/** A thread with more records than the largest one may not fit. */
function fitting(buffer: SharedArrayBuffer, source: ThreadSource): ArrayBuffer | SharedArrayBuffer {
  const bytes = threadBytes(source);
  return bytes <= buffer.byteLength ? buffer : new ArrayBuffer(bytes);
}

/** Returns the only parts of the setup that change. */
function kindOf({ knownPaths, span, questions, options, siteFacts }: ReplaySetup): string {
  const { durations, timeline, chunksOf, callRows } = questions;
  return [
    siteFacts.learned,
    options.onlyPairs === true,
    knownPaths !== null,
    span?.startNs,
    span?.endNs,
    needsCallLog(questions),
    durations,
    timeline !== null,
    chunksOf !== null,
    callRows !== null,
  ].join();
}

/**
 * Hands the result of a task to the main thread with its memory, instead of as a copy.
 *
 * Returns what a task must return so that the memory of `part`, which is part of the result, moves along with it.
 */
async function moved<Result extends object>(result: Result, part: object): Promise<Result> {
  const { move, Piscina } = await import('piscina');
  const buffers = [...buffersIn(part)].filter(({ byteLength }) => byteLength > 0);
  // the pool takes it apart again
  return move({ [Piscina.transferableSymbol]: buffers, [Piscina.valueSymbol]: result } as never) as unknown as Result;
}

function buffersIn(value: unknown, found = new Set<ArrayBuffer>()): Set<ArrayBuffer> {
  if (ArrayBuffer.isView(value)) {
    if (value.buffer instanceof ArrayBuffer) found.add(value.buffer);
  } else if (typeof value === 'object' && value !== null)
    for (const part of Object.values(value)) buffersIn(part, found);
  return found;
}
