/**
 * Reads a trace, concludes from it who waited for whom, and finds the stacks of waiters and wakers.
 */
import type { LogAnswers } from '../../analysis/log/answer-thread.js';
import type { Spans, SpansQuestion } from '../../analysis/log/spans.js';
import type { LongestCalls } from '../../model/calls/call-events.js';
import type { Shape } from '../../model/calls/overlay.js';
import type { Profile } from '../../model/profile/profile.js';
import type { Timeline } from '../../model/profile/timeline.js';
import { endsOfSamples } from '../../model/sample-table.js';
import type { SymbolTable } from '../../model/symbol-table.js';
import { type Bounds, type Nanoseconds, NONE, type Tid, UNBOUNDED } from '../../model/units.js';
import type { AnalyzeOptions } from '../../pipeline/analyze.js';
import { AskableTrace } from '../../pipeline/ask-threads.js';
import type { TraceSource } from '../../pipeline/open-sources.js';
import type { AnalyzedInput } from '../../pipeline/read/read-trace.js';
import { nothingSelected } from '../../pipeline/read/refusals.js';
import { boundsOfTimes, type Trace } from '../../pipeline/read/trace.js';
import type { LineCalls } from '../../pipeline/replay/name-functions.js';
import type { AskedThreads } from '../../pipeline/replay/replay-setup.js';
import { windowBounds, withClock } from '../../pipeline/replay/selection.js';
import { type WithTraceOptions, type WorkResources, withTrace } from '../../pipeline/with-trace.js';
import type { Lifetime } from '../../trace/records/switch-log.js';
import type { ThreadSpan, WaitInput } from '../../waits/schedule.js';
import { type ShownWaits, waitsWithin } from '../../waits/summary/window.js';
import { type Waits, waitsOf } from '../../waits/waits.js';
import { nodesOfMoments, type OrderedMoments, orderMoments } from './moments.js';
import { ThreadDirectory } from './thread-directory.js';

/** The waits of all threads, in the trace's time. */
export interface TraceWaits {
  readonly trace: Trace;
  readonly waits: Waits;
  /** The selected time, in the trace's time. */
  readonly window: Bounds;
  /** What of the waits is in it. */
  readonly shown: ShownWaits;
  readonly threads: ThreadDirectory;
  /** null: the recording has no branches, so nothing is known of calls. */
  readonly calls: CallsOfWaits | null;
  readonly symbols: SymbolTable;
}

/** Calls of all threads, as they were asked for. */
export interface CallsOfTrace {
  readonly profile: Profile;
  /** null: not requested. */
  readonly timeline: Timeline | null;
  /** null: not requested. */
  readonly longestCalls: LongestCalls | null;
  /** null: not requested. */
  readonly lineCalls: readonly LineCalls[] | null;
  /** From the profile's time to the trace's. */
  readonly shiftNs: Nanoseconds;
  readonly symbols: SymbolTable;
  /** The call paths of all nodes. */
  readonly paths: Shape;
  /** Of the threads that were asked for calls. */
  readonly spans: ReadonlyMap<Tid, Spans>;
  /** For further questions. */
  readonly askable: AskableTrace;
}

/** The call paths of waiters and wakers. */
export interface CallsOfWaits extends CallsOfTrace {
  /** By wait: what the thread was in when it began, usually a stop; NONE: its calls were not traced. */
  readonly waiterNode: Int32Array;
  /** By wait: what the waker did when it woke the waiter; NONE likewise. */
  readonly wakerNode: Int32Array;
}

export interface WaitsOptions extends AnalyzeOptions, Pick<WithTraceOptions, 'openTraces'> {
  /** Further questions will follow to the threads with waits. Default: false. */
  readonly asksAgain?: boolean;
}

/** Which calls to list of all threads. */
export type CallsToList = (trace: AskableTrace) => SpansQuestion;

/**
 * Reads traces and hands their waits to a function, which may ask further questions for as long as it runs. `callsToList`:
 * asked in the same replay as the waits.
 */
export function withWaits<Result>(
  inputs: readonly (TraceSource | AnalyzedInput)[],
  options: WaitsOptions,
  work: (waits: TraceWaits) => Promise<Result>,
  callsToList: CallsToList | null = null,
): Promise<Result> {
  return withTrace(inputs, readOptions(options), async (trace, resources) =>
    work(await traceWaitsOf(trace, options, resources, callsToList)),
  );
}

/** How to read a trace for questions about waits. */
export function readOptions(options: WaitsOptions): WithTraceOptions {
  return { ...options, byCalls: false, isPart: options.window !== undefined, mayLackBranches: true };
}

/** The waits of a trace. */
export async function traceWaitsOf(
  read: Trace,
  options: WaitsOptions,
  resources: WorkResources,
  callsToList: CallsToList | null = null,
): Promise<TraceWaits> {
  const { trace, window, threads } = openTrace(read, options);
  const waits = waitsOf(waitInputOf(trace));
  const calls = trace.store.tids.length > 0 ? await callsOf(trace, waits, options, resources, callsToList) : null;
  const symbols = calls?.symbols ?? trace.symbols;
  return { trace, waits, window, shown: waitsWithin(waits, window), threads, calls, symbols };
}

