/**
 * Builds a profile from the replays of all threads.
 */

import { LongestCallsCollector } from '../../analysis/call-events.js';
import { type CallsAnswer, CallsAnswerBuilder } from '../../analysis/calls/calls-answer.js';
import type { AnswersWithPaths } from '../../analysis/log/answer-thread.js';
import { joinAnswers, type LogAnswers } from '../../analysis/log/answer-thread.js';
import { type PlacedCalls, PlacedCallsSum } from '../../analysis/log/placed-calls.js';
import type { StackFrame } from '../../analysis/log/spans.js';
import type { FunctionSet } from '../../analysis/questions.js';
import { TimelineCollector } from '../../analysis/timeline/collect-timelines.js';
import type { LongestCalls } from '../../model/calls/call-events.js';
import { type CallTree, CallTreeBuilder, ROOT } from '../../model/calls/call-tree.js';
import { type DurationBlocks, DurationsBuilder } from '../../model/calls/durations.js';
import { TreeSum } from '../../model/calls/overlay.js';
import { orderedTree, totalTimes } from '../../model/calls/tree-view.js';
import type { Profile, ThreadProfile, TraceMeta } from '../../model/profile/profile.js';
import type { ThreadChunks, Timeline } from '../../model/profile/timeline.js';
import type { SymbolTable } from '../../model/symbol-table.js';
import { symbolRanks } from '../../model/symbol-table.js';
import { type Nanoseconds, NONE, type SymbolId, type Tid } from '../../model/units.js';
import { type SiteFacts, Step } from '../../replay/functions/site-facts.js';
import { KnownPaths, type ThreadPaths, withCallers } from '../../replay/losses/known-paths.js';
import { boundsInWindow, type Trace } from '../read/trace.js';
import { type AskedThreads, needsCallLog, type Questions } from '../replay/replay-setup.js';
import type { KeptCallGroups } from '../replay/thread-calls.js';
import type { KeptLog, ReplayedThread } from '../replay/trace-replayer.js';
import { QualityBuilder, type ThreadQuality } from './quality.js';
import { emptySelection } from './read-profile.js';

/** One tree per thread, or one for all threads, which needs less memory. */
export type Trees = 'apart' | 'together';

/** The stack of a thread at the requested moment. */
export interface ThreadStack extends Pick<ThreadProfile, 'tid' | 'pid' | 'comm'> {
  readonly frames: readonly StackFrame[]; // lowest first
}

/** A profile, and the answers to further questions. */
export interface ReplayResult {
  readonly profile: Profile;
  /** null: not requested. */
  readonly calls: CallsAnswer | null;
  /** The functions whose latency was requested; null likewise. */
  readonly functions: FunctionSet | null;
  /** The time of the stacks, in the profile's time; NaN: not requested. */
  readonly atNs: Nanoseconds;
  /** By tid, of the threads that were recorded at that moment. */
  readonly stacks: readonly ThreadStack[];
  /** Answers to questions to single threads. */
  readonly answers: LogAnswers;
  /** The logs of threads that were kept. */
  readonly logs: ReadonlyMap<Tid, KeptLog>;
  /** The timeline; null: not requested, or only some calls are selected. Nodes are those of the threads' trees. */
  readonly timeline: Timeline | null;
  /** The longest calls; null: not requested. */
  readonly longestCalls: LongestCalls | null;
  /** Of all threads, by where in the code they are made; empty: not requested. */
  readonly placedCalls: readonly PlacedCalls[];
  /** From the profile's time to the trace's, which `answers` have. */
  readonly shiftNs: Nanoseconds;
}

/** Receives all calls of a thread, in an order that depends on the trace alone; of each thread once. */
export type OnThreadChunks = (tid: Tid, chunks: ThreadChunks) => void;

/** Receives all calls of each thread as row groups of a Parquet file, in the same order. */
export type OnCallRows = (groups: KeptCallGroups) => void;

/** What receives all calls, if the questions are about them. */
interface CallReceivers {
  readonly onChunks?: OnThreadChunks | undefined;
  readonly onCallRows?: OnCallRows | undefined;
}

/** What is known of the trace as a whole. */
type About = Pick<TraceMeta, 'scope' | 'showsJumps' | 'part' | 'recorded'>;

