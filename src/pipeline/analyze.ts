/**
 * Inputs in, a profile out, and the answers to what was asked beside it.
 */
import type { CallsAnswer } from '../analysis/calls/calls-answer.js';
import type { FunctionSet } from '../analysis/questions.js';
import { assert } from '../model/errors.js';
import type { Profile } from '../model/profile/profile.js';
import type { Nanoseconds } from '../model/units.js';
import type { ReplayResult, ThreadStack } from './profile/profile-builder.js';
import type { Progress } from './progress.js';
import type { AnalyzedInput } from './read/read-trace.js';
import type { ReadOptions } from './read/trace-builder.js';
import type { LatencyOptions, Moment } from './replay/questions.js';
import { type ExtraQuestions, type ReplayTraceOptions, replayTrace } from './replay-trace.js';
import { withTrace } from './with-trace.js';
import type { ResourceOptions } from './workers/resources.js';

export interface AnalyzeOptions extends Pick<ReadOptions, 'select'>, ResourceOptions, ReplayTraceOptions {
  /** Takes a trace without times: frames weigh their calls. Default: false, such a trace is refused. */
  readonly byCalls?: boolean;
  /** Told how far the work is, at each piece of input and each thread. */
  readonly onProgress?: (progress: Progress) => void;
}

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

function ask(inputs: readonly AnalyzedInput[], options: AnalyzeOptions, asked: ExtraQuestions): Promise<ReplayResult> {
  const withOptions = { ...options, byCalls: options.byCalls ?? false };
  return withTrace(inputs, withOptions, (trace, resources) => replayTrace(trace, options, asked, resources));
}