/** Threads whose calls are shown: also those of which no switch is known. */
export function tracedTids({ trace, threads }: TraceWaits): Tid[] {
  return trace.store.tids.filter((tid) => threads.of(tid).isSelected);
}

/** A trace on its clock, and what of it is selected. @throws PtflameError NOTHING_SELECTED or BAD_OPTION */
export function openTrace(read: Trace, options: AnalyzeOptions): Pick<TraceWaits, 'trace' | 'window' | 'threads'> {
  const trace = withClock(read, [options.window?.from, options.window?.to]);
  const window = options.window ? windowBounds(options.window, trace) : UNBOUNDED;
  const threads = new ThreadDirectory(trace);
  if (threads.isSelectionEmpty) throw nothingSelected('ptflame waits --top 0');
  return { trace, window, threads };
}

async function callsOf(
  trace: Trace,
  waits: Waits,
  options: WaitsOptions,
  resources: WorkResources,
  callsToList: CallsToList | null,
): Promise<CallsOfWaits> {
  const askable = new AskableTrace(trace, options, resources);
  const moments = momentsOf(waits, trace);
  const asked = callsToList ? withSpans(moments.asked, trace.store.tids, callsToList(askable)) : moments.asked;
  const { calls, answers } = await replayed(askable, asked, options);
  return { ...calls, ...nodesOf(waits, moments, answers) };
}

/** Lists calls of all threads; about waits one may ask later. */
export async function callsOfTrace(
  trace: Trace,
  options: WaitsOptions,
  resources: WorkResources,
  callsToList: CallsToList,
): Promise<CallsOfTrace> {
  const askable = new AskableTrace(trace, options, resources);
  const asked = withSpans(new Map(), trace.store.tids, callsToList(askable));
  return (await replayed(askable, asked, { ...options, asksAgain: true })).calls;
}

/** Asks for the call paths of waiters and wakers after the replay. */
export async function pathsOfWaits(calls: CallsOfTrace, waits: Waits): Promise<CallsOfWaits> {
  const moments = momentsOf(waits, calls.askable.trace);
  const answers = await calls.askable.ask(moments.asked);
  return { ...calls, paths: answers.paths, spans: new Map(), ...nodesOf(waits, moments, answers) };
}

async function replayed(
  askable: AskableTrace,
  asked: AskedThreads,
  { asksAgain }: WaitsOptions,
): Promise<{ readonly calls: CallsOfTrace; readonly answers: LogAnswers }> {
  const { answers, ...result } = await askable.replay(asked, asksAgain);
  const calls = { ...result, symbols: askable.symbols, paths: answers.paths, askable, spans: spansOf(answers) };
  return { calls, answers };
}

function nodesOf({ length }: Waits, moments: OrderedMoments, answers: LogAnswers) {
  const nodes = nodesOfMoments(2 * length, moments, answers);
  return { waiterNode: nodes.subarray(0, length), wakerNode: nodes.subarray(length) };
}

function withSpans(asked: AskedThreads, tids: readonly Tid[], spans: SpansQuestion): AskedThreads {
  const nothing = { nodesAt: null, treesOver: null, spanTrees: null };
  return new Map(tids.map((tid) => [tid, { ...(asked.get(tid) ?? nothing), spans }]));
}

function spansOf({ threads }: LogAnswers): Map<Tid, Spans> {
  return new Map([...threads].flatMap(([tid, { spans }]) => (spans ? [[tid, spans] as const] : [])));
}

/** The beginning of each wait, then the moments at which waiters were woken. */
function momentsOf({ length, tid, outNs, waker, wakeNs }: Waits, { store }: Trace): OrderedMoments {
  const tids = new Int32Array(2 * length).fill(NONE);
  const times = new Float64Array(2 * length);
  tids.set(tid);
  times.set(outNs);
  tids.set(waker, length);
  times.set(wakeNs, length);
  const isTraced = new Set(store.tids);
  return orderMoments({ tid: tids, timeNs: times }, (each) => isTraced.has(each));
}

/** Extracts what waits are concluded from: switches, samples, and when threads existed. */
export function waitInputOf({ store, samples, account }: Trace): WaitInput {
  const switches = store.switches();
  const bounds = boundsOfTimes([store.bounds.startNs, store.bounds.endNs], switches.timeNs, endsOfSamples(samples));
  return { switches, samples, threads: threadSpans(store.lifetimes(), bounds), lost: account.samples.lostSpans };
}

/** A thread whose beginning or end was not recorded existed from the start, or until the end, of the recording. */
function threadSpans(lifetimes: ReadonlyMap<Tid, Lifetime>, bounds: Bounds): ThreadSpan[] {
  const threads = [...lifetimes].filter(([tid]) => tid >= 0);
  return threads.map(([tid, { forkNs, exitNs }]) => {
    const startNs = forkNs ?? bounds.startNs;
    return { tid, startNs, endNs: Math.max(startNs, exitNs ?? bounds.endNs) };
  });
}