const NO_TREE: CallTree = new CallTreeBuilder().build();

export class ProfileBuilder {
  /** Call paths seen in all threads. */
  readonly paths: CollectedPaths;
  /** Threads that were lost somewhere: to be replayed again once the known paths are complete. */
  readonly toReplayAgain: Tid[] = [];
  /** By the lowest function of their first stack: threads whose callers only other threads may show. */
  private readonly waiting = new Map<SymbolId, Map<Tid, ReplayedThread>>();
  /** Functions to which control moved without an event in a thread of which only a skeleton was replayed; null: none was. */
  private jumpedTo: Set<SymbolId> | null = null;
  private readonly threads: { readonly profile: ThreadProfile; readonly quality: ThreadQuality }[] = [];
  private readonly together: TreeSum | null;
  private readonly durations: DurationsBuilder | null;
  private readonly calls: CallsAnswerBuilder | null;
  private readonly timeline: TimelineCollector | null;
  private readonly longestCalls: LongestCallsCollector | null;
  private readonly placedCalls = new PlacedCallsSum();
  private readonly stacks: ThreadStack[] = [];
  private readonly answers = new Map<Tid, AnswersWithPaths>();
  private readonly logs = new Map<Tid, KeptLog>();
  /** From the trace's time 0, which depends on the order of the inputs, to the second in which the trace begins. */
  private readonly shiftNs: Nanoseconds;

  /**
   * `symbols`: with names for functions without a symbol. `asked`: questions to single threads. Every selected thread must
   * be added. `receivers`: if the questions are about all calls.
   */
  constructor(
    private readonly trace: Trace,
    private readonly symbols: SymbolTable,
    trees: Trees,
    private readonly questions: Questions,
    private readonly asked: AskedThreads,
    private readonly receivers: CallReceivers,
  ) {
    this.durations = questions.durations === 'together' ? new DurationsBuilder() : null;
    this.calls = questions.latency && new CallsAnswerBuilder(questions.latency.slowest);
    this.timeline = questions.timeline && new TimelineCollector(questions.timeline);
    this.longestCalls = questions.longestCalls && new LongestCallsCollector(questions.longestCalls);
    this.paths = new CollectedPaths(trace.store.tids);
    this.together = trees === 'together' ? new TreeSum(symbolRanks(symbols)) : null;
    this.shiftNs = Math.floor(trace.store.bounds.startNs / 1e9) * 1e9;
  }

  /** A thread that was replayed while the known paths were still being collected. */
  add(tid: Tid, thread: ReplayedThread): void {
    this.paths.add(tid, thread.replay);
    this.addJumps(thread);
    const { hasUnconfirmedPaths, firstStack } = thread.replay;
    if (hasUnconfirmedPaths) this.toReplayAgain.push(tid);
    else if (firstStack[0] === undefined) this.finish(tid, thread, []);
    else this.holdBack(tid, thread, firstStack[0]);
  }

  /** Adds a thread that was replayed again. */
  addAgain(tid: Tid, thread: ReplayedThread): void {
    this.finish(tid, thread, []);
  }

  /** Adds durations of calls that were counted in a histogram pool. */
  addDurations(durations: DurationBlocks): void {
    this.durations?.addBlocks(durations);
  }

  /** True if the stack of a thread may depend on call paths that skeletons lack. */
  needsPaths({ step, toFunction, functions }: SiteFacts): boolean {
    const { jumpedTo, waiting, toReplayAgain } = this;
    if (jumpedTo === null) return false;
    if (toReplayAgain.length > 0) return true;
    const called = new Set<SymbolId>(jumpedTo).add(functions.symbol[functions.nameless]);
    for (const fn of functions.stubTarget) if (fn !== NONE) called.add(functions.symbol[fn]);
    step.forEach((own, site) => {
      const fn = toFunction[site];
      if (fn !== NONE && (own === Step.Call || own === Step.KernelEntry || own === Step.EndCall))
        called.add(functions.symbol[fn]);
    });
    return [...waiting].some(([lowest, threads]) => threads.size > 0 && called.has(lowest));
  }

