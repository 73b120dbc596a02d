/**
 * Inputs in, a profile out: read, replay, add up. What runs where is decided here; today all of it runs in process.
 */
import { setImmediate } from 'node:timers/promises';
import { assert } from '../model/errors.js';
import type { Profile, ThreadProfile, TraceMeta } from '../model/profile.js';
import { type InferenceName, type LineCounts, noInferences, type Quality, type TraceGap } from '../model/quality.js';
import type { SymbolId } from '../model/units.js';
import { type Beginning, callersFromOtherThreads, withCallers } from '../replay/contexts.js';
import type { TailCalls } from '../replay/open-frames.js';
import { replayThread, type ThreadReplay } from '../replay/replay.js';
import { type SiteFacts, siteFacts } from '../replay/site-facts.js';
import type { StoredThread } from '../store/trace-store.js';
import { InputReader, type ReadOptions, type ReadProgress, type TraceInput } from './inputs.js';
import { nothingSelected, refuseUnusable } from './refusals.js';

export interface ReplayProgress {
  readonly phase: 'replay';
  readonly threads: number;
  readonly ofThreads: number;
}
export type Progress = ReadProgress | ReplayProgress;

export interface AnalyzeOptions extends Pick<ReadOptions, 'select' | 'signal'> {
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
  const reader = new InputReader(options);
  for (const input of inputs) await reader.read(input);
  refuseUnusable(reader, options.select ?? {}, options.byCalls ?? false);
  const facts = siteFacts(reader.words.interner.sites.build(), reader.words.interner.symbols.build());
  return replayAll(reader, facts, options);
}

async function replayAll(reader: InputReader, facts: SiteFacts, options: AnalyzeOptions): Promise<Profile> {
  const { store, words } = reader;
  const tids = store.wantedTids();
  if (tids.length === 0) throw nothingSelected();
  const sum = new ProfileBuilder(reader, options);
  for (const thread of store.threads(tids, words.interner.sites.build())) {
    await setImmediate(); // lets a signal be heard between two threads
    options.signal?.throwIfAborted();
    sum.add(thread, facts);
    options.onProgress?.({ phase: 'replay', threads: sum.threads.length, ofThreads: tids.length });
  }
  return sum.build(facts);
}

/** The threads' results, and what they add up to. */
class ProfileBuilder {
  readonly threads: Omit<ThreadProfile, 'tree'>[] = [];
  private readonly beginnings: Beginning[] = [];
  private readonly inferredCalls = noInferences();
  private readonly gaps: TraceGap[] = [];
  private clockSteps = 0;
  private lostNs = 0;
  private readonly reader: InputReader;
  private readonly options: AnalyzeOptions;

  constructor(reader: InputReader, options: AnalyzeOptions) {
    this.reader = reader;
    this.options = options;
  }

  add(thread: StoredThread, facts: SiteFacts): void {
    const { startNs, endNs, names } = this.reader.store;
    const { tid } = thread.events;
    const replay = replayThread(thread.events, facts, {
      tailCalls: this.options.tailCalls ?? 'nest',
      extendTo: this.options.extend === false ? null : { startNs, endNs },
      isCreatedInside: thread.isCreatedInside,
    });
    const who = { tid, pid: names.pidOf(tid), comm: names.commOf(tid) };
    this.threads.push({ ...who, startNs: replay.startNs, endNs: replay.endNs });
    this.beginnings.push(replay);
    this.count(thread, replay);
  }

  build({ scope }: SiteFacts): Profile {
    const { words, store } = this.reader;
    const originNs = BigInt(words.originSeconds ?? 0) * 1_000_000_000n;
    const weight = words.timed === 0 ? 'calls' : 'ns';
    const meta: TraceMeta = { originNs, startNs: store.startNs, endNs: store.endNs, scope, weight };
    return { meta, symbols: words.interner.symbols.build(), threads: this.placed(), quality: this.quality() };
  }

  /** The threads with their trees, on the callers that only other threads show. */
  private placed(): ThreadProfile[] {
    const callers = callersFromOtherThreads(this.beginnings);
    return this.threads.map((thread, index) => {
      const { tree } = this.beginnings[index] as Beginning;
      const below = callers[index] as SymbolId[];
      this.inferredCalls.OpenAtStart += below.length;
      return { ...thread, tree: below.length === 0 ? tree : withCallers(tree, below) };
    });
  }

  private count({ events, gaps, clockSteps }: StoredThread, { inferred, lost }: ThreadReplay): void {
    for (const reason of Object.keys(inferred) as InferenceName[]) this.inferredCalls[reason] += inferred[reason];
    this.clockSteps += clockSteps;
    let error = gaps.length - lost.reduce((sum, { errors }) => sum + errors, 0); // those before the first event
    for (const { atNs, lengthNs, errors } of lost) {
      const at = { tid: events.tid, atNs, lengthNs };
      const first = errors > 0 ? gaps[error] : undefined;
      this.gaps.push(
        first
          ? { ...at, cause: 'decode-error', code: first.code, message: first.message }
          : { ...at, cause: 'unannounced' },
      );
      this.lostNs += lengthNs;
      error += errors;
    }
  }

  private quality(): Quality {
    const { words, broken, store } = this.reader;
    const counts = { ...this.reader.counts };
    counts.events -= store.unwanted;
    counts.ignoredLines += store.unwanted;
    assertComplete(counts);
    return {
      ...counts,
      firstDamaged: this.reader.firstDamaged(),
      brokenInputs: broken,
      gaps: this.gaps,
      inferredCalls: this.inferredCalls,
      clockSteps: this.clockSteps,
      unknownFlags: [...words.unknownFlags].sort(),
      lostNs: this.lostNs,
      totalNs: this.threads.reduce((sum, { startNs, endNs }) => sum + endNs - startNs, 0),
    };
  }
}

function assertComplete({ lines, events, gapLines, ignoredLines, damagedLines }: LineCounts): void {
  assert(lines === events + gapLines + ignoredLines + damagedLines, 'a line was counted twice or not at all');
}
