/**
 * The part of a trace that users select, and the calls whose latency they ask for.
 */

import type { CallFilter, CallSelection, LatencyQuestion } from '../../analysis/questions.js';
import { PtflameError } from '../../model/errors.js';
import type { SymbolTable } from '../../model/symbol-table.js';
import { type PerfTime, perfTimeText } from '../../model/trace/perf-time.js';
import type { Bounds, Nanoseconds } from '../../model/units.js';
import { formatBounds, formatDuration } from '../../render/format.js';
import { boundsOfTrace, type Trace, timeInTrace } from '../read/trace.js';
import { type FunctionPattern, findFunctions, patternText } from './find-functions.js';

/** Calls of functions; with bounds, only those whose duration is between them, inclusive. */
export interface CallPattern {
  readonly functions: FunctionPattern;
  readonly minNs?: Nanoseconds;
  readonly maxNs?: Nanoseconds;
}

/** The selected part of a trace: all conditions must hold. */
export interface FilterOptions {
  /** Calls that it cuts are inferred. */
  readonly window?: WindowOption;
  /** Only what happens inside all of these calls. */
  readonly inside?: readonly CallPattern[];
  /** Only what happens inside these functions, which become the roots. */
  readonly root?: FunctionPattern;
  /** Counts direct recursion of a function as one call. */
  readonly foldRecursion?: boolean;
}

export interface LatencyOptions extends CallPattern {
  /** How many of the longest calls to list individually. Default: none. */
  readonly slowest?: number;
  /** Records when each call was. Default: false. */
  readonly overTime?: boolean;
}

/** More conditions, `root` included, do not fit into the bits of a number (`Insides`). */
const MAX_INSIDE_CONDITIONS = 30;

/**
 * Returns null if all of the trace is selected.
 *
 * @throws PtflameError NO_SUCH_FUNCTION or BAD_OPTION
 */
export function filterOf(options: FilterOptions, symbols: SymbolTable, trace: Trace): CallFilter | null {
  const { window, inside = [], root, foldRecursion = false } = options;
  if (!window && inside.length === 0 && root === undefined && !foldRecursion) return null;
  if (inside.length > MAX_INSIDE_CONDITIONS) throw tooManyConditions();
  return {
    window: window ? windowOfCalls(window, trace) : null,
    inside: inside.map((calls) => callSelection(calls, symbols)),
    root: root === undefined ? null : findFunctions(root, symbols),
    foldsRecursion: foldRecursion,
  };
}

function tooManyConditions(): PtflameError {
  return new PtflameError('BAD_OPTION', `more than ${MAX_INSIDE_CONDITIONS} conditions on enclosing calls`, {
    hint: 'match several functions with one expression',
  });
}

/** `bounds`: of the selected time. */
export function latencyQuestion(options: LatencyOptions, symbols: SymbolTable, bounds: Bounds): LatencyQuestion {
  const { slowest = 0, overTime = false } = options;
  return { calls: callSelection(options, symbols), slowest, overTime: overTime ? bounds : null };
}

function callSelection({ functions, ...bounds }: CallPattern, symbols: SymbolTable): CallSelection {
  return { functions: findFunctions(functions, symbols), durations: boundsOf(bounds) };
}

/** Returns null for calls of any duration. */
export function boundsOf({ minNs, maxNs }: Pick<CallPattern, 'minNs' | 'maxNs'>): CallSelection['durations'] {
  const isBounded = minNs !== undefined || maxNs !== undefined;
  return isBounded ? { minNs: minNs ?? 0, maxNs: maxNs ?? Number.POSITIVE_INFINITY } : null;
}

/** Describes the selection in words; null: all of the time. */
export function partText({ window, inside = [], root }: FilterOptions): string | null {
  const texts = [
    ...(root === undefined ? [] : [`inside ${patternText(root)}`]),
    ...inside.map((calls) => `inside ${callsText(calls)}`),
    ...(window ? [`from ${momentText(window.from, 'the start')} to ${momentText(window.to, 'the end')}`] : []),
  ];
  return texts.length === 0 ? null : texts.join(', ');
}

function callsText({ functions, ...bounds }: CallPattern): string {
  const durations = formatBounds(bounds);
  return patternText(functions) + (durations === '' ? '' : ` (calls of ${durations})`);
}

// Turns moments that users name into times of a trace.

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
function windowOfCalls(window: WindowOption, trace: Trace): Bounds {
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
function momentText(moment: Moment | null, otherwise: string): string {
  if (moment === null) return otherwise;
  return 'afterStartNs' in moment ? `+${formatDuration(moment.afterStartNs)}` : perfTimeText(moment);
}
