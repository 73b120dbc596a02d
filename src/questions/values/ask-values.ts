/**
 * Answers `ptflame values`: which values a field of an event had, in which threads and functions.
 */
import { type FieldValues, fieldValues } from '../../analysis/values/field-values.js';
import { type ValueBar, valueHistogram } from '../../analysis/values/value-histogram.js';
import { type ValueStats, valueStats } from '../../analysis/values/value-stats.js';
import type { SymbolTable } from '../../model/names/symbol-table.js';
import type { Profile } from '../../model/profile/profile.js';
import type { SampleTable } from '../../model/samples/sample-table.js';
import type { Tid } from '../../model/units.js';
import type { AnalyzeOptions } from '../../pipeline/analyze.js';
import type { AnalyzedInput } from '../../pipeline/read/read-trace.js';
import { nothingSelected } from '../../pipeline/read/refusals.js';
import type { ReadAccount, Trace } from '../../pipeline/read/trace.js';
import type { TraceBounds } from '../../pipeline/read/trace-bounds.js';
import { windowBounds, withClock } from '../../pipeline/replay/questions/moments.js';
import { type WorkResources, withTrace } from '../../pipeline/with-trace.js';
import { ThreadDirectory } from '../waits/thread-directory.js';
import { eventField } from './event-field.js';
import { type CallingFunction, functionsOfSamples } from './functions-of-samples.js';
import { groupsOf } from './value-groups.js';

export interface ValuesQuestion {
  /** An event and one of its fields, as in `queue_push:job` or `sched:sched_switch:prev_state`. */
  readonly field: string;
  /** The size of the ranges of the histogram. Default: powers of two. */
  readonly step?: number;
  /** Also by function; this needs calls. Default: false. */
  readonly byFunction?: boolean;
}

export interface ValuesResult {
  readonly event: string;
  readonly field: string;
  readonly values: FieldValues;
  readonly stats: ValueStats;
  /** Samples in question that have no such field. */
  readonly without: number;
  readonly histogram: readonly ValueBar[];
  /** Most samples first; ties by the first sample. */
  readonly counts: readonly ValueCount[];
  readonly threads: readonly (ValueStats & { readonly tid: Tid })[];
  /** null: not asked. */
  readonly functions: readonly (ValueStats & CallingFunction)[] | null;
  readonly directory: ThreadDirectory;
  readonly account: ReadAccount;
  /** From the first sample in question to the last; null: there is none. */
  readonly seen: TraceBounds | null;
  /** perf's clock at time 0. */
  readonly originNs: bigint;
  readonly symbols: SymbolTable;
  /** null: calls were not asked. */
  readonly profile: Profile | null;
}

export interface ValueCount {
  /** A sample that has it. */
  readonly row: number;
  readonly samples: number;
  readonly threads: number;
}

/** @throws PtflameError as `analyze`, but recordings may lack Intel PT; NOT_RECORDED and BAD_OPTION for the field */
export function askValues(
  inputs: readonly AnalyzedInput[],
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
  { field: name, step, byFunction = false }: ValuesQuestion,
  options: AnalyzeOptions,
  resources: WorkResources,
): Promise<ValuesResult> {
  const { table, field } = eventField(name, trace.samples);
  const values = fieldValues(field);
  const directory = new ThreadDirectory(trace);
  const window = options.window ? windowBounds(options.window, trace) : null;
  const rows = rowsWithin(table, selectedRows(table, trace, directory), window);
  const statsOf = (some: Uint32Array) => valueStats(values, some);
  const stats = statsOf(rows);
  const calls = byFunction ? await functionsOfSamples(trace, table, rows, options, resources) : null;
  return {
    ...{ event: table.event, field: field.name, values, stats, directory },
    without: rows.length - stats.samples,
    histogram: valueHistogram(values, rows, step ?? null),
    counts: countsOf(values, table, rows),
    threads: groupsOf(rows, (row) => table.tid[row]).map(({ key: tid, rows }) => ({ tid, ...statsOf(rows) })),
    functions: calls === null ? null : calls.groups.map(({ rows, ...called }) => ({ ...called, ...statsOf(rows) })),
    account: trace.account,
    seen: rows.length === 0 ? null : { startNs: table.timeNs[rows[0]], endNs: table.timeNs[rows[rows.length - 1]] },
    originNs: BigInt(trace.originSeconds ?? 0) * 1_000_000_000n,
    symbols: calls?.symbols ?? trace.symbols,
    profile: calls?.profile ?? null,
  };
}

/** @throws PtflameError NOTHING_SELECTED */
function selectedRows(table: SampleTable, { store }: Trace, directory: ThreadDirectory): Uint32Array {
  const isSelected = store.selector(directory);
  const rows = Uint32Array.from(table.tid.keys()).filter((row) => isSelected(table.tid[row], table.cpu[row]));
  if (rows.length === 0 && table.length > 0) throw nothingSelected(`ptflame values ${table.event} --by thread`);
  return rows;
}

function rowsWithin({ timeNs }: SampleTable, rows: Uint32Array, window: TraceBounds | null): Uint32Array {
  return window === null ? rows : rows.filter((row) => timeNs[row] >= window.startNs && timeNs[row] < window.endNs);
}

function countsOf({ ids, firstRow }: FieldValues, { tid }: SampleTable, rows: Uint32Array): ValueCount[] {
  const groups = groupsOf(rows, (row) => ids[row]).filter(({ key }) => key >= 0);
  return groups.map(({ key, rows }) => {
    return {
      row: firstRow[key],
      samples: rows.length,
      threads: new Set(Int32Array.from(rows, (row) => tid[row])).size,
    };
  });
}
