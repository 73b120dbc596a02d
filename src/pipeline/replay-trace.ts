/**
 * Replays all threads of a trace into a profile, and answers further questions.
 */

import type { EventsQuestion } from '../analysis/call-events.js';
import type { CallFilter } from '../analysis/questions.js';
import { LISTED, levelWithSlices, reachedLevels, type TimelineQuestion } from '../analysis/timeline/resolution.js';
import { interruptibleNow } from '../host/turns.js';
import { PtflameError } from '../model/errors.js';
import { askForMemory, checkMemory } from '../model/memory.js';
import { sharesMemory } from '../model/shared-memory.js';
import type { SymbolTable } from '../model/symbol-table.js';
import { symbolRanks } from '../model/symbol-table.js';
import type { BranchSites } from '../model/trace/branch-sites.js';
import { type Bounds, type Nanoseconds, type Tid, UNBOUNDED } from '../model/units.js';
import type { SharedNames } from '../parquet/hashes.js';
import { numberFunctions } from '../replay/functions/function-ids.js';
import { type Switcher, siteFacts, withSwitcher } from '../replay/functions/site-facts.js';
import type { KnownPathsData } from '../replay/losses/known-paths.js';
import type { Probes } from '../replay/mend-hits.js';
import { probeSites } from '../replay/probe-sites.js';
import type { Fibers, Scheduler, TailCalls } from '../replay/stack/frame.js';
import { addedSites, type SystemCalls, systemCalls, withSystemCalls } from '../replay/system-calls.js';
import type { StoredThreads } from '../trace/stored-threads.js';
import {
  type OnCallRows,
  type OnThreadChunks,
  ProfileBuilder,
  type ReplayResult,
  type Trees,
} from './profile/profile-builder.js';
import { boundsInWindow, type Trace } from './read/trace.js';
import type { ReplayProgress } from './read/trace-builder.js';
import {
  callsByLine,
  type FindCodeLines,
  type FindInlined,
  type FindSourceLines,
  type LineCalls,
  nameFunctions,
  withInlined,
  withSourceLines,
} from './replay/name-functions.js';
import {
  type AskedThreads,
  NO_QUESTIONS,
  NOTHING_ASKED,
  needsCallLog,
  passesOf,
  type Questions,
  type ReplaySetup,
  spanOf,
} from './replay/replay-setup.js';
import { type ReplayHelp, replayThreads } from './replay/replay-threads.js';
import {
  type FilterOptions,
  filterOf,
  type LatencyOptions,
  latencyQuestion,
  type Moment,
  partText,
  stacksAtNs,
  withClock,
} from './replay/selection.js';
import type { CallRowsQuestion } from './replay/thread-calls.js';
import { HistogramPool } from './replay/work-spaces.js';
import type { SharedFile } from './workers/shared-file.js';
import type { Work } from './workers/work.js';

/** All calls as rows of a Parquet file. */
interface CallRowsOptions {
  /** Of the recording, if rows of several will be in one table; null: rows have none. */
  readonly id: string | null;
  /** Shorter calls are left out. */
  readonly minNs: Nanoseconds;
  /** Receives the row groups, in no order: too many for memory. */
  readonly file: SharedFile;
  /** Numbers functions as tables do. */
  readonly namesOf: (symbols: SymbolTable) => SharedNames;
  /** Called for each thread, in an order that depends on the trace alone. */
  readonly onThread: OnCallRows;
}

