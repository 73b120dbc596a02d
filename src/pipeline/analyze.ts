/**
 * Inputs in, a profile out: read, replay, add up. What runs where is decided here; today all of it runs in process.
 */
import { setImmediate } from 'node:timers/promises';
import type { Profile, ThreadProfile, TraceMeta } from '../model/profile.js';
import type { Nanoseconds, Tid } from '../model/units.js';
import { Contexts, withCallers } from '../replay/contexts.js';
import type { TailCalls } from '../replay/frame.js';
import { Replayer, type ReplayOptions } from '../replay/replay.js';
import { type SiteFacts, siteFacts } from '../replay/site-facts.js';
import { loadThread } from '../store/thread-source.js';
import { InputReader, type ReadOptions, type ReadProgress, type TraceInput } from './inputs.js';
import { PieceReaders } from './piece-readers.js';
import { QualityBuilder, type ReplayedThread } from './quality.js';
import { nothingSelected, refuseUnusable } from './refusals.js';
import { planResources, type ResourceOptions } from './resources.js';
import { WorkerPool } from './worker-pool.js';

export interface ReplayProgress {
  readonly phase: 'replay';
  readonly threads: number;
  readonly ofThreads: number;
}
export type Progress = ReadProgress | ReplayProgress;

export interface AnalyzeOptions extends Pick<ReadOptions, 'select' | 'signal'>, ResourceOptions {
  /** A function that was jumped to stands below the one that jumped, or in its place. Default: nest. */
  readonly tailCalls?: TailCalls;
  /** Extends threads that wait to the recording's bounds. Default: true. */
  readonly extend?: boolean;
  /** Takes a trace without times: frames weigh their calls. Default: false, such a trace is refused. */
  readonly byCalls?: boolean;
  /** Told how far the work is, at each piece of input and each thread. */
  readonly onProgress?: (progress: Progress) => void;
}

/**
 * Replays a trace. Neither the order of the inputs nor how they are cut changes the result.
 *
 * @throws PtflameError NO_BRANCHES, TIMELESS, NO_PROCESS_IDS, NO_THREAD_NAMES or NOTHING_SELECTED; and the reason
 *   of `signal`. An input that breaks off is no error if a branch was read: `Quality.brokenInputs` tells of it.
 */
export async function analyze(inputs: readonly TraceInput[], options: AnalyzeOptions = {}): Promise<Profile> {
  const resources = planResources({ jobs: Number(process.env['PTJ'] ?? 1), ...options });
  const { jobs, eventBytes, temporaryDirectory } = resources;
  const reader = new InputReader(options, { memoryBytes: eventBytes, directory: temporaryDirectory });
  const pool = jobs > 1 ? new WorkerPool(jobs) : null;
  const readers = pool && new PieceReaders(pool, reader.words.interner);
  for (const input of inputs) await reader.read(input, readers);
  await pool?.close();
  refuseUnusable(reader, options.select ?? {}, options.byCalls ?? false);
  const facts = siteFacts(reader.words.interner.sites.build(), reader.words.interner.symbols.build());
  return replayAll(reader, facts, options);
}

/** Twice: first what is certain, then the threads that were lost somewhere, with what the others have shown. */
async function replayAll(reader: InputReader, facts: SiteFacts, options: AnalyzeOptions): Promise<Profile> {
  const { store } = reader;
  const tids = store.wantedTids();
  if (tids.length === 0) throw nothingSelected();
  const builder = new ProfileBuilder(reader, facts, options);
  await builder.replay(tids, null);
  const contexts = builder.contexts();
  await builder.replay(builder.doubtfulTids(), contexts);
  return builder.build(contexts);
}

/** The threads' results, put together. */
class ProfileBuilder {
  private readonly threads = new Map<Tid, ReplayedThread>();
  private readonly reader: InputReader;
  private readonly facts: SiteFacts;
  private readonly options: AnalyzeOptions;
  /** To the second in which the trace begins: what the reader's time 0 is, the order of the inputs decided. */
  private readonly shiftNs: Nanoseconds;

  constructor(reader: InputReader, facts: SiteFacts, options: AnalyzeOptions) {
    this.reader = reader;
    this.facts = facts;
    this.options = options;
    this.shiftNs = Math.floor(reader.store.startNs / 1e9) * 1e9;
  }

  async replay(tids: readonly Tid[], contexts: Contexts | null): Promise<void> {
    const { store, words } = this.reader;
    const { signal, onProgress } = this.options;
    const replayer = new Replayer(this.facts);
    let done = 0;
    const sites = words.interner.sites.build();
    for (const tid of tids) {
      await setImmediate(); // lets a signal be heard between two threads
      signal?.throwIfAborted();
      const { events, ...thread } = loadThread(store.sourceOf(tid), store.memory.shared(), sites);
      const replay = replayer.replay(events, this.replayOptions(thread.isCreatedInside, contexts));
      this.threads.set(events.tid, { thread, replay });
      onProgress?.({ phase: 'replay', threads: ++done, ofThreads: tids.length });
    }
  }

  contexts(): Contexts {
    return new Contexts([...this.threads.values()].map(({ replay }) => replay));
  }

  doubtfulTids(): Tid[] {
    return [...this.threads].filter(([, { replay }]) => replay.isDoubtful).map(([tid]) => tid);
  }

  build(contexts: Contexts): Profile {
    const { words, store } = this.reader;
    const originNs = BigInt(words.originSeconds ?? 0) * 1_000_000_000n + BigInt(this.shiftNs);
    const weight = words.timed === 0 ? 'calls' : 'ns';
    const bounds = { startNs: store.startNs - this.shiftNs, endNs: store.endNs - this.shiftNs };
    const meta: TraceMeta = { originNs, ...bounds, scope: this.facts.scope, weight };
    const quality = new QualityBuilder(this.reader, this.shiftNs);
    const threads = [...this.threads].map(([tid, thread]) => this.profileOf(tid, thread, contexts, quality));
    return { meta, symbols: words.interner.symbols.build(), threads, quality: quality.build() };
  }

  private replayOptions(isCreatedInside: boolean, contexts: Contexts | null): ReplayOptions {
    const { startNs, endNs } = this.reader.store;
    const extendTo = this.options.extend === false ? null : { startNs, endNs };
    return { tailCalls: this.options.tailCalls ?? 'nest', extendTo, isCreatedInside, contexts };
  }

  /** A thread that was replayed once stands on the callers that only other threads show. */
  private profileOf(tid: Tid, thread: ReplayedThread, contexts: Contexts, quality: QualityBuilder): ThreadProfile {
    const { names } = this.reader.store;
    const { startNs, endNs, tree, isDoubtful, firstStack } = thread.replay;
    const below = isDoubtful ? [] : contexts.callersBelow(firstStack);
    const who = { tid, pid: names.pidOf(tid), comm: names.commOf(tid) };
    const bounds = { startNs: startNs - this.shiftNs, endNs: endNs - this.shiftNs };
    const place =
      below.length === 0 ? { tree, hiddenNs: thread.replay.hiddenNs } : { tree: withCallers(tree, below), hiddenNs: 0 }; // all its time is a guess now
    const profile = { ...who, ...bounds, ...place };
    quality.add(profile, thread, below.length);
    return profile;
  }
}
