/**
 * Decides whether calls can be listed one by one.
 */
import type { EventsQuestion } from '../../../analysis/question.js';
import { type Bounds, type CallFilter, UNBOUNDED } from '../../../analysis/questions.js';
import { PtflameError } from '../../../model/errors.js';
import type { SymbolTable } from '../../../model/names/symbol-table.js';
import type { Nanoseconds } from '../../../model/units.js';
import { sharedNames } from '../../../parquet/hashes.js';
import type { Trace } from '../../read/trace.js';
import type { CallRowsQuestion } from '../thread-call-rows.js';

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
  return { window: listedWindow(filter, trace), minNs, maxCalls };
}

/** Returns the time of which calls are listed. @throws PtflameError TIMELESS or BAD_OPTION */
function listedWindow(filter: CallFilter | null, trace: Trace): Bounds {
  if (trace.account.timeless > 0) throw timeless();
  if (filter && (filter.inside.length > 0 || filter.root !== null || filter.foldsRecursion)) throw ofSomeCalls();
  return filter?.window ?? UNBOUNDED;
}

/** @throws PtflameError TIMELESS or BAD_OPTION */
export function callRowsQuestion(
  { id, minNs, file }: Pick<CallRowsQuestion, 'id' | 'minNs' | 'file'>,
  symbols: SymbolTable,
  filter: CallFilter | null,
  trace: Trace,
): CallRowsQuestion {
  const originNs = BigInt(trace.originSeconds ?? 0) * 1_000_000_000n;
  return { id, minNs, file, originNs, names: sharedNames(symbols), window: listedWindow(filter, trace) };
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