export interface ReplayTraceOptions extends FilterOptions {
  /** The target of a tail call becomes a child of the function that jumped (nest), or replaces it. Default: nest. */
  readonly tailCalls?: TailCalls;
  /** Shows each stack that a thread switches to as a root, or on the call that left the thread's first stack. Default: root. */
  readonly fibers?: Fibers;
  /** Shows a thread without a CPU on the function that sleeps, or on the kernel's scheduler that this called. Default: hide. */
  readonly scheduler?: Scheduler;
  /** Extends threads that were waiting to the bounds of the recording. Default: true. */
  readonly extend?: boolean;
  /** One tree per thread (apart), or one for all threads (together), which needs less memory. Default: apart. */
  readonly trees?: Trees;
  /** Counts how long the calls of each function took: `Profile.durations`. Default: false. */
  readonly durations?: boolean;
  /** Keeps the timeline, for at most about this many bytes: not of a selection of calls. Default: 0, none. */
  readonly timelineBytes?: number;
  /** Called with all calls of each thread, for a levels file: not of a trace without times, or of a selection of calls. Default: none. */
  readonly onChunks?: OnThreadChunks;
  /** Lists all calls as rows of a table: whole threads, or a window of them. Default: not requested. */
  readonly callRows?: CallRowsOptions;
  /** Lists the longest calls, with the times at which they began and ended. Default: not requested. */
  readonly longestCalls?: LongestCallsOptions;
  /** Finds where functions begin in source code: `SymbolTable.lines`. Default: not requested. */
  readonly sourceLines?: FindSourceLines;
  /** Finds the lines that calls are on: `FinishedReplay.lineCalls`. Default: not requested. */
  readonly codeLines?: FindCodeLines;
  /** Finds the functions that compilers inlined where calls are: `SymbolKind.Inlined`. Default: not requested. */
  readonly inlined?: FindInlined;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: ReplayProgress) => void;
}

/** Questions that the profile does not answer. */
export interface ExtraQuestions {
  readonly latency?: LatencyOptions;
  readonly stacksAt?: Moment;
}

/**
 * Replays a trace. If the questions are about a part of its time, only the skeletons of its threads are replayed outside
 * of that part; unless the stack of a thread depends on the call paths of all threads.
 */
export async function replayTrace(
  read: Trace,
  options: ReplayTraceOptions,
  asked: ExtraQuestions,
  resources: Resources,
): Promise<FinishedReplay> {
  return replayPrepared(prepareReplay(read, options, asked), options, resources, NOTHING_ASKED);
}

type Resources = Omit<ReplayHelp, 'histograms'>;

/** A trace whose functions have names, and how its threads are replayed. */
export interface PreparedReplay {
  readonly trace: Trace;
  /** Those of the trace, and names for functions without a symbol. */
  readonly symbols: SymbolTable;
  readonly setup: ReplaySetup;
}

export interface FinishedReplay extends ReplayResult {
  /** null: not requested, or the trace has no times. */
  readonly lineCalls: readonly LineCalls[] | null;
  /** Threads that were replayed a second time, with the call paths of all threads. */
  readonly again: { readonly tids: ReadonlySet<Tid>; readonly knownPaths: KnownPathsData | null };
  /** With the functions that turned out to switch stacks, and the time of which more than skeletons was replayed. */
  readonly setup: ReplaySetup;
}

export function prepareReplay(read: Trace, options: ReplayTraceOptions, asked: ExtraQuestions): PreparedReplay {
  const trace = withClock(read, [options.window?.from, options.window?.to, asked.stacksAt]);
  return { trace, ...interruptibleNow(() => setupOf(trace, options, asked)) };
}

/** `asked`: questions to single threads. */
export async function replayPrepared(
  prepared: PreparedReplay,
  options: ReplayTraceOptions,
  resources: Resources,
  asked: AskedThreads,
): Promise<FinishedReplay> {
  let { setup } = prepared;
  let span = spanOf(setup.questions, asked);
  if (handsOn(setup.questions)) setup = await withSwitchers({ ...prepared, setup }, resources);
  for (;;) {
    const result = await replayThreadsTwice({ ...prepared, setup: { ...setup, span } }, options, resources, asked);
    if (result === NEEDS_PATHS) span = null;
    else if (result instanceof FoundSwitcher) setup = withAnother(setup, result.switcher);
    else return result;
  }
}

/** Replay of skeletons needs paths that these lack. */
const NEEDS_PATHS = Symbol('needs paths');

/** A function turned out to switch stacks: what was replayed without knowing it is void. */
class FoundSwitcher {
  constructor(readonly switcher: Switcher) {}
}

function withAnother(setup: ReplaySetup, switcher: Switcher): ReplaySetup {
  return { ...setup, siteFacts: withSwitcher(setup.siteFacts, switcher) };
}

/** True if what threads answer is handed on at once, so that it cannot become void. */
function handsOn({ callRows, chunksOf }: Questions): boolean {
  return callRows !== null || chunksOf !== null;
}

