/**
 * The tables of functions: their numbers as `ptflame report` has them, by command name, and the durations of their calls.
 */
import { type FunctionSums, functionsOf } from '../../analysis/tree/functions.js';
import { bucketStart, type FunctionDurations, mergeDurations } from '../../model/calls/durations.js';
import { rowNumbers } from '../../model/columns.js';
import { symbolRanks } from '../../model/names/symbol-order.js';
import { lineOf } from '../../model/names/symbol-table.js';
import { NONE } from '../../model/units.js';
import { finiteOrNull, functionColumns, type Grouped, groupColumns, idColumn } from './groups.js';
import type { Column, Table } from './table.js';

/** The numbers of a row that every function has, by column. */
const SUMS = {
  calls: 'calls',
  inferred_calls: 'inferred',
  unwound_calls: 'unwound',
  self_ns: 'selfNs',
  total_ns: 'totalNs',
  on_cpu_ns: 'onCpuNs',
  off_cpu_ns: 'offCpuNs',
  outside_ns: 'outsideNs',
  outside_self_ns: 'outsideSelfNs',
  inferred_ns: 'inferredNs',
  complete_ns: 'completeNs',
} as const satisfies Record<string, keyof FunctionSums>;

const EXTREMES = { longest_cut_ns: 'longestCutNs', min_ns: 'minNs', max_ns: 'maxNs' } as const;

export function functionsTable(recording: Grouped): Table {
  const { groups, profile, hasSwitches } = recording;
  const { symbols } = profile;
  const rank = symbolRanks(symbols);
  const rows = groups.flatMap(({ tree }, group) => {
    const sums = functionsOf(tree, null, hasSwitches).sort((a, b) => rank[a.symbol] - rank[b.symbol]);
    return sums.map((own) => ({ ...own, group }));
  });
  const lineAt = (row: number) => lineOf(symbols, rows[row].symbol);
  const columns: readonly Column[] = [
    ...groupColumns(recording, (row) => rows[row].group),
    ...functionColumns(recording, (row) => rows[row].symbol),
    {
      ...{ name: 'source_file', kind: 'text', isOptional: true, keys: symbols.length },
      keyAt: (row) => (lineAt(row) === null ? NONE : rows[row].symbol),
      ofKey: (symbol) => lineOf(symbols, symbol)?.file as string,
    },
    { name: 'source_line', kind: 'int32', isOptional: true, at: (row) => lineAt(row)?.line ?? null },
    ...Object.entries(SUMS).map(([name, key]): Column => ({ name, kind: 'int64', at: (row) => rows[row][key] })),
    ...Object.entries(EXTREMES).map(([name, key]): Column => {
      return { name, kind: 'int64', isOptional: true, at: (row) => finiteOrNull(rows[row][key]) };
    }),
  ];
  return { name: 'functions', rows: rows.length, columns };
}

const NO_DURATIONS: FunctionDurations = {
  length: 0,
  symbol: new Int32Array(0),
  bucket: new Int32Array(0),
  calls: new Float64Array(0),
};

/** A row for each function and bucket with calls; none if the profile lacks the durations. */
export function durationsTable({ id, profile, hashes }: Grouped): Table {
  const { symbols, together, threads } = profile;
  const rank = symbolRanks(symbols);
  const { length, symbol, bucket, calls } =
    (together === null ? mergeDurations(threads) : profile.durations) ?? NO_DURATIONS;
  const order = rowNumbers(length).sort((a, b) => rank[symbol[a]] - rank[symbol[b]] || bucket[a] - bucket[b]);
  const columns: readonly Column[] = [
    idColumn(id),
    {
      ...{ name: 'function', kind: 'int64', keys: symbols.length },
      keyAt: (row) => symbol[order[row]],
      ofKey: (key) => hashes[key],
    },
    { name: 'bucket_low_ns', kind: 'int64', at: (row) => bucketStart(bucket[order[row]]) },
    { name: 'bucket_high_ns', kind: 'int64', at: (row) => bucketStart(bucket[order[row]] + 1) - 1 },
    { name: 'calls', kind: 'int64', at: (row) => calls[order[row]] },
  ];
  return { name: 'durations', rows: length, columns };
}
