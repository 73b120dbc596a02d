/**
 * Turns moments that users name into times of a trace.
 */

import { PtflameError } from '../../../model/errors.js';
import { type PerfTime, perfTimeText } from '../../../model/trace/perf-time.js';
import type { Bounds, Nanoseconds } from '../../../model/units.js';
import { formatDuration } from '../../../render/format.js';
import { type Trace, timeInTrace } from '../../read/trace.js';
import { boundsOfTrace } from '../../read/trace-bounds.js';

/** On perf's clock, or relative to the start of the recording. */
export type Moment = PerfTime | { readonly afterStartNs: Nanoseconds };

/** From the first moment up to, but not including, the second; null: unbounded. */
export interface WindowOption {
  readonly from: Moment | null;
  readonly to: Moment | null;
}

/** Returns the bounds of a window in the trace's time. @throws PtflameError BAD_OPTION */
export function windowBounds({ from, to }: WindowOption, trace: Trace): Bounds {
  const startNs = from === null ? Number.NEGATIVE_INFINITY : momentNs(from, trace);
  const endNs = to === null ? Number.POSITIVE_INFINITY : momentNs(to, trace);
  if (startNs < endNs) return { startNs, endNs };
  throw new PtflameError('BAD_OPTION', 'the window is empty: it ends before it begins', {
    hint: 'put the earlier time first: --window FROM,TO',
  });
}

/** As `windowBounds`, for calls. @throws PtflameError also NOTHING_SELECTED if the window misses the recording */
export function windowOfCalls(window: WindowOption, trace: Trace): Bounds {
  const bounds = windowBounds(window, trace);
  const example = (at: string, to: string) => `--window +${at},+${to}`;
  if (window.from !== null) refuseOutside('the window begins', bounds.startNs, trace, example, 'after');
  if (window.to !== null) refuseOutside('the window ends', bounds.endNs, trace, example, 'before');
  return bounds;
}

/**
 * Returns the time at which to take stacks: it must be within the recording.
 *
 * @throws PtflameError NOTHING_SELECTED
 */
export function stacksAtNs(moment: Moment, trace: Trace): Nanoseconds {
  const atNs = momentNs(moment, trace);
  refuseOutside(`${momentText(moment, '')} is`, atNs, trace, (at) => `+${at}`);
  return atNs;
}

/** Writes what may be asked instead, of two durations after the start. */
type Example = (at: string, to: string) => string;

/** `what`: "the window begins". `side`: the only one that is refused; default: both. */
function refuseOutside(
  what: string,
  atNs: Nanoseconds,
  { store }: Trace,
  example: Example,
  side?: 'before' | 'after',
): void {
  const { startNs, endNs } = store.bounds;
  if (atNs < startNs && side !== 'after')
    throw outside(`${what} ${formatDuration(startNs - atNs)} before the recording begins`, endNs - startNs, example);
  if (atNs > endNs && side !== 'before')
    throw outside(`${what} ${formatDuration(atNs - endNs)} after the recording ends`, endNs - startNs, example);
}

function outside(message: string, durationNs: Nanoseconds, example: Example): PtflameError {
  return new PtflameError('NOTHING_SELECTED', message, {
    hint: `it lasts ${formatDuration(durationNs)}: pass a time in it, such as ${example(word(durationNs / 4), word(durationNs / 2))} from its start`,
  });
}

/** "350us": a duration as options take it, in whole units. */
function word(ns: Nanoseconds): string {
  const [unit, size] = (
    [
      ['s', 1e9],
      ['ms', 1e6],
      ['us', 1e3],
    ] as const
  ).find(([, size]) => ns >= 10 * size) ?? ['ns', 1];
  return `${Math.floor(ns / size)}${unit}`;
}

/** A trace without times has no clock: the first second in a question becomes its origin. */
export function withClock(trace: Trace, moments: readonly (Moment | null | undefined)[]): Trace {
  if (trace.originSeconds !== null) return trace;
  const first = moments.find((moment) => moment != null && !('afterStartNs' in moment)) as PerfTime | undefined;
  return { ...trace, originSeconds: first?.seconds ?? null };
}

function momentNs(moment: Moment, trace: Trace): Nanoseconds {
  return 'afterStartNs' in moment ? boundsOfTrace(trace).startNs + moment.afterStartNs : timeInTrace(trace, moment);
}

/** `otherwise`: if there is no moment. */
export function momentText(moment: Moment | null, otherwise: string): string {
  if (moment === null) return otherwise;
  return 'afterStartNs' in moment ? `+${formatDuration(moment.afterStartNs)}` : perfTimeText(moment);
}