/** Finds the functions that switch stacks before anything is replayed. */
async function withSwitchers({ trace, setup }: PreparedReplay, resources: Resources): Promise<ReplaySetup> {
  const options = { ...setup.options, onlyPairs: true };
  const help = { ...resources, histograms: null };
  for (let found = setup; ; ) {
    const pairing = { ...found, options, questions: NO_QUESTIONS };
    const switcher = await firstSwitcher(replayThreads(trace.store.tids, trace.store, pairing, help));
    if (switcher === null) return found;
    found = withAnother(found, switcher);
  }
}

async function firstSwitcher(threads: ReturnType<typeof replayThreads>): Promise<Switcher | null> {
  let first: Switcher | null = null;
  for await (const [, { replay }] of threads) first ??= replay.switcher;
  return first;
}

/** Replays first all threads, then those with unconfirmed paths again, with the paths seen in the others. */
async function replayThreadsTwice(
  { trace, symbols, setup }: PreparedReplay,
  options: ReplayTraceOptions,
  resources: Resources,
  asked: AskedThreads,
): Promise<FinishedReplay | FoundSwitcher | typeof NEEDS_PATHS> {
  const { store, recorded } = trace;
  const builder = new ProfileBuilder(trace, symbols, options.trees ?? 'apart', setup.questions, asked, {
    onChunks: options.onChunks,
    onCallRows: options.callRows?.onThread,
  });
  const help = { ...resources, histograms: histogramsFor(setup) };
  const counter = new ThreadCounter(options, store, setup.questions, builder.toReplayAgain);
  resources.pool.onWork = (work) => counter.pass(work);
  for await (const [tid, thread] of replayThreads(store.tids, store, setup, help, asked)) {
    if (thread.replay.switcher) return new FoundSwitcher(thread.replay.switcher);
    builder.add(tid, thread);
    counter.finish(tid);
  }
  if (builder.needsPaths(setup.siteFacts)) return NEEDS_PATHS;
  builder.finishWaiting();
  const { toReplayAgain } = builder;
  const knownPaths = toReplayAgain.length > 0 ? builder.paths.knownPaths().toData() : null;
  if (knownPaths !== null)
    for await (const [tid, thread] of replayThreads(toReplayAgain, store, { ...setup, knownPaths }, help, asked)) {
      builder.addAgain(tid, thread);
      counter.finish(tid);
    }
  resources.pool.onWork = null;
  for (const counted of help.histograms?.all() ?? []) builder.addDurations(counted);
  const { scope, showsJumps } = setup.siteFacts;
  const built = builder.build({ scope, ...(showsJumps && { showsJumps }), part: partText(options), recorded });
  const mappings = setup.questions.placedCalls ? store.threadMappings() : [];
  const lineCalls = setup.questions.placedCalls
    ? callsByLine(built.placedCalls, setup.siteFacts, symbols, mappings, options.codeLines as FindCodeLines)
    : null;
  return { ...built, lineCalls, again: { tids: new Set(toReplayAgain), knownPaths }, setup };
}

/** Reports how far replay is, by the events of threads. */
class ThreadCounter {
  private threads = 0;
  private readonly passes: number;
  /** Rows of all threads, and of those that are done. */
  private all: number;
  private done = 0;
  /** Of the threads to be replayed again, so many are in `all`. */
  private again = 0;
  /** By thread that is being replayed: rows that were passed. */
  private readonly passed = new Map<Tid, number>();

  /** `toReplayAgain`: of all threads, as far as is known. */
  constructor(
    private readonly options: ReplayTraceOptions,
    private readonly store: StoredThreads,
    questions: Questions,
    private readonly toReplayAgain: readonly Tid[],
  ) {
    this.passes = passesOf(questions);
    this.all = store.tids.reduce((sum, tid) => sum + this.rowsOf(tid), 0);
  }

  pass({ tid, rows }: Work): void {
    const most = this.rowsOf(tid);
    this.passed.set(tid, Math.min(most, rows + (this.passed.get(tid) ?? 0)));
    this.report();
  }

  finish(tid: Tid): void {
    this.options.signal?.throwIfAborted();
    checkMemory();
    this.threads++;
    this.done += this.rowsOf(tid);
    this.passed.delete(tid);
    this.report();
  }

