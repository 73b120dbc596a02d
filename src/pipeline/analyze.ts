/**
 * Analyzes inputs: reads and replays them, and returns the profile and the answers to further questions.
 */
import type { CallsAnswer } from '../analysis/calls/calls-answer.js';
import { KernelWorkIndex } from '../analysis/kernel-work.js';
import { type FunctionSet, isInSet } from '../analysis/questions.js';
import { interruptible } from '../host/turns.js';
import { assert } from '../model/errors.js';
import type { Profile } from '../model/profile/profile.js';
import { type Nanoseconds, UNBOUNDED } from '../model/units.js';
import type { OpenSourcesOptions, TraceSource } from './open-sources.js';
import type { ReplayResult, ThreadStack } from './profile/profile-builder.js';
import type { AnalyzedInput } from './read/read-trace.js';
import type { Trace } from './read/trace.js';
import type { Progress, ReadOptions } from './read/trace-builder.js';
import { CallValues } from './replay/call-values.js';
import { type AskedThreads, NOTHING_ASKED } from './replay/replay-setup.js';
import type { LatencyOptions, Moment } from './replay/selection.js';
import {
  type ExtraQuestions,
  type FinishedReplay,
  type PreparedReplay,
  prepareReplay,
  type ReplayTraceOptions,
  replayPrepared,
  replayTrace,
} from './replay-trace.js';
import { withTrace } from './with-trace.js';
import type { ResourceOptions } from './workers/resources.js';

export interface AnalyzeOptions
  extends Pick<ReadOptions, 'select'>,
    ResourceOptions,
    OpenSourcesOptions,
    ReplayTraceOptions {
  /** Accepts a trace without times: frames are weighted by calls. Default: false, such a trace is refused. */
  readonly byCalls?: boolean;
  /** Called after each piece of input and each replayed thread. */
  readonly onProgress?: (progress: Progress) => void;
}

/**
 * Replays a trace, of opened inputs or of files: recordings, packs, imported traces or text, also compressed. The result depends neither on the order of the inputs, nor on where they are split, nor on the number of workers.
 *
 * @throws PtflameError NO_BRANCHES, TIMELESS, NO_PROCESS_IDS, NO_THREAD_NAMES, NOTHING_SELECTED or TEMPORARY_FILE; and
 *   the reason of `signal`. An input that breaks off is not an error if a branch was read: see `Quality.brokenInputs`.
 */
export async function analyze(
  inputs: readonly (TraceSource | AnalyzedInput)[],
  options: AnalyzeOptions = {},
): Promise<Profile> {
  return (await ask(inputs, options, {})).profile;
}

/** Returns the profile of `analyze`, and the timeline if it is asked for. */
export async function analyzeOverTime(
  inputs: readonly (TraceSource | AnalyzedInput)[],
  options: AnalyzeOptions,
): Promise<Pick<FinishedReplay, 'profile' | 'timeline'>> {
  return ask(inputs, options, {});
}

/** The profile of `analyze`, and the calls of some functions. */
export interface LatencyResult {
  readonly profile: Profile;
  readonly calls: CallsAnswer;
  /** The functions that matched. */
  readonly functions: FunctionSet;
}

/**
 * Measures how long calls of some functions took, and what they did in that time. With `durations`, the profile has the
 * durations of these functions only.
 *
 * @throws PtflameError as `analyze`, and NO_SUCH_FUNCTION
 */
export async function askLatency(
  inputs: readonly (TraceSource | AnalyzedInput)[],
  latency: LatencyOptions,
  options: AnalyzeOptions = {},
): Promise<LatencyResult> {
  const withOptions = { ...options, byCalls: options.byCalls ?? false, isPart: options.window !== undefined };
  return withTrace(inputs, withOptions, async (trace, resources) => {
    const kernel = KernelWorkIndex.of(trace.samples, trace.store.switches());
    const prepared = prepareReplay(trace, options, { latency });
    const asked = kernel === null ? NOTHING_ASKED : allSpans(prepared);
    const replayed = await replayPrepared(prepared, options, resources, asked);
    const { profile, calls, functions } = replayed;
    assert(calls !== null && functions !== null, 'the calls were not counted');
    const measured = kernel === null ? calls : withKernelWork(calls, kernel, replayed);
    const counted = await withCounts(measured, trace, functions, replayed);
    return { profile, calls: withValues(counted, CallValues.of(trace.samples), replayed), functions };
  });
}

