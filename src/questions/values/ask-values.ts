/**
 * Answers `ptflame values`: which values a field of an event had, in which threads and functions.
 */

import {
  type Exact,
  type FieldValues,
  fieldValues,
  type ValueStats,
  valueHistogram,
  valueStats,
} from '../../analysis/values.js';
import { PtflameError } from '../../model/errors.js';
import { groupBy } from '../../model/groups.js';
import { eachPercentileTitle } from '../../model/percentiles.js';
import type { Profile } from '../../model/profile/profile.js';
import { KERNEL_STACKS, lacksKernelNames, type SampleField, type SampleTable } from '../../model/sample-table.js';
import type { SymbolTable } from '../../model/symbol-table.js';
import type { Bounds } from '../../model/units.js';
import { NONE, type SymbolId, UNBOUNDED } from '../../model/units.js';
import type { AnalyzeOptions } from '../../pipeline/analyze.js';
import { AskableTrace } from '../../pipeline/ask-threads.js';
import type { TraceSource } from '../../pipeline/open-sources.js';
import type { AnalyzedInput } from '../../pipeline/read/read-trace.js';
import { noTrace, nothingSelected } from '../../pipeline/read/refusals.js';
import type { ReadAccount, Trace } from '../../pipeline/read/trace.js';
import { argumentsOf, eventsText, type FunctionPattern, findEvent } from '../../pipeline/replay/find-functions.js';
import { type CallPattern, windowBounds, withClock } from '../../pipeline/replay/selection.js';
import { type WorkResources, withTrace } from '../../pipeline/with-trace.js';
import { clockText, type Found, headOf, originOf, qualityOf, rounded } from '../common.js';
import { FORMATS_REMEDY } from '../waits/missing.js';
import { nodesOfMoments, orderMoments } from '../waits/moments.js';
import { type Places, placesOf } from '../waits/places.js';
import { type AskedInside, callsAsked, insideCalls, momentsInside } from '../waits/spans-of-calls.js';
import { ThreadDirectory } from '../waits/thread-directory.js';
import { waitPlace } from '../waits/wait-names.js';
import type { ValueStatistics, ValuesAnswer } from './schema.js';

export interface ValuesQuestion {
  /** An event and one of its fields, as in `queue_push:job` or `sched:sched_switch:prev_state`. */
  readonly field: string;
  /** The size of the ranges of the histogram. Default: powers of two. */
  readonly step?: number;
  /** Also by function; this needs calls. Default: false. */
  readonly byFunction?: boolean;
  /** Only samples inside these calls, their begin and end included. */
  readonly inside?: CallPattern | FunctionPattern;
}

export type ValuesResult = Found<ValuesAnswer>;

/** @throws PtflameError as `analyze`, but recordings may lack Intel PT; NOT_RECORDED and BAD_OPTION for the field */
export function askValues(
  inputs: readonly (TraceSource | AnalyzedInput)[],
  question: ValuesQuestion,
  options: AnalyzeOptions = {},
): Promise<ValuesResult> {
  const withOptions = { ...options, byCalls: false, isPart: options.window !== undefined, mayLackBranches: true };
  return withTrace(inputs, withOptions, (read, resources) => {
    const trace = withClock(read, [options.window?.from, options.window?.to]);
    return valuesOf(trace, question, options, resources);
  });
}

async function valuesOf(
  trace: Trace,
  { field: name, step, byFunction = false, inside }: ValuesQuestion,
  options: AnalyzeOptions,
  resources: WorkResources,
): Promise<ValuesResult> {
  const { table, field } = eventField(name, trace.samples);
  const values = fieldValues(field);
  const directory = new ThreadDirectory(trace);
  const window = options.window ? windowBounds(options.window, trace) : UNBOUNDED;
  const selected = rowsWithin(table, selectedRows(table, trace, directory), window);
  const replayed = byFunction || inside !== undefined ? await replayedThreads(trace, options, resources) : null;
  const around = replayed && inside !== undefined ? await callsAsked({ ...replayed, window }, inside) : null;
  const isInside = around && momentsInside(around);
  const rows = isInside ? selected.filter((row) => isInside(table.tid[row], table.timeNs[row])) : selected;
  const stats = valueStats(values, rows);
  const statsOf = (some: Uint32Array) => statistics(valueStats(values, some), values);
  const calls = byFunction && replayed ? await functionsOfSamples(replayed, table, rows) : null;
  const clock = { originNs: originOf(trace) };
  const [first, last] = [rows[0], rows[rows.length - 1]].map((row) => table.timeNs[row]);
  return {
    seen: rows.length === 0 ? null : { start: clockText(clock, first), durationNs: last - first },
    ...{ event: table.event, field: field.name },
    without: rows.length - stats.samples,
    histogram: valueHistogram(values, rows, step ?? null),
    style: values.numbers === null ? 'text' : values.style,
    missing: missingOf(trace.account),
    inside: around && insideCalls(around),
    stats: statistics(stats, values),
    values: countsOf(values, table, rows),
    threads: groupsOf(rows, (row) => table.tid[row]).map(({ key, rows }) => {
      const { tid, pid, comm } = directory.of(key);
      return { tid, pid, comm, stats: statsOf(rows) };
    }),
    functions:
      calls === null
        ? null
        : calls.groups.map(({ rows, ...called }) => {
            return { ...waitPlace(calls.symbols, called), stats: statsOf(rows) };
          }),
    profile: replayed?.profile ?? null,
  };
}

