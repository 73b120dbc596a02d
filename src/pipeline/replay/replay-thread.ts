/**
 * Replays one thread, as a task for any worker: plain data in, plain data out.
 */
import type { ThreadQuestions } from '../../analysis/log/answer-thread.js';
import { followLevels, type TimelineQuestion } from '../../analysis/timeline/resolution.js';
import { NONE } from '../../model/units.js';
import type { KnownPathsData } from '../../replay/losses/known-paths.js';
import type { ThreadSource } from '../../trace/store-contents.js';
import type { PartOutline } from '../../trace/thread-parts.js';
import { type Setup, setUp } from '../workers/setup.js';
import { tellWorkOn } from '../workers/work.js';
import { Moved } from '../workers/workers.js';
import { passesOf, type ReplayFacts, type ReplaySetup } from './replay-setup.js';
import { loadCallWriters, type ReplayedPart, type ReplayedThread, TraceReplayer } from './trace-replayer.js';
import { inOwnSpace, type RowLimit, spaceFor, type WorkSpace, type WorkSpaces } from './work-spaces.js';

/** A part of a thread. */
export interface PartTask extends Omit<ReplaySetup, keyof ReplayFacts | 'knownPaths'> {
  /** The same number: the same terms, but for how coarse the timeline has become. */
  readonly terms: number;
  readonly facts: Setup<ReplayFacts>;
  readonly knownPaths: Setup<KnownPathsData> | null;
  readonly source: ThreadSource;
  /** Its events in memory, if they were sent; null: they are where the facts say. */
  readonly chunks: readonly Int32Array[] | null;
  /** What its rows may take in memory. */
  readonly limit: RowLimit;
}

export interface ReplayTask extends PartTask {
  /** As many as threads that are replayed at the same time; null: memory of the worker is used. */
  readonly spaces: WorkSpaces | null;
  /** Questions to this thread alone; null: none. */
  readonly asked: ThreadQuestions | null;
  /** Its log is kept if it is not larger than this; 0: it is not. */
  readonly maxLogBytes: number;
}

/** What each thread has of its own. */
export type OwnTask = Pick<ReplayTask, 'source' | 'asked' | 'maxLogBytes'>;

/** The replayer of this worker, the number of its terms, and what it asks about the timeline. */
let replayer: TraceReplayer | null = null;
let termsOf = NONE;
let asksTimeline: TimelineQuestion | null = null;

/** Replays one thread; all tasks of a worker must be of the same trace. */
export async function replayThread(task: ReplayTask): Promise<Moved<ReplayedThread>> {
  const { spaces, asked, maxLogBytes, ...begun } = task;
  const { own, source, events, eventBytes, sizes } = await beginOf(begun);
  const replayIn = ({ buffer, histogram }: Pick<WorkSpace, 'buffer' | 'histogram'>) => {
    const space = { buffer: fitting(buffer, eventBytes), ...sizes };
    return own.replay(source, space, histogram, asked, maxLogBytes, events);
  };
  const replayed = spaces ? inOwnSpace(spaces, replayIn) : replayIn(spaceOfWorker(eventBytes));
  const { replay, durations, timeline } = replayed;
  return new Moved(replayed, { tree: replay.tree, durations, timeline });
}

/** Several threads. */
export interface ThreadsTask extends Omit<ReplayTask, keyof OwnTask> {
  readonly threads: readonly OwnTask[];
}

/** Replays threads one after the other. */
export async function replaySmallThreads({ threads, ...common }: ThreadsTask): Promise<ReplayedThread[]> {
  const replayed: ReplayedThread[] = [];
  for (const own of threads) replayed.push((await replayThread({ ...common, ...own })).data);
  return replayed;
}

/** Finds what matters of a part of a thread for its other parts; null: it cannot be replayed in parts. */
export async function outlinePart(task: PartTask): Promise<PartOutline | null> {
  const { own, source, events, eventBytes, sizes } = await beginOf(task, true);
  return own.outlinePart(source, { ...spaceOfWorker(eventBytes), ...sizes }, events);
}

/** Replays a part of a thread; null: that is not possible. */
export async function replayPart(task: PartTask): Promise<ReplayedPart | null> {
  const { own, source, events, eventBytes, sizes } = await beginOf(task, true);
  return own.replayPart(source, { ...spaceOfWorker(eventBytes), ...sizes }, events);
}

/**
 * Begins a thread, or a part of one: returns the replayer of its trace, where its events are, and what they need. Events of
 * parts are passed once more, for their outlines, unless a trace file has these.
 */
async function beginOf({ facts, knownPaths, source, chunks, limit, terms, ...own }: PartTask, isPart = false) {
  const trace = { ...setUp(facts), ...own, knownPaths: knownPaths && setUp(knownPaths) };
  const passes = passesOf(trace.questions);
  tellWorkOn(source.tid, isPart && source.packed === null ? passes / (passes + 1) : 1);
  const writers = await loadCallWriters(trace.questions);
  const { timeline } = trace.questions;
  if (replayer === null || terms !== termsOf) {
    replayer = new TraceReplayer(trace, writers);
    asksTimeline = timeline;
  } else if (asksTimeline && timeline) followLevels(asksTimeline, timeline);
  termsOf = terms;
  const events = chunks ? { ...trace.events, chunks } : trace.events;
  const { eventBytes, ...sizes } = spaceFor(source, limit);
  return { own: replayer, source, events, eventBytes, sizes };
}

/** A thread with more records than the largest one may not fit. */
function fitting(buffer: WorkSpace['buffer'], bytes: number): WorkSpace['buffer'] {
  return bytes <= buffer.byteLength ? buffer : new ArrayBuffer(bytes);
}

/** Of a worker that shares none. */
let ownBuffer = new ArrayBuffer(0);

function spaceOfWorker(bytes: number): Pick<WorkSpace, 'buffer' | 'histogram'> {
  ownBuffer = fitting(ownBuffer, bytes) as ArrayBuffer;
  return { buffer: ownBuffer, histogram: null };
}
