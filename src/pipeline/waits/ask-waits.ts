/**
 * Reads a trace, concludes from it who waited for whom, and finds the stacks of waiters and wakers.
 */
import type { LogAnswers } from '../../analysis/log/join-answers.js';
import type { Spans, SpansQuestion } from '../../analysis/log/spans.js';
import type { Shape } from '../../model/calls/overlay.js';
import type { SymbolTable } from '../../model/names/symbol-table.js';
import type { Profile } from '../../model/profile/profile.js';
import type { Timeline } from '../../model/timeline/timeline.js';
import { type Nanoseconds, NONE, type Tid } from '../../model/units.js';
import { ALL_TIME, type ShownWaits, type TimeWindow, waitsWithin } from '../../waits/summary/window.js';
import { type Waits, waitsOf } from '../../waits/waits.js';
import type { AnalyzeOptions } from '../analyze.js';
import { AskableTrace } from '../ask-threads.js';
import type { AnalyzedInput } from '../read/read-trace.js';
import { nothingSelected } from '../read/refusals.js';
import type { Trace } from '../read/trace.js';
import { windowBounds, withClock } from '../replay/questions.js';
import type { AskedThreads } from '../replay/replay-thread.js';
import { type WithTraceOptions, type WorkResources, withTrace } from '../with-trace.js';
import { type Moments, nodesOfMoments, orderMoments } from './moments.js';
import { ThreadDirectory } from './thread-directory.js';
import { waitInputOf } from './wait-input.js';

/** The waits of all threads, in the trace's time. */
export interface TraceWaits {
  readonly trace: Trace;
  readonly waits: Waits;
  /** The selected time, in the trace's time. */
  readonly window: TimeWindow;
  /** What of the waits is in it. */
  readonly shown: ShownWaits;
  readonly threads: ThreadDirectory;
  /** null: the recording has no branches, so nothing is known of calls. */
  readonly calls: CallsOfWaits | null;
}

/** The call paths of waiters and wakers. */
export interface CallsOfWaits {
  readonly profile: Profile;
  /** null: not requested. */
  readonly timeline: Timeline | null;
  /** From the profile's time to the trace's. */
  readonly shiftNs: Nanoseconds;
  readonly symbols: SymbolTable;
  /** The call paths of the nodes below. */
  readonly paths: Shape;
  /** By wait: what the thread was in when it began, usually a stop; NONE: its calls were not traced. */
  readonly waiterNode: Int32Array;
  /** By wait: what the waker did when it woke the waiter; NONE likewise. */
  readonly wakerNode: Int32Array;
  /** Of the threads that were asked for calls. */
  readonly spans: ReadonlyMap<Tid, Spans>;
  /** For further questions. */
  readonly askable: AskableTrace;
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
  inputs: readonly AnalyzedInput[],
  options: WaitsOptions,
  work: (waits: TraceWaits) => Promise<Result>,
  callsToList: CallsToList | null = null,
): Promise<Result> {
  const withOptions = { ...options, byCalls: false, isPart: options.window !== undefined, mayLackBranches: true };
  return withTrace(inputs, withOptions, async (trace, resources) =>
    work(await traceWaitsOf(trace, options, resources, callsToList)),
  );
}

/** The waits of a trace. */
export async function traceWaitsOf(
  read: Trace,
  options: WaitsOptions,
  resources: WorkResources,
  callsToList: CallsToList | null = null,
): Promise<TraceWaits> {
  const trace = withClock(read, [options.window?.from, options.window?.to]);
  const window = options.window ? windowBounds(options.window, trace) : ALL_TIME;
  const threads = new ThreadDirectory(trace);
  if (threads.isSelectionEmpty) throw nothingSelected('ptflame waits --top 0');
  const waits = waitsOf(waitInputOf(trace));
  const calls = trace.store.tids.length > 0 ? await callsOf(trace, waits, options, resources, callsToList) : null;
  return { trace, waits, window, shown: waitsWithin(waits, window), threads, calls };
}

async function callsOf(
  trace: Trace,
  waits: Waits,
  options: WaitsOptions,
  resources: WorkResources,
  callsToList: CallsToList | null,
): Promise<CallsOfWaits> {
  const askable = new AskableTrace(trace, options, resources);
  const tids = new Set<Tid>(trace.store.tids);
  const moments = orderMoments(momentsOf(waits), (tid) => tids.has(tid));
  const asked = callsToList ? withSpans(moments.asked, trace.store.tids, callsToList(askable)) : moments.asked;
  const { profile, timeline, answers, shiftNs } = await askable.replay(asked, options.asksAgain);
  const nodes = nodesOfMoments(2 * waits.length, moments, answers);
  return {
    ...{ profile, timeline, shiftNs, symbols: askable.symbols, paths: answers.paths, askable, spans: spansOf(answers) },
    waiterNode: nodes.subarray(0, waits.length),
    wakerNode: nodes.subarray(waits.length),
  };
}

function withSpans(asked: AskedThreads, tids: readonly Tid[], spans: SpansQuestion): AskedThreads {
  const nothing = { nodesAt: null, treesOver: null, spanTrees: null };
  return new Map(tids.map((tid) => [tid, { ...(asked.get(tid) ?? nothing), spans }]));
}

function spansOf({ threads }: LogAnswers): Map<Tid, Spans> {
  return new Map([...threads].flatMap(([tid, { spans }]) => (spans ? [[tid, spans] as const] : [])));
}

/** The beginning of each wait, then the moments at which waiters were woken. */
function momentsOf({ length, tid, outNs, waker, wakeNs }: Waits): Moments {
  const tids = new Int32Array(2 * length).fill(NONE);
  const times = new Float64Array(2 * length);
  tids.set(tid);
  times.set(outNs);
  tids.set(waker, length);
  times.set(wakeNs, length);
  return { tid: tids, timeNs: times };
}
