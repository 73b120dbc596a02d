/**
 * Calls of a thread → row groups of a Parquet file, made by the worker that replayed it.
 */
import { ByteWriter } from 'hyparquet-writer';
import { BATCH_ROWS, type CallRows } from '../../analysis/call-rows/rows.js';
import type { CallTree } from '../../model/calls/call-tree.js';
import { NONE, type Tid } from '../../model/units.js';
import { bytesOf, ColumnChunkWriter, type EncodedColumn } from './column-chunk.js';
import { pathHashes } from './hashes.js';
import { KeysInGroup } from './keys-in-group.js';
import { type SharedNames, type SharedTexts, textAt, textBytes, textCount } from './shared-names.js';
import { type ColumnShape, type RowGroup, type SchemaElement, schemaOf, taken } from './table.js';

/** What the calls of all threads share. Plain data. */
export interface CallsContext {
  /** Of the recording, a column of its own; null: there is only one. */
  readonly id: string | null;
  /** perf's clock at time 0 of the trace. */
  readonly originNs: bigint;
  readonly names: SharedNames;
}

/** The calls of a thread. Plain data. */
export interface CallGroups {
  /** One part for each group. */
  readonly parts: readonly Uint8Array[];
  /** Offsets are those in a file of these groups alone, without what precedes the first one. */
  readonly groups: readonly RowGroup[];
}

const COLUMNS = [
  { name: 'id', kind: 'text' },
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
] as const satisfies readonly ColumnShape[];
type CallColumn = (typeof COLUMNS)[number]['name'];

/** `id`: null if the file has no such column. */
function columnsWith(id: string | null): readonly (typeof COLUMNS)[number][] {
  return id === null ? COLUMNS.slice(1) : COLUMNS;
}

/** Returns the schema of a file; `id` as in `CallsContext`. */
export function callsSchema(id: string | null): SchemaElement[] {
  return schemaOf('calls', columnsWith(id));
}

/** Writes the calls of a thread. */
export class CallGroupsWriter {
  private readonly writer = new ByteWriter();
  private readonly chunks = new ColumnChunkWriter(this.writer);
  private readonly parts: Uint8Array[] = [];
  private readonly groups: RowGroup[] = [];
  private readonly short = new Int32Array(BATCH_ROWS);
  private readonly paths: BigInt64Array;
  private readonly pathsInGroup: KeysInGroup;
  private readonly namesInGroup: KeysInGroup;
  private readonly filesInGroup: KeysInGroup;
  private readonly tid: Tid;
  private readonly tree: CallTree;
  private readonly context: CallsContext;

  /** `tree`: whose nodes the calls have. */
  constructor(tid: Tid, tree: CallTree, context: CallsContext) {
    const { names, files, hashes } = context.names;
    this.tid = tid;
    this.tree = tree;
    this.context = context;
    this.paths = pathHashes(tree, hashes);
    this.pathsInGroup = new KeysInGroup(tree.length);
    this.namesInGroup = new KeysInGroup(textCount(names));
    this.filesInGroup = new KeysInGroup(textCount(files));
  }

  /** Writes a row group. */
  add(rows: CallRows): void {
    const start = this.writer.offset;
    const { id, originNs } = this.context;
    const [, ...elements] = callsSchema(id);
    const columns = columnsWith(id).map(({ name }, at) => {
      return this.chunks.write(elements[at] as SchemaElement, this.encoded(name, rows), rows.length);
    });
    addBounds(columns, 'tid', this.tid, this.tid);
    addBounds(columns, 'start_ns', ...bigBounds(rows.startNs, originNs));
    addBounds(columns, 'duration_ns', ...bigBounds(rows.durationNs, 0n));
    this.groups.push({
      columns,
      num_rows: BigInt(rows.length),
      total_byte_size: columns.reduce((sum, { meta_data }) => sum + (meta_data?.total_uncompressed_size ?? 0n), 0n),
      total_compressed_size: BigInt(this.writer.offset - start),
    });
    this.parts.push(taken(this.writer));
  }

  build(): CallGroups {
    return { parts: this.parts, groups: this.groups };
  }