/** Asks all threads when the calls were whose latency is asked. */
function allSpans({ trace, setup: { questions } }: PreparedReplay): AskedThreads {
  const { latency, filter } = questions;
  if (latency === null) return NOTHING_ASKED;
  const spans = { calls: latency.calls, window: filter?.window ?? UNBOUNDED };
  return new Map(trace.store.tids.map((tid) => [tid, { nodesAt: null, treesOver: null, spanTrees: null, spans }]));
}

function withKernelWork(
  calls: CallsAnswer,
  kernel: KernelWorkIndex,
  { answers, shiftNs }: FinishedReplay,
): CallsAnswer {
  const spans = new Map([...answers.threads].flatMap(([tid, own]) => (own.spans ? [[tid, own.spans] as const] : [])));
  const slowest = calls.slowest.map((call) => {
    const startNs = call.startNs + shiftNs;
    return { ...call, work: kernel.within(call.tid, startNs, startNs + call.durationNs) };
  });
  return { ...calls, slowest, work: kernel.inCalls(spans) };
}

/** Counts what the CPU did in the slowest calls, and in the sample. */
async function withCounts(
  calls: CallsAnswer,
  { decoded, symbols }: Trace,
  functions: FunctionSet,
  { shiftNs }: FinishedReplay,
): Promise<CallsAnswer> {
  if (decoded.length === 0 || calls.slowest.length === 0) return calls;
  const { countCalls } = await import('./decode/count-calls.js'); // the decoder takes a while to load
  const names = new Set(symbols.name.filter((_, symbol) => isInSet(functions, symbol)));
  const { slowest, sample } = calls;
  const timed = [...slowest, ...sample].map(({ tid, startNs, durationNs }) => {
    return { tid, startNs: startNs + shiftNs, endNs: startNs + shiftNs + durationNs };
  });
  return interruptible(() => {
    const counts = countCalls(decoded, timed, (name) => names.has(name));
    return {
      ...calls,
      slowest: slowest.map((call, row) => (counts[row] ? { ...call, counts: counts[row] } : call)),
      sample: sample.map((call, row) => ({ ...call, counts: counts[slowest.length + row] ?? null })),
    };
  });
}

/** The profile of `analyze`, and the stack of each thread at one moment. */
export interface StacksResult {
  readonly profile: Profile;
  /** The moment, in the profile's time. */
  readonly atNs: Nanoseconds;
  readonly stacks: readonly ThreadStack[];
}

/** Returns the stacks of all threads at one moment. */
export async function askStacks(
  inputs: readonly (TraceSource | AnalyzedInput)[],
  stacksAt: Moment,
  options: AnalyzeOptions = {},
): Promise<StacksResult> {
  const { profile, stacks, atNs } = await ask(inputs, options, { stacksAt });
  return { profile, atNs, stacks };
}

function withValues(calls: CallsAnswer, found: CallValues | null, { shiftNs }: FinishedReplay): CallsAnswer {
  if (found === null) return calls;
  const slowest = calls.slowest.map((call) => {
    const startNs = call.startNs + shiftNs;
    const values = found.valuesOf(call.tid, startNs, startNs + call.durationNs);
    return values.length === 0 ? call : { ...call, values };
  });
  return { ...calls, slowest };
}

function ask(
  inputs: readonly (TraceSource | AnalyzedInput)[],
  options: AnalyzeOptions,
  asked: ExtraQuestions,
): Promise<ReplayResult> {
  const withOptions = { ...options, byCalls: options.byCalls ?? false, isPart: options.window !== undefined };
  return withTrace(inputs, withOptions, (trace, resources) => replayTrace(trace, options, asked, resources));
}