/** The answer that `ptflame values` prints. */
export function valuesAnswer({ profile, ...found }: ValuesResult): ValuesAnswer {
  return { ...headOf('ptflame-values'), ...found, quality: profile && qualityOf(profile) };
}

function statistics({ samples, distinct, range }: ValueStats, { style }: FieldValues): ValueStatistics {
  if (range === null) return { samples, distinct, avg: null, min: null, ...eachPercentileTitle(() => null), max: null };
  const exact = (value: Exact) =>
    typeof value === 'number' ? value : style === 'hexadecimal' ? `0x${value.toString(16)}` : String(value);
  return {
    ...{ samples, distinct, avg: rounded(range.avg), min: exact(range.min) },
    ...eachPercentileTitle(({ title }) => exact(range[title])),
    max: exact(range.max),
  };
}

function missingOf(account: ReadAccount): ValuesAnswer['missing'] {
  const lost = account.sides.reduce((sum, side) => sum + side.lost, account.samples.lost);
  const { unreadable, damaged } = account.samples;
  const all: [number, string, string | null][] = [
    [lost, `${lost} samples were lost`, 'record less, or with a larger buffer (-m)'],
    [unreadable, `${unreadable} samples have an unknown format`, FORMATS_REMEDY],
    [damaged, `${damaged} samples are damaged`, null],
  ];
  return all.filter(([count]) => count > 0).map(([, what, remedy]) => ({ what, remedy }));
}

/** @throws PtflameError NOTHING_SELECTED */
function selectedRows(table: SampleTable, { store }: Trace, directory: ThreadDirectory): Uint32Array {
  const isSelected = store.selector(directory);
  const rows = Uint32Array.from(table.tid.keys()).filter((row) => isSelected(table.tid[row], table.cpu[row]));
  if (rows.length === 0 && table.length > 0) throw nothingSelected(`ptflame values ${table.event} --by thread`);
  return rows;
}

function rowsWithin({ timeNs }: SampleTable, rows: Uint32Array, window: Bounds): Uint32Array {
  return rows.filter((row) => timeNs[row] >= window.startNs && timeNs[row] < window.endNs);
}

function countsOf(values: FieldValues, { tid }: SampleTable, rows: Uint32Array): ValuesAnswer['values'] {
  const groups = groupsOf(rows, (row) => values.ids[row]).filter(({ key }) => key >= 0);
  return groups.map(({ key, rows }) => {
    return {
      value: values.textOf(values.firstRow[key]),
      samples: rows.length,
      threads: new Set(Int32Array.from(rows, (row) => tid[row])).size,
    };
  });
}

/**
 * Finds the field of an event that a user named.
 *
 * Without a field, it is the only one. @throws PtflameError NOT_RECORDED or BAD_OPTION
 */
function eventField(
  name: string,
  samples: readonly SampleTable[],
): { readonly table: SampleTable; readonly field: SampleField } {
  const colon = name.lastIndexOf(':');
  const event = findEvent(name, samples);
  const table = event ?? findEvent(name.slice(0, Math.max(0, colon)), samples);
  if (table === null) throw noSuchEvent(colon > 0 ? name.slice(0, colon) : name, samples);
  const wanted = event ? argumentsOf(table) : [name.slice(colon + 1)];
  const field = wanted.length === 1 ? table.fields.find((field) => field.name === wanted[0]) : undefined;
  if (field) return { table, field };
  const fields = argumentsOf(table);
  if (table.event === KERNEL_STACKS && lacksKernelNames(samples))
    throw new PtflameError(
      'NOT_RECORDED',
      `the names of the kernel's functions are missing: ${KERNEL_STACKS} have none`,
      {
        hint: FORMATS_REMEDY,
      },
    );
  if (fields.length === 0 || !event) throw noSuchField(table, event ? 'values' : `value ${wanted[0]}`);
  throw new PtflameError('BAD_OPTION', `${table.event} has several values: ${fields.join(', ')}`, {
    hint: `name one of them, such as ${table.event}:${fields[0]}`,
  });
}