  private addJumps({ jumpedTo, replay }: ReplayedThread): void {
    if (jumpedTo === null) return;
    this.jumpedTo ??= new Set();
    for (const symbol of jumpedTo) this.jumpedTo.add(symbol);
    for (const symbol of replay.firstStack.slice(1)) this.jumpedTo.add(symbol);
  }

  /** Finishes the threads that were held back: all are known now, so the rest have the callers that other threads show. */
  finishWaiting(): void {
    const lowest = new Set([...this.waiting.keys()].filter((symbol) => this.waiting.get(symbol)?.size === 1));
    const knownPaths = this.paths.hasCallersOf(lowest) ? this.paths.knownPaths() : null;
    for (const threads of this.waiting.values())
      for (const [tid, thread] of threads) {
        const below = knownPaths?.callersBelow(thread.replay.firstStack) ?? [];
        if (below.length > 0 && (needsCallLog(this.questions) || this.asked.has(tid)))
          this.toReplayAgain.push(tid); // its call log lacks these callers
        else this.finish(tid, thread, below);
      }
    this.waiting.clear();
  }

  build(about: About): ReplayResult {
    const profile = this.profile(about);
    if (profile.threads.length === 0) throw emptySelection();
    const stacks = this.stacks.sort((a, b) => a.tid - b.tid);
    const atNs = (this.questions.stackAtNs ?? Number.NaN) - this.shiftNs;
    const functions = this.questions.latency?.calls.functions ?? null;
    const answers = joinAnswers(this.answers, symbolRanks(this.symbols));
    const timeline = this.timeline?.build(this.shiftNs) ?? null;
    const longestCalls = this.longestCalls?.build(this.shiftNs) ?? null;
    const calls = this.calls?.build() ?? null;
    const placedCalls = this.placedCalls.all();
    const { logs, shiftNs } = this;
    return { profile, calls, functions, atNs, stacks, answers, logs, timeline, longestCalls, placedCalls, shiftNs };
  }

  private profile({ scope, showsJumps, part, recorded }: About): Profile {
    const { trace, symbols } = this;
    const originNs = BigInt(trace.originSeconds ?? 0) * 1_000_000_000n + BigInt(this.shiftNs);
    const weight = trace.account.timeless > 0 ? 'calls' : 'ns';
    const bounds = this.bounds();
    const quality = new QualityBuilder(trace, this.shiftNs, this.questions.filter?.window ?? null);
    this.threads.sort((a, b) => a.profile.tid - b.profile.tid);
    for (const thread of this.threads) quality.add(thread.quality);
    return {
      meta: {
        ...{ originNs, ...bounds, scope, weight, hasSwitches: trace.store.hasSwitches },
        ...{ ...(showsJumps && { showsJumps }), part, recorded },
      },
      symbols,
      threads: this.threads.map(({ profile }) => profile),
      together: this.together?.build() ?? null,
      durations: this.durations?.build() ?? null,
      quality: quality.build(),
    };
  }

  /** Returns the bounds of the selection, in the profile's time. */
  private bounds(): Pick<TraceMeta, 'startNs' | 'endNs' | 'firstNs'> {
    const { trace, questions, shiftNs } = this;
    const { startNs, endNs } = boundsInWindow(trace, questions.filter?.window);
    const isCut = startNs > trace.store.bounds.startNs;
    const firstNs = trace.store.bounds.startNs - shiftNs;
    return { startNs: startNs - shiftNs, endNs: endNs - shiftNs, ...(isCut && { firstNs }) };
  }

  /** If two threads begin in the same function, it is an entry point of threads: it has no callers. */
  private holdBack(tid: Tid, thread: ReplayedThread, lowest: SymbolId): void {
    const others = this.waiting.get(lowest);
    if (others === undefined) {
      this.waiting.set(lowest, new Map([[tid, thread]]));
      return;
    }
    for (const [otherTid, other] of others) this.finish(otherTid, other, []);
    others.clear();
    this.finish(tid, thread, []);
  }

