/**
 * The part of a trace that users select, and the calls whose latency they ask for.
 */

import type { CallFilter, CallSelection, LatencyQuestion } from '../../../analysis/questions.js';
import { PtflameError } from '../../../model/errors.js';
import type { SymbolTable } from '../../../model/symbol-table.js';
import type { Bounds, Nanoseconds } from '../../../model/units.js';
import { formatBounds } from '../../../render/format.js';
import type { Trace } from '../../read/trace.js';
import { type FunctionPattern, findFunctions, patternText } from './find-functions.js';
import { momentText, type WindowOption, windowOfCalls } from './moments.js';

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
