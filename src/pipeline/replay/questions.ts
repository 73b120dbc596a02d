/**
 * Resolves questions of users against a trace: names to functions, times to the trace's time.
 */
import type { Bounds, CallFilter, CallSelection, FunctionSet, LatencyQuestion } from '../../analysis/questions.js';
import { PtflameError } from '../../model/errors.js';
import { SymbolKind, type SymbolTable, UNKNOWN_NAME } from '../../model/names/symbol-table.js';
import { type PerfTime, perfTimeText } from '../../model/trace/perf-time.js';
import type { Nanoseconds } from '../../model/units.js';
import { formatBounds, formatDuration } from '../../render/format.js';
import { similarNames } from '../../render/similar-names.js';
import { nameMatcher } from '../../store/records/name-matcher.js';
import { type Trace, timeInTrace } from '../read/trace.js';
import { boundsOfTrace } from '../read/trace-bounds.js';

/** Functions by their exact name, or all that match an expression; this includes names in brackets such as `[syscall]`. */
export type FunctionPattern = string | RegExp;

/** On perf's clock, or relative to the start of the recording. */
export type Moment = PerfTime | { readonly afterStartNs: Nanoseconds };

/** Calls of functions; with bounds, only those whose duration is between them, inclusive. */
export interface CallPattern {
  readonly functions: FunctionPattern;
  readonly minNs?: Nanoseconds;
  readonly maxNs?: Nanoseconds;
}

/** The selected part of a trace: all conditions must hold. */
export interface FilterOptions {
  /** From the first moment up to, but not including, the second; null: unbounded. Calls that it cuts are inferred. */
  readonly window?: { readonly from: Moment | null; readonly to: Moment | null };
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
    window: window ? windowBounds(window, trace) : null,
    inside: inside.map((calls) => callSelection(calls, symbols)),
    root: root === undefined ? null : functionSet(root, symbols),
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

function callSelection({ functions, minNs, maxNs }: CallPattern, symbols: SymbolTable): CallSelection {
  const isBounded = minNs !== undefined || maxNs !== undefined;
  const durations = isBounded ? { minNs: minNs ?? 0, maxNs: maxNs ?? Number.POSITIVE_INFINITY } : null;
  return { functions: functionSet(functions, symbols), durations };
}

type NamesAndKinds = Pick<SymbolTable, 'name' | 'kind'>;

/**
 * An exact name selects the functions that have it; if there are none, those that have it without parameters and version:
 * `pthread_mutex_lock` selects `pthread_mutex_lock@@GLIBC_2.2.5`.
 *
 * @throws PtflameError NO_SUCH_FUNCTION or BAD_OPTION
 */
export function functionSet(pattern: FunctionPattern, symbols: NamesAndKinds): FunctionSet {
  const found = typeof pattern === 'string' ? named(pattern, symbols) : matching(pattern, symbols);
  if (found.includes(1)) return found;
  throw new PtflameError('NO_SUCH_FUNCTION', `the trace has ${missingText(pattern)}`, {
    hint: `${similarText(pattern, symbols)}ptflame report --match REGEX lists the functions of a trace`,
  });
}

/** `[unknown]`, as perf prints it, selects all functions without a symbol. */
function named(name: string, { name: names, kind }: NamesAndKinds): FunctionSet {
  if (name === UNKNOWN_NAME) return Uint8Array.from(kind, (own) => (own === SymbolKind.Unknown ? 1 : 0));
  const exact = Uint8Array.from(names, (own) => (own === name ? 1 : 0));
  return exact.includes(1) ? exact : Uint8Array.from(names, (own) => (bareName(own) === name ? 1 : 0));
}

function matching(pattern: RegExp, { name }: NamesAndKinds): FunctionSet {
  const isFound = nameMatcher(pattern, name);
  return Uint8Array.from(name, (own) => (isFound(own) ? 1 : 0));
}

/** The name without parameters and version. */
function bareName(name: string): string {
  const at = name.search(/(?<!operator)\(|@/);
  return at > 0 ? name.slice(0, at) : name;
}

function missingText(pattern: FunctionPattern): string {
  return typeof pattern === 'string'
    ? `no function called ${pattern}`
    : `no function that matches ${patternText(pattern)}`;
}

/** Returns "did you mean A, B? " or an empty text. */
function similarText(pattern: FunctionPattern, { name }: NamesAndKinds): string {
  const similar = typeof pattern === 'string' ? similarNames(pattern, name.map(bareName)) : [];
  return similar.length === 0 ? '' : `did you mean ${similar.join(', ')}? `;
}

/** Returns the bounds of a window in the trace's time. @throws PtflameError BAD_OPTION */
export function windowBounds({ from, to }: NonNullable<FilterOptions['window']>, trace: Trace): Bounds {
  const startNs = from === null ? Number.NEGATIVE_INFINITY : momentNs(from, trace);
  const endNs = to === null ? Number.POSITIVE_INFINITY : momentNs(to, trace);
  if (startNs < endNs) return { startNs, endNs };
  throw new PtflameError('BAD_OPTION', 'the window is empty: it ends before it begins', {
    hint: 'put the earlier time first: --window FROM,TO',
  });
}

/**
 * Returns the time at which to take stacks: it must be within the recording.
 *
 * @throws PtflameError NOTHING_SELECTED
 */
export function stacksAtNs(moment: Moment, trace: Trace): Nanoseconds {
  const { startNs, endNs } = trace.store.bounds;
  const atNs = momentNs(moment, trace);
  if (atNs >= startNs && atNs <= endNs) return atNs;
  const isBefore = atNs < startNs;
  const away = formatDuration(isBefore ? startNs - atNs : atNs - endNs);
  const where = isBefore ? `${away} before the recording begins` : `${away} after the recording ends`;
  throw new PtflameError('NOTHING_SELECTED', `${momentText(moment, '')} is ${where}`, {
    hint: `it lasts ${formatDuration(endNs - startNs)}: pass a time on perf's clock, or one relative to its start: +10ms`,
  });
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

/** Describes the selection in words; null: all of the time. */
export function partText({ window, inside = [], root }: FilterOptions): string | null {
  const texts = [
    ...(root === undefined ? [] : [`inside ${patternText(root)}`]),
    ...inside.map((calls) => `inside ${callsText(calls)}`),
    ...(window ? [`from ${momentText(window.from, 'the start')} to ${momentText(window.to, 'the end')}`] : []),
  ];
  return texts.length === 0 ? null : texts.join(', ');
}

function patternText(pattern: FunctionPattern): string {
  return typeof pattern === 'string' ? pattern : `/${pattern.source}/`;
}

function callsText({ functions, ...bounds }: CallPattern): string {
  const durations = formatBounds(bounds);
  return patternText(functions) + (durations === '' ? '' : ` (calls of ${durations})`);
}

function momentText(moment: Moment | null, otherwise: string): string {
  if (moment === null) return otherwise;
  return 'afterStartNs' in moment ? `+${formatDuration(moment.afterStartNs)}` : perfTimeText(moment);
}
