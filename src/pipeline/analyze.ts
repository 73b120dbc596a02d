/**
 * Inputs in, a profile out: read, replay, add up. How much runs where is decided here.
 */
import type { CallsAnswer } from '../analysis/calls-answer.js';
import type { FunctionSet } from '../analysis/questions.js';
import { assert } from '../model/errors.js';
import { askForMemory, checkMemory, watchMemory } from '../model/memory-watch.js';
import type { Profile, RecordedWhere } from '../model/profile.js';
import type { Nanoseconds } from '../model/units.js';
import { numberFunctions } from '../replay/functions/function-ids.js';
import { siteFacts } from '../replay/functions/site-facts.js';
import type { TailCalls } from '../replay/stack/frame.js';
import { ProfileBuilder, type Result, type ThreadStack, type Trees } from './profile/profile-builder.js';
import type { DecodedRecording } from './read/decoded.js';
import { InputReader, type ReadOptions, type ReadProgress, type TraceInput } from './read/inputs.js';
import { PieceReaders } from './read/piece-readers.js';
import { nothingSelected, refuseOthersBesideStored, refuseUnusable } from './read/refusals.js';
import { isLarge, refusedBlock, type StoredTrace, takeStored } from './read/stored-trace.js';
import { LentCounts } from './replay/lent-counts.js';
import { nameFunctions } from './replay/name-functions.js';
import {
  type FilterOptions,
  filterOf,
  type LatencyOptions,
  latencyQuestion,
  type Moment,
  partText,
  stacksAtNs,
} from './replay/questions.js';
import { asksForCalls, type Questions, type ReplayedTrace } from './replay/replay-thread.js';
import { type ReplayHelp, replayThreads } from './replay/replay-threads.js';
import { MemoryBudget, refusedMemory } from './workers/memory-budget.js';
import { planResources, type ResourceOptions } from './workers/resources.js';
import { WorkerPool } from './workers/worker-pool.js';

export interface ReplayProgress {
  readonly phase: 'replay';
  readonly threads: number;
  readonly ofThreads: number;
}
/** Of an import. */
export interface WriteProgress {
  readonly phase: 'write';
  readonly threads: number;
  readonly ofThreads: number;
}
export type Progress = ReadProgress | ReplayProgress | WriteProgress;

export interface AnalyzeOptions extends Pick<ReadOptions, 'select' | 'signal'>, ResourceOptions, FilterOptions {
  /** A function that was jumped to stands below the one that jumped, or in its place. Default: nest. */
  readonly tailCalls?: TailCalls;
  /** Extends threads that wait to the recording's bounds. Default: true. */
  readonly extend?: boolean;
  /** Takes a trace without times: frames weigh their calls. Default: false, such a trace is refused. */
  readonly byCalls?: boolean;
  /** Each thread keeps its tree, or there is one for all of them: that needs less memory. Default: apart. */
  readonly trees?: Trees;
  /** Counts how long the calls of each function took: `Profile.durations`. Default: false. */
  readonly durations?: boolean;
  /** Told how far the work is, at each piece of input and each thread. */
  readonly onProgress?: (progress: Progress) => void;
}

/** Text, a recording that is decoded while it is read, or a trace that was imported: that one stands alone. */
export type AnalyzedInput = TraceInput | DecodedRecording | StoredTrace;

/**
 * Replays a trace. Neither the order of the inputs nor how they are cut, nor how many threads work, changes the result.
 *
 * @throws PtflameError NO_BRANCHES, TIMELESS, NO_PROCESS_IDS, NO_THREAD_NAMES, NOTHING_SELECTED or TEMPORARY_FILE; and
 *   the reason of `signal`. An input that breaks off is no error if a branch was read: `Quality.brokenInputs` tells of it.
 */
export async function analyze(inputs: readonly AnalyzedInput[], options: AnalyzeOptions = {}): Promise<Profile> {
  return (await ask(inputs, options, {})).profile;
}

/** What `analyze` tells, and the calls of some functions one by one. */
export interface LatencyResult {
  readonly profile: Profile;
  readonly calls: CallsAnswer;
  /** The functions that were found. */
  readonly functions: FunctionSet;
}

/**
 * How long calls of some functions took, and what they did meanwhile. With `durations`, the profile has those of these functions.
 *
 * @throws PtflameError as `analyze`, and NO_SUCH_FUNCTION
 */
export async function askLatency(
  inputs: readonly AnalyzedInput[],
  latency: LatencyOptions,
  options: AnalyzeOptions = {},
): Promise<LatencyResult> {
  const { profile, calls, functions } = await ask(inputs, options, { latency });
  assert(calls !== null && functions !== null, 'nobody has counted the calls');
  return { profile, calls, functions };
}

/** What `analyze` tells, and what each thread did at a moment. */
export interface StacksResult {
  readonly profile: Profile;
  /** That moment, in the profile's time. */
  readonly atNs: Nanoseconds;
  readonly stacks: readonly ThreadStack[];
}

/** The stacks of all threads at a moment. */
export async function askStacks(
  inputs: readonly AnalyzedInput[],
  stacksAt: Moment,
  options: AnalyzeOptions = {},
): Promise<StacksResult> {
  const { profile, stacks, atNs } = await ask(inputs, options, { stacksAt });
  return { profile, atNs, stacks };
}

/** What is asked beside the profile. */
interface Wanted {
  readonly latency?: LatencyOptions;
  readonly stacksAt?: Moment;
}