  /** `below`: callers of the thread's lowest function that only other threads show. */
  private finish(tid: Tid, thread: ReplayedThread, below: readonly SymbolId[]): void {
    const { names } = this.trace.store;
    const { replay } = thread;
    const who = { tid, pid: names.pidOf(tid), comm: names.commOf(tid) };
    const isWhole = below.length === 0;
    const tree = isWhole ? replay.tree : orderedTree(withCallers(replay.tree, below), symbolRanks(this.symbols));
    const resumptions = this.questions.filter === null ? replay.resumptions : undefined;
    const profile = {
      ...who,
      startNs: replay.startNs - this.shiftNs,
      endNs: replay.endNs - this.shiftNs,
      tree,
      hiddenNs: isWhole ? replay.hiddenNs : 0, // else all its time is inferred
      durations: this.together === null ? thread.durations : null,
      ...(resumptions && { resumptions }),
    };
    if (thread.answers) this.answers.set(tid, thread.answers);
    if (thread.keptLog) this.logs.set(tid, thread.keptLog);
    if (thread.stack) this.stacks.push({ ...who, frames: thread.stack.map((frame) => this.shifted(frame)) });
    if (this.questions.filter !== null && isEmpty(tree)) return;
    const quality = QualityBuilder.threadQuality(profile, thread, below.length, this.symbols.kind);
    this.together?.add(tree);
    this.threads.push({ profile: this.together ? { ...profile, tree: NO_TREE } : profile, quality });
    if (thread.durations) this.durations?.addAll(thread.durations);
    if (thread.calls) this.calls?.add(thread.calls, this.shiftNs);
    if (thread.chunks) this.receivers.onChunks?.(tid, thread.chunks);
    if (thread.callRows) this.receivers.onCallRows?.(thread.callRows);
    if (thread.placedCalls) this.placedCalls.add(thread.placedCalls);
    if (thread.longestCalls) this.longestCalls?.add(tid, thread.longestCalls);
    const { length, parent } = tree;
    if (thread.timeline) this.timeline?.add(tid, thread.timeline, { length, parent, totalNs: totalTimes(tree) });
  }

  private shifted({ sinceNs, ...frame }: StackFrame): StackFrame {
    return { ...frame, sinceNs: sinceNs - this.shiftNs };
  }
}

function isEmpty({ length, selfNs }: CallTree): boolean {
  return length === 1 && selfNs[ROOT] === 0;
}

/** At most this many nodes are kept unmerged, eight bytes each. */
const MAX_KEPT_NODES = 2 ** 21;

/**
 * Collects the call paths of all threads. They become known paths only if some thread needs them: most traces have no
 * losses, and merging paths takes as long as merging trees.
 */
class CollectedPaths {
  private readonly merged = new KnownPaths();
  /** Threads whose paths are still to be merged, the lowest tid last. */
  private readonly rest: Tid[];
  private readonly kept = new Map<Tid, ThreadPaths>();
  private keptNodes = 0;
  private readonly threads: number;

  /** `tids`: all threads that are to be added. */
  constructor(tids: readonly Tid[]) {
    this.threads = tids.length;
    this.rest = tids.toSorted((a, b) => b - a);
  }

  add(tid: Tid, { paths, firstStack }: ThreadPaths): void {
    this.kept.set(tid, { paths, firstStack });
    this.keptNodes += paths.length;
    if (this.keptNodes > MAX_KEPT_NODES) this.merge();
  }

  /** Whether some path shows a caller of one of these functions. All threads must have been added. */
  hasCallersOf(functions: ReadonlySet<SymbolId>): boolean {
    if (this.kept.size < this.threads) return true; // some are merged already
    for (const { paths } of this.kept.values())
      for (let node = ROOT + 1; node < paths.length; node++)
        if (paths.parent[node] !== ROOT && functions.has(paths.symbol[node])) return true;
    return false;
  }

  /** Returns the paths of all threads. All must have been added. */
  knownPaths(): KnownPaths {
    this.merge();
    return this.merged;
  }

  /** Merges threads in the order of tids, as far as they are there. */
  private merge(): void {
    for (let tid = this.rest.at(-1); tid !== undefined; tid = this.rest.at(-1)) {
      const thread = this.kept.get(tid);
      if (thread === undefined) return;
      this.merged.add(thread);
      this.keptNodes -= thread.paths.length;
      this.kept.delete(tid);
      this.rest.pop();
    }
  }
}
