/**
 * Inputs in, a profile out: read, replay, add up. What runs where is decided here; today all of it runs in process.
 */
import { setImmediate } from 'node:timers/promises';
import type { CallTree } from '../model/call-tree.js';
import { assert } from '../model/errors.js';
import type { Profile, ThreadProfile, TraceMeta } from '../model/profile.js';
import { type InferenceName, type LineCounts, noInferences, type Quality, type TraceGap } from '../model/quality.js';
import { SpecialSymbol } from '../model/symbol-table.js';
import type { NodeId, Tid } from '../model/units.js';
import { Contexts, withCallers } from '../replay/contexts.js';
import type { TailCalls } from '../replay/frame.js';
import { type ReplayOptions, replayThread, type ThreadReplay } from '../replay/replay.js';
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

interface ReplayedThread {
  readonly thread: Omit<StoredThread, 'events'>;
  readonly replay: ThreadReplay;
}

/** The threads' results, and what they add up to. */
class ProfileBuilder {
  private readonly threads = new Map<Tid, ReplayedThread>();
  private readonly inferredCalls = noInferences();
  private readonly gaps: TraceGap[] = [];
  private clockSteps = 0;
  private lostNs = 0;
  private readonly reader: InputReader;
  private readonly facts: SiteFacts;
  private readonly options: AnalyzeOptions;

  constructor(reader: InputReader, facts: SiteFacts, options: AnalyzeOptions) {
    this.reader = reader;
    this.facts = facts;
    this.options = options;
  }

  async replay(tids: readonly Tid[], contexts: Contexts | null): Promise<void> {
    const { store, words } = this.reader;
    const { signal, onProgress } = this.options;
    let done = 0;
    for (const { events, ...thread } of store.threads(tids, words.interner.sites.build())) {
      await setImmediate(); // lets a signal be heard between two threads
      signal?.throwIfAborted();
      const replay = replayThread(events, this.facts, this.replayOptions(thread.isCreatedInside, contexts));
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
    const originNs = BigInt(words.originSeconds ?? 0) * 1_000_000_000n;
    const weight = words.timed === 0 ? 'calls' : 'ns';
    const { scope } = this.facts;
    const meta: TraceMeta = { originNs, startNs: store.startNs, endNs: store.endNs, scope, weight };
    const threads = [...this.threads].map(([tid, thread]) => this.profileOf(tid, thread, contexts));
    return { meta, symbols: words.interner.symbols.build(), threads, quality: this.quality(threads) };
  }

  private replayOptions(isCreatedInside: boolean, contexts: Contexts | null): ReplayOptions {
    const { startNs, endNs } = this.reader.store;
    const extendTo = this.options.extend === false ? null : { startNs, endNs };
    return { tailCalls: this.options.tailCalls ?? 'nest', extendTo, isCreatedInside, contexts };
  }

  /** A thread that was replayed once stands on the callers that only other threads show. */
  private profileOf(tid: Tid, { thread, replay }: ReplayedThread, contexts: Contexts): ThreadProfile {
    const { names } = this.reader.store;
    const { startNs, endNs, tree } = replay;
    const below = replay.isDoubtful ? [] : contexts.callersBelow(replay.firstStack);
    this.inferredCalls.OpenAtStart += below.length;
    this.count(tid, thread, replay);
    const who = { tid, pid: names.pidOf(tid), comm: names.commOf(tid) };
    return { ...who, startNs, endNs, tree: below.length === 0 ? tree : withCallers(tree, below) };
  }

  private count(tid: Tid, { gaps, clockSteps }: ReplayedThread['thread'], { inferred, lost }: ThreadReplay): void {
    for (const reason of Object.keys(inferred) as InferenceName[]) this.inferredCalls[reason] += inferred[reason];
    this.clockSteps += clockSteps;
    let error = 0;
    for (const { atNs, lengthNs, errors } of lost) {
      const at = { tid, atNs, lengthNs };
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

  private quality(threads: readonly ThreadProfile[]): Quality {
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
      unknownFlags: words.unknownFlags.words,
      lostNs: this.lostNs,
      inferredNs: sumOf(threads, ({ inferredNs }, node) => inferredNs[node]),
      unknownNs: sumOf(threads, ({ symbol, selfNs }, node) =>
        symbol[node] === SpecialSymbol.Unknown ? selfNs[node] : 0,
      ),
      totalNs: threads.reduce((sum, { startNs, endNs }) => sum + endNs - startNs, 0),
    };
  }
}

function sumOf(threads: readonly ThreadProfile[], nsOf: (tree: CallTree, node: NodeId) => number): number {
  let sum = 0;
  for (const { tree } of threads) for (let node = 0; node < tree.length; node++) sum += nsOf(tree, node);
  return sum;
}

function assertComplete({ lines, events, gapLines, ignoredLines, damagedLines }: LineCounts): void {
  assert(lines === events + gapLines + ignoredLines + damagedLines, 'a line was counted twice or not at all');
}