function noSuchEvent(name: string, samples: readonly SampleTable[]): PtflameError {
  return new PtflameError('NOT_RECORDED', `the trace has no event ${name}`, {
    hint: `${eventsText(samples)}; ${recordedBy(name)}`,
  });
}

/** "ptflame record --waits=full records it". */
function recordedBy(name: string): string {
  if (/(^|:)sched_switch$/.test(name)) return 'ptflame record --waits=full records it';
  if (/(^|:)(sched_waking|sys_(enter|exit)_futex)$/.test(name)) return 'ptflame record --waits records it';
  return 'ptflame record --probe records others';
}

function noSuchField(table: SampleTable, what: string): PtflameError {
  const has = argumentsOf(table).join(', ') || 'none';
  return new PtflameError('NOT_RECORDED', `${table.event} has no ${what}`, {
    hint: `it has ${has}; record others with --probe 'NAME=FILE:FUNCTION VALUE=%di'`,
  });
}

/**
 * Groups samples by the function that their thread was in, and what that called.
 *
 * A function, and what it called; NONE: not known, or nothing.
 */
interface CallingFunction {
  readonly symbol: SymbolId;
  readonly call: SymbolId;
}

interface FunctionsOfSamples {
  /** Most samples first. */
  readonly groups: readonly (CallingFunction & { readonly rows: Uint32Array })[];
  readonly symbols: SymbolTable;
}

interface ReplayedThreads extends Omit<AskedInside, 'window'> {
  readonly askable: AskableTrace;
  readonly profile: Profile;
}

/** Replays all threads, of which more will be asked. @throws PtflameError NO_BRANCHES */
async function replayedThreads(
  trace: Trace,
  options: AnalyzeOptions,
  resources: WorkResources,
): Promise<ReplayedThreads> {
  const { tids } = trace.store;
  if (tids.length === 0) throw noTrace(trace.account.withoutTrace[0] ?? 'the input');
  const askable = new AskableTrace(trace, options, resources);
  const nothing = { nodesAt: null, treesOver: null, spans: null, spanTrees: null };
  const { profile } = await askable.replay(new Map(tids.map((tid) => [tid, nothing])), true);
  return { askable, trace, tids, profile };
}

async function functionsOfSamples(
  { askable, trace }: ReplayedThreads,
  { tid, timeNs }: SampleTable,
  rows: Uint32Array,
): Promise<FunctionsOfSamples> {
  const isTraced = new Set(trace.store.tids);
  const chosen = {
    tid: Int32Array.from(rows, (row) => tid[row]),
    timeNs: Float64Array.from(rows, (row) => timeNs[row]),
  };
  const moments = orderMoments(chosen, (each) => isTraced.has(each));
  const answers = await askable.ask(moments.asked);
  const nodes = nodesOfMoments(rows.length, moments, answers);
  const { symbols } = askable;
  const called = callsAt(answers.paths, placesOf(answers.paths, symbols));
  const keyOf = (at: number) => {
    const { symbol, call } = called(nodes[at]);
    return symbol === NONE ? NONE : symbol * (symbols.length + 1) + call + 1;
  };
  const groups = groupsOf(Uint32Array.from(rows.keys()), keyOf).map(({ rows: places }) => {
    return { ...called(nodes[places[0]]), rows: places.map((at) => rows[at]) };
  });
  return { groups, symbols };
}

/** At a probe where a function begins, its caller says more than the function. */
function callsAt(
  { parent, symbol }: { readonly parent: ArrayLike<number>; readonly symbol: ArrayLike<number> },
  places: Places,
): (node: number) => CallingFunction {
  return (node) => {
    if (node === NONE || places.symbol[node] === NONE) return { symbol: NONE, call: NONE };
    if (places.call[node] !== NONE) return { symbol: places.symbol[node], call: places.call[node] };
    let own = node;
    while (own > 0 && symbol[own] !== places.symbol[node]) own = parent[own]; // above it are stops
    const caller = places.symbol[parent[own]] ?? NONE;
    return caller === NONE ? { symbol: symbol[own], call: NONE } : { symbol: caller, call: symbol[own] };
  };
}

/** Groups samples by a key. */
interface SampleGroup {
  readonly key: number;
  readonly rows: Uint32Array;
}

/** Most samples first; ties by the first sample. */
function groupsOf(rows: Uint32Array, keyOf: (row: number) => number): SampleGroup[] {
  const found = [...groupBy(rows, keyOf)].map(([key, own]) => ({ key, rows: Uint32Array.from(own) }));
  return found.sort((a, b) => b.rows.length - a.rows.length || a.rows[0] - b.rows[0]);
}