async function ask(inputs: readonly AnalyzedInput[], options: AnalyzeOptions, wanted: Wanted): Promise<Result> {
  const { jobs, hasRoomForThreads, memoryBytes, eventBytes, replayBytes, temporaryDirectory } = planResources(options);
  const budget = new MemoryBudget(memoryBytes);
  const unwatch = watchMemory((bytes) => budget.check(bytes));
  const reader = new InputReader(options, { memoryBytes: eventBytes, directory: temporaryDirectory });
  const pool = new WorkerPool(jobs, hasRoomForThreads, { memoryBytes, mostBytes: budget.mostBytes });
  try {
    await readAll(inputs, reader, pool);
    refuseUnusable(reader, options.select ?? {}, options.byCalls ?? false);
    const help = { pool, memoryBytes: replayBytes };
    return await replayAll(reader, options, wanted, help, recordedWhere(inputs));
  } catch (error) {
    throw refusedBlock(refusedMemory(error), inputs);
  } finally {
    unwatch();
    // Nobody has to wait until the threads are gone; as long as one is there, it may read what was spilled.
    pool.close().finally(() => reader.store.memory.close());
  }
}

/** Only of a recording that is the only input. */
export function recordedWhere(inputs: readonly AnalyzedInput[]): RecordedWhere | null {
  const [only, ...others] = inputs;
  if (only !== undefined && 'stored' in only) return only.stored.contents.meta.recorded;
  return only !== undefined && others.length === 0 && 'parts' in only ? only.recorded : null;
}

export async function readAll(inputs: readonly AnalyzedInput[], reader: InputReader, pool: WorkerPool): Promise<void> {
  const readers = new PieceReaders(pool, reader.words);
  refuseOthersBesideStored(inputs);
  for (const input of inputs) {
    if ('stored' in input) {
      if (isLarge(input)) pool.wake();
      takeStored(input, reader);
    } else await ('parts' in input ? reader.readDecoded(input, readers) : reader.read(input, readers));
  }
  reader.store.isTimed = reader.words.timeless === 0;
}

/** Twice: first what is certain, then the threads that were lost somewhere, with what the others have shown. */
async function replayAll(
  reader: InputReader,
  options: AnalyzeOptions,
  wanted: Wanted,
  resources: Omit<ReplayHelp, 'counts'>,
  recorded: RecordedWhere | null,
): Promise<Result> {
  const { store } = reader;
  const { signal, onProgress } = options;
  store.coverRecords();
  const tids = store.wantedTids();
  if (tids.length === 0) throw nothingSelected();
  const trace = replayedTrace(reader, options, wanted);
  const builder = new ProfileBuilder(reader, tids, options.trees ?? 'apart', trace.questions);
  const help = { ...resources, counts: countsFor(trace) };
  let threads = 0;
  const note = () => {
    signal?.throwIfAborted();
    checkMemory();
    onProgress?.({ phase: 'replay', threads: ++threads, ofThreads: tids.length + builder.doubtful.length });
  };
  for await (const [tid, thread] of replayThreads(tids, store, trace, help)) {
    builder.add(tid, thread);
    note();
  }
  builder.settleAll();
  if (builder.doubtful.length > 0) {
    const taught = { ...trace, lessons: builder.contexts.lessons() };
    for await (const [tid, thread] of replayThreads(builder.doubtful, store, taught, help)) {
      builder.addAgain(tid, thread);
      note();
    }
  }
  for (const counted of help.counts?.all() ?? []) builder.addDurations(counted);
  return builder.build({ scope: trace.facts.scope, part: partText(options), recorded });
}

/** What replay works out of a site. */
const FACTS_BYTES = 100;

function replayedTrace(reader: InputReader, options: AnalyzeOptions, wanted: Wanted): ReplayedTrace {
  const { words, store } = reader;
  const { symbols } = words.interner;
  const sites = words.interner.sites.build();
  askForMemory(sites.length * FACTS_BYTES);
  const ids = nameFunctions(numberFunctions(sites, symbols.build()), symbols, store.mappingsOfThreads());
  const { startNs, endNs } = store;
  const extendTo = options.extend === false ? null : { startNs, endNs };
  return {
    facts: siteFacts(sites, symbols.build(), ids),
    edge: sites.edge,
    events: store.memory.shared(),
    options: {
      tailCalls: options.tailCalls ?? 'nest',
      extendTo,
      mayBeUndecoded: store.mayBeUndecoded,
    },
    questions: questionsOf(reader, options, wanted),
    lessons: null,
  };
}

/** Memory to count in how long all calls took; null if nobody asks, or if threads tell it themselves. */
function countsFor({ questions, facts }: ReplayedTrace): LentCounts | null {
  if (questions.durations !== 'together' || asksForCalls(questions)) return null;
  return LentCounts.for(facts.functions.ofSymbol.length);
}

function questionsOf({ words, store }: InputReader, options: AnalyzeOptions, wanted: Wanted): Questions {
  const symbols = words.interner.symbols.build();
  const trace = { symbols, startNs: store.startNs, timeOf: words.timeOf.bind(words) };
  return {
    filter: filterOf(options, trace),
    durations: options.durations === true ? (options.trees ?? 'apart') : null,
    latency: wanted.latency ? latencyQuestion(wanted.latency, trace) : null,
    stackAtNs: wanted.stacksAt ? stacksAtNs(wanted.stacksAt, { ...trace, endNs: store.endNs }) : null,
  };
}
