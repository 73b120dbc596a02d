/**
 * Calls of a thread → row groups of a Parquet file, made by the worker that replayed it.
 */
import { ByteWriter, type ColumnSource, ParquetWriter, type SchemaElement } from 'hyparquet-writer';
import type { CallRows } from '../../analysis/call-rows/rows.js';
import type { CallTree } from '../../model/calls/call-tree.js';
import type { NodeId, Tid } from '../../model/units.js';
import { pathHashes } from './hashes.js';
import { type SharedNames, TextsOfSymbols } from './shared-names.js';
import { schemaOf, taken } from './table.js';

/** What the calls of all threads share. Plain data. */
export interface CallsContext {
  /** Of the recording, a column of its own; null: there is only one. */
  readonly id: string | null;
  /** perf's clock at time 0 of the trace. */
  readonly originNs: bigint;
  readonly names: SharedNames;
}

export type RowGroup = ParquetWriter['row_groups'][number];

/** The calls of a thread. Plain data. */
export interface CallGroups {
  /** One part for each group. */
  readonly parts: readonly Uint8Array[];
  /** Offsets are those in a file of these groups alone. */
  readonly groups: readonly RowGroup[];
}

/** `id`: null if the file has no such column. */
export function callsSchema(id: string | null): SchemaElement[] {
  return schemaOf('calls', [
    ...(id === null ? [] : [{ name: 'id', kind: 'text' } as const]),
    { name: 'tid', kind: 'int32' },
    { name: 'call', kind: 'int64' },
    { name: 'parent', kind: 'int64', isOptional: true },
    { name: 'depth', kind: 'int32' },
    { name: 'func', kind: 'text' },
    { name: 'file', kind: 'text', isOptional: true },
    { name: 'path', kind: 'int64' },
    { name: 'start_ns', kind: 'int64' },
    { name: 'duration_ns', kind: 'int64' },
    { name: 'total_ns', kind: 'int64' },
    { name: 'self_ns', kind: 'int64' },
    { name: 'outside_ns', kind: 'int64' },
    { name: 'off_cpu_ns', kind: 'int64' },
    { name: 'complete', kind: 'flag' },
    { name: 'stop', kind: 'flag' },
    { name: 'outermost', kind: 'flag' },
  ]);
}

/** Writes the calls of a thread. */
export class CallGroupsWriter {
  private readonly writer = new ByteWriter();
  private readonly file: ParquetWriter;
  private readonly parts: Uint8Array[] = [];
  private readonly names: TextsOfSymbols;
  private readonly files: TextsOfSymbols;
  private readonly paths: BigInt64Array;
  private readonly tid: Tid;
  private readonly tree: CallTree;
  private readonly context: CallsContext;

  /** `tree`: whose nodes the calls have. */
  constructor(tid: Tid, tree: CallTree, context: CallsContext) {
    this.tid = tid;
    this.tree = tree;
    this.context = context;
    this.file = new ParquetWriter({ writer: this.writer, schema: callsSchema(context.id), statistics: false });
    this.writer.index = 0;
    this.names = new TextsOfSymbols(context.names.names);
    this.files = new TextsOfSymbols(context.names.files);
    this.paths = pathHashes(tree, context.names.hashes);
  }

  /** Writes a row group. */
  add(rows: CallRows): void {
    this.file.write({ columnData: this.columnsOf(rows), rowGroupSize: rows.length });
    this.parts.push(taken(this.writer));
    const group = this.file.row_groups.at(-1) as RowGroup;
    addBounds(group, 'tid', this.tid, this.tid);
    addBounds(group, 'start_ns', ...this.clockBounds(rows.startNs));
    addBounds(group, 'duration_ns', ...bigBounds(rows.durationNs));
  }

  build(): CallGroups {
    return { parts: this.parts, groups: this.file.row_groups };
  }

  private columnsOf(rows: CallRows): ColumnSource[] {
    const { node } = rows;
    const { originNs, id } = this.context;
    const { symbol } = this.tree;
    const file = (own: NodeId) => emptyAsNull(this.files.at(symbol[own]));
    return [
      ...(id === null ? [] : [{ name: 'id', data: mapped(node, () => id), encoding: DICTIONARY }]),
      { name: 'tid', data: new Int32Array(rows.length).fill(this.tid), encoding: PACKED },
      { name: 'call', data: rows.call, encoding: PACKED },
      { name: 'parent', data: mapped(rows.parent, (own) => own || null), encoding: PACKED },
      { name: 'depth', data: rows.depth, encoding: PACKED },
      { name: 'func', data: mapped(node, (own) => this.names.at(symbol[own])), encoding: DICTIONARY },
      { name: 'file', data: mapped(node, file), encoding: DICTIONARY },
      { name: 'path', data: mapped(node, (own) => this.paths[own]), encoding: DICTIONARY },
      { name: 'start_ns', data: bigs(rows.startNs, originNs), encoding: PLAIN },
      timeColumn('duration_ns', rows.durationNs),
      timeColumn('total_ns', rows.totalNs),
      timeColumn('self_ns', rows.selfNs),
      timeColumn('outside_ns', rows.outsideNs),
      timeColumn('off_cpu_ns', rows.offCpuNs),
      { name: 'complete', data: mapped(rows.isComplete, Boolean) },
      { name: 'stop', data: mapped(rows.isStop, Boolean) },
      { name: 'outermost', data: mapped(rows.isOutermost, Boolean) },
    ];
  }

  private clockBounds(startNs: Float64Array): [bigint, bigint] {
    const [first, last] = bigBounds(startNs);
    return [first + this.context.originNs, last + this.context.originNs];
  }
}

const PACKED = 'DELTA_BINARY_PACKED' as const;
const DICTIONARY = 'RLE_DICTIONARY' as const;
const PLAIN = 'PLAIN' as const;

/** Faster than `Array.from`. */
function mapped<Value>(values: Int32Array | Uint8Array, of: (value: number) => Value): Value[] {
  const found = new Array<Value>(values.length);
  for (let row = 0; row < values.length; row++) found[row] = of(values[row]);
  return found;
}

function bigs(values: Float64Array, origin = 0n): BigInt64Array {
  const found = new BigInt64Array(values.length);
  for (let row = 0; row < values.length; row++) found[row] = origin + BigInt(values[row]);
  return found;
}

function emptyAsNull(text: Uint8Array): Uint8Array | null {
  return text.length === 0 ? null : text;
}

/** Numbers of 32 bits are packed; others would take ten times as long as bigints. */
function timeColumn(name: string, ns: Float64Array): ColumnSource {
  const short = new Int32Array(ns);
  const isExact = short.every((value, row) => value === ns[row]);
  return isExact ? { name, data: short, encoding: PACKED } : { name, data: bigs(ns), encoding: PLAIN };
}

function bigBounds(values: Float64Array): [bigint, bigint] {
  let [min, max] = [values[0], values[0]];
  for (const value of values) {
    if (value < min) min = value;
    if (value > max) max = value;
  }
  return [BigInt(min), BigInt(max)];
}

/** Lets readers skip the group. */
function addBounds({ columns }: RowGroup, name: string, min: number | bigint, max: number | bigint): void {
  const found = columns.find(({ meta_data }) => meta_data?.path_in_schema[0] === name);
  if (found?.meta_data) found.meta_data.statistics = { min_value: min, max_value: max, null_count: 0n };
}