  private encoded(column: CallColumn, rows: CallRows): EncodedColumn {
    const { chunks } = this;
    const { id, originNs, names } = this.context;
    switch (column) {
      case 'id':
        return chunks.ofDictionary(new Int32Array(rows.length), {
          length: 1,
          bytes: textBytes([Buffer.from(id ?? '')]),
        });
      case 'tid':
        return chunks.packed(new Int32Array(rows.length).fill(this.tid));
      case 'call':
        return chunks.packed(rows.call);
      case 'parent':
        return chunks.packed(...defined(rows.parent, 0));
      case 'depth':
        return chunks.packed(rows.depth);
      case 'func':
        return this.texts(names.names, rows.node, this.namesInGroup);
      case 'file':
        return this.texts(names.files, rows.node, this.filesInGroup);
      case 'path':
        return this.pathColumn(rows.node);
      case 'start_ns':
        return this.times(rows.startNs, originNs);
      case 'duration_ns':
        return this.times(rows.durationNs);
      case 'total_ns':
        return this.times(rows.totalNs);
      case 'self_ns':
        return this.times(rows.selfNs);
      case 'outside_ns':
        return this.times(rows.outsideNs);
      case 'off_cpu_ns':
        return this.times(rows.offCpuNs);
      case 'complete':
        return chunks.flags(rows.isComplete);
      case 'stop':
        return chunks.flags(rows.isStop);
      case 'outermost':
        return chunks.flags(rows.isOutermost);
    }
  }

  private pathColumn(nodes: Int32Array): EncodedColumn {
    const { rows, keys } = this.pathsInGroup.take(nodes);
    const paths = BigInt64Array.from(keys, (node) => this.paths[node]);
    return this.chunks.ofDictionary(rows, { length: keys.length, bytes: bytesOf(paths) }, { isCompressed: false });
  }

  private texts(all: SharedTexts, nodes: Int32Array, inGroup: KeysInGroup): EncodedColumn {
    const { symbol } = this.tree;
    const known = new Int32Array(nodes.length);
    for (let row = 0; row < nodes.length; row++) known[row] = all.ofSymbol[symbol[nodes[row]]];
    const [values, isDefined] = defined(known, NONE);
    const { rows, keys } = inGroup.take(values);
    const bytes = textBytes(keys.map((text) => textAt(all, text)));
    return this.chunks.ofDictionary(rows, { length: keys.length, bytes }, { isDefined });
  }

  /** Times that differ from the first by less than 2^31 ns are packed. */
  private times(ns: Float64Array, originNs = 0n): EncodedColumn {
    const first = ns[0];
    const short = this.short.subarray(0, ns.length);
    for (let row = 0; row < ns.length; row++) {
      short[row] = ns[row] - first;
      if (short[row] !== ns[row] - first)
        return this.chunks.plain(BigInt64Array.from(ns, (own) => originNs + BigInt(own)));
    }
    return this.chunks.packedFrom(originNs + BigInt(first), short);
  }
}

/** Returns the values of rows that have one; by row, 1 if it has one, null if all have. */
function defined(values: Int32Array, none: number): [Int32Array, Uint8Array | null] {
  if (!values.includes(none)) return [values, null];
  const isDefined = new Uint8Array(values.length);
  const found = new Int32Array(values.length);
  let length = 0;
  for (let row = 0; row < values.length; row++) {
    if (values[row] === none) continue;
    isDefined[row] = 1;
    found[length++] = values[row];
  }
  return [found.subarray(0, length), isDefined];
}

function bigBounds(values: Float64Array, origin: bigint): [bigint, bigint] {
  let [min, max] = [values[0], values[0]];
  for (let row = 1; row < values.length; row++) {
    if (values[row] < min) min = values[row];
    if (values[row] > max) max = values[row];
  }
  return [origin + BigInt(min), origin + BigInt(max)];
}

/** Lets readers skip the group. */
function addBounds(columns: RowGroup['columns'], name: CallColumn, min: number | bigint, max: number | bigint): void {
  const found = columns.find(({ meta_data }) => meta_data?.path_in_schema[0] === name);
  if (found?.meta_data) found.meta_data.statistics = { min_value: min, max_value: max, null_count: 0n };
}
