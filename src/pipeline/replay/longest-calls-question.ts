/**
 * Decides whether calls can be listed one by one.
 */
import type { EventsQuestion } from '../../analysis/call-events/question.js';
import { type CallFilter, UNBOUNDED } from '../../analysis/questions.js';
import { PtflameError } from '../../model/errors.js';
import type { Nanoseconds } from '../../model/units.js';
import type { Trace } from '../read/trace.js';

export interface LongestCallsOptions {
  /** Shorter calls are left out. Default: 0. */
  readonly minNs?: Nanoseconds;
  /** If there are more, the shortest are left out. Default: 500,000. */
  readonly maxCalls?: number;
}

const MAX_CALLS = 500_000;

/** @throws PtflameError TIMELESS or BAD_OPTION */
export function longestCallsQuestion(
  { minNs = 0, maxCalls = MAX_CALLS }: LongestCallsOptions,
  filter: CallFilter | null,
  trace: Trace,
): EventsQuestion {
  if (trace.account.timeless > 0) throw timeless();
  if (filter && (filter.inside.length > 0 || filter.root !== null || filter.foldsRecursion)) throw ofSomeCalls();
  return { window: filter?.window ?? UNBOUNDED, minNs, maxCalls };
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