  private report(): void {
    const { options, store, toReplayAgain, threads, done, passed } = this;
    while (this.again < toReplayAgain.length) this.all += this.rowsOf(toReplayAgain[this.again++] as Tid);
    const ofThreads = store.tids.length + toReplayAgain.length;
    const rows = [...passed.values()].reduce((sum, rows) => sum + rows, done);
    options.onProgress?.({ phase: 'replay', threads, ofThreads, share: Math.min(1, rows / this.all) });
  }

  /** There are threads without events. */
  private rowsOf(tid: Tid): number {
    return 1 + this.passes * this.store.eventCount(tid);
  }
}

/** Memory that replay needs for each site. */
const SITE_FACTS_BYTES = 100;

/** `symbols`: those of the trace, and names for functions without a symbol. */
function setupOf(
  trace: Trace,
  options: ReplayTraceOptions,
  asked: ExtraQuestions,
): { readonly setup: ReplaySetup; readonly symbols: SymbolTable } {
  const { store } = trace;
  const probed = withProbes(trace);
  const { sites, symbols: known, calls } = withCalls(probed.sites, trace);
  const numbered = numberFunctions(sites, known);
  const mappings = store.threadMappings();
  const { ids, symbols: named } = nameFunctions(numbered, known, mappings);
  const { code, symbols: all } = withInlined(named, ids, sites, mappings, options.inlined ?? null);
  const symbols = options.sourceLines ? withSourceLines(all, ids, mappings, options.sourceLines) : all;
  const setup = {
    siteFacts: siteFacts(sites, symbols, ids, code),
    symbolRank: symbolRanks(symbols),
    edge: sites.edge,
    probes: probed.probes,
    systemCalls: calls,
    events: store.memory.shared(),
    options: {
      tailCalls: options.tailCalls ?? 'nest',
      fibers: options.fibers ?? 'root',
      scheduler: options.scheduler ?? 'hide',
      extendTo: options.extend === false ? null : store.bounds,
      mayBeUndecoded: store.undecoded.isIncomplete,
    },
    questions: questionsOf(trace, symbols, options, asked),
    span: null,
    knownPaths: null,
  };
  return { setup, symbols };
}

/** Returns the sites of a trace, with those that mending needs. */
function withProbes({ sites, symbols, hits }: Trace): {
  readonly sites: BranchSites;
  readonly probes: Probes | null;
} {
  if (hits === null) return { sites, probes: null };
  const found = probeSites(sites, symbols, hits);
  return { sites: found.sites, probes: { ...found.probes, hits } };
}

/** Returns sites and symbols of a trace, with those of system calls that have names. */
function withCalls(
  sites: BranchSites,
  { symbols, samples }: Trace,
): Pick<Trace, 'sites' | 'symbols'> & { calls: SystemCalls | null } {
  const calls = systemCalls(sites, samples);
  askForMemory((sites.length + (calls === null ? 0 : addedSites(calls))) * SITE_FACTS_BYTES);
  return calls === null ? { sites, symbols, calls } : { ...withSystemCalls(sites, symbols, calls), calls };
}

/** Returns memory for histograms of all calls; null if they are not requested, or if each thread histograms its own. */
function histogramsFor({ questions, siteFacts }: ReplaySetup): HistogramPool | null {
  if (questions.durations !== 'together' || needsCallLog(questions) || !sharesMemory()) return null;
  return HistogramPool.for(siteFacts.functions.ofSymbol.length);
}

function questionsOf(
  trace: Trace,
  symbols: SymbolTable,
  options: ReplayTraceOptions,
  asked: ExtraQuestions,
): Questions {
  const { latency, stacksAt } = asked;
  const filter = filterOf(options, symbols, trace);
  return {
    filter,
    durations: options.durations === true ? (options.trees ?? 'apart') : null,
    latency: latency ? latencyQuestion(latency, symbols, boundsInWindow(trace, filter?.window)) : null,
    stackAtNs: stacksAt ? stacksAtNs(stacksAt, trace) : null,
    timeline: timelineQuestion(options.timelineBytes ?? 0, filter, trace),
    longestCalls: options.longestCalls ? longestCallsQuestion(options.longestCalls, filter, trace) : null,
    callRows: options.callRows ? callRowsQuestion(options.callRows, symbols, filter, trace) : null,
    placedCalls: options.codeLines !== undefined && trace.account.timeless === 0,
    chunksOf: options.onChunks && filter === null && trace.account.timeless === 0 ? trace.store.bounds : null,
  };
}

/** Slices of all strips together. */
const STRIP_SLICES = 2 ** 18;
const MAX_STRIP_SLICES = 512;
const MIN_STRIP_SLICES = 32;
/** What the calls and times of an event take in a page. */
const EVENT_BYTES = 6;
/** What a thread takes in a page for each slice in which it runs, at least. */
const SLICE_BYTES = 64;
/** Sums of shorter slices are tried if threads may have run in few of them. */
const EVEN_SLICES = 512;

/**
 * Decides whether the timeline can be asked for, and how finely.
 *
 * Returns null if no bytes are allowed, if the trace has no times, or if only some calls are selected: sums of a range
 * would not be those of the selection.
 */
function timelineQuestion(maxBytes: number, filter: CallFilter | null, trace: Trace): TimelineQuestion | null {
  if (maxBytes <= 0 || trace.account.timeless > 0) return null;
  if (filter && (filter.inside.length > 0 || filter.root !== null || filter.foldsRecursion)) return null;
  const { bounds, tids } = trace.store;
  const { startNs, endNs } = boundsInWindow(trace, filter?.window);
  return {
    window: { startNs, endNs },
    stripSlices: stripSlices(tids.length),
    reached: reachedLevels(
      firstSumsLevel(trace.store, (endNs - startNs) / (bounds.endNs - bounds.startNs), maxBytes / 2),
    ),
    maxBytes,
  };
}

function stripSlices(threads: number): number {
  const perThread = 2 ** Math.floor(Math.log2(STRIP_SLICES / Math.max(1, threads)));
  return Math.min(MAX_STRIP_SLICES, Math.max(MIN_STRIP_SLICES, perThread));
}

/** `part`: of the time of the trace. */
function firstSumsLevel(store: Trace['store'], part: number, maxBytes: number): number {
  const events = store.tids.reduce((sum, tid) => sum + store.eventCount(tid), 0);
  if (events * part * EVENT_BYTES <= 2 * maxBytes) return LISTED;
  return levelWithSlices(Math.max(EVEN_SLICES, maxBytes / SLICE_BYTES / store.tids.length));
}

/** Decides whether calls can be listed one by one. */
interface LongestCallsOptions {
  /** Shorter calls are left out. Default: 0. */
  readonly minNs?: Nanoseconds;
  /** If there are more, the shortest are left out. Default: 500,000. */
  readonly maxCalls?: number;
}

const MAX_CALLS = 500_000;

/** @throws PtflameError TIMELESS or BAD_OPTION */
function longestCallsQuestion(
  { minNs = 0, maxCalls = MAX_CALLS }: LongestCallsOptions,
  filter: CallFilter | null,
  trace: Trace,
): EventsQuestion {
  return { window: listedWindow(filter, trace), minNs, maxCalls };
}

/** Returns the time of which calls are listed. @throws PtflameError TIMELESS or BAD_OPTION */
function listedWindow(filter: CallFilter | null, trace: Trace): Bounds {
  if (trace.account.timeless > 0) throw timeless();
  if (filter && (filter.inside.length > 0 || filter.root !== null || filter.foldsRecursion)) throw ofSomeCalls();
  return filter?.window ?? UNBOUNDED;
}

/** @throws PtflameError TIMELESS or BAD_OPTION */
function callRowsQuestion(
  { id, minNs, file, namesOf }: CallRowsOptions,
  symbols: SymbolTable,
  filter: CallFilter | null,
  trace: Trace,
): CallRowsQuestion {
  const originNs = BigInt(trace.originSeconds ?? 0) * 1_000_000_000n;
  return { id, minNs, file, originNs, names: namesOf(symbols), window: listedWindow(filter, trace) };
}

function timeless(): PtflameError {
  return new PtflameError('TIMELESS', 'the trace has no times, so calls cannot be shown over time', {
    hint: 'print times with perf script -F +time, or choose another format',
  });
}

function ofSomeCalls(): PtflameError {
  return new PtflameError('BAD_OPTION', 'calls over time are shown of whole threads', {
    hint: 'leave out --inside, --root and --fold-recursion; --window and --tid select less',
  });
}
