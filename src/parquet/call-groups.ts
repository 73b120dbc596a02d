/**
 * Calls of a thread → row groups of a Parquet file, made by the worker that replayed it.
 */

import type { SchemaElement } from 'hyparquet-writer';
import type { CallRows } from '../analysis/call-rows.js';
import type { CallTree } from '../model/calls/call-tree.js';
import { NONE, type Tid } from '../model/units.js';
import { bytesOf, type ColumnShape, type EncodedColumn, type RowGroup, schemaOf } from './column-chunk.js';
import { pathHashes, type SharedNames, type SharedTexts, textAt, textCount } from './hashes.js';
import { type GroupMemory, KeysInGroup, type RowGroups } from './parquet-file.js';

/** What the calls of all threads share. Plain data. */
export interface CallsContext {
  /** Of the recording, a column of its own; null: there is only one. */
  readonly id: string | null;
  /** perf's clock at time 0 of the trace. */
  readonly originNs: bigint;
  readonly names: SharedNames;
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
  private readonly groups: RowGroup[] = [];
  private readonly paths: BigInt64Array;
  private readonly pathsInGroup: KeysInGroup;
  private readonly namesInGroup: KeysInGroup;
  private readonly filesInGroup: KeysInGroup;

  /** `tree`: whose nodes the calls have. */
  constructor(
    private readonly tid: Tid,
    private readonly tree: CallTree,
    private readonly context: CallsContext,
    private readonly memory: GroupMemory,
  ) {
    const { names, files, hashes } = context.names;
    memory.begin();
    this.paths = pathHashes(tree, hashes);
    this.pathsInGroup = new KeysInGroup(tree.length);
    this.namesInGroup = new KeysInGroup(textCount(names));
    this.filesInGroup = new KeysInGroup(textCount(files));
  }

  /** Returns the bytes of a row group, which are valid until the next one. */
  write(rows: CallRows): Uint8Array {
    const { id, originNs } = this.context;
    const columns = columnsWith(id);
    const [, ...elements] = callsSchema(id);
    const { group, bytes } = this.memory.write(elements, rows.length, (column) => {
      return this.encoded((columns[column] as ColumnShape).name as CallColumn, rows);
    });
    addBounds(group.columns, 'tid', this.tid, this.tid);
    addBounds(group.columns, 'start_ns', ...bigBounds(rows.startNs, originNs));
    addBounds(group.columns, 'duration_ns', ...bigBounds(rows.durationNs, 0n));
    this.groups.push(group);
    return bytes;
  }

  build(): RowGroups {
    return { bytes: this.memory.offset, groups: this.groups };
  }

  private encoded(column: CallColumn, rows: CallRows): EncodedColumn {
    const { chunks } = this.memory;
    const { id, originNs, names } = this.context;
    switch (column) {
      case 'id':
        return chunks.ofDictionary(this.filled(rows.length, 0), {
          length: 1,
          bytes: this.memory.textBytes(1, () => Buffer.from(id ?? '')),
        });
      case 'tid':
        return chunks.packed(this.filled(rows.length, this.tid));
      case 'call':
        return chunks.packed(rows.call);
      case 'parent':
        return chunks.packed(...this.memory.defined(rows.parent, 0));
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

  private filled(length: number, value: number): Int32Array {
    return this.memory.take('values', length).fill(value);
  }

  private pathColumn(nodes: Int32Array): EncodedColumn {
    const { rows, keys } = this.pathsInGroup.take(nodes, this.memory.take('numbers', nodes.length));
    const paths = BigInt64Array.from(keys, (node) => this.paths[node]);
    return this.memory.chunks.ofDictionary(
      rows,
      { length: keys.length, bytes: bytesOf(paths) },
      { isCompressed: false },
    );
  }

  private texts(all: SharedTexts, nodes: Int32Array, inGroup: KeysInGroup): EncodedColumn {
    const { symbol } = this.tree;
    const known = this.memory.take('values', nodes.length);
    for (let row = 0; row < nodes.length; row++) known[row] = all.ofSymbol[symbol[nodes[row]]];
    const [values, isDefined] = this.memory.defined(known, NONE);
    const { rows, keys } = inGroup.take(values, this.memory.take('numbers', values.length));
    const bytes = this.memory.textBytes(keys.length, (row) => textAt(all, keys[row] as number));
    return this.memory.chunks.ofDictionary(rows, { length: keys.length, bytes }, { isDefined });
  }

  /** Times that differ from the first by less than 2^31 ns are packed. */
  private times(ns: Float64Array, originNs = 0n): EncodedColumn {
    const first = ns[0];
    const short = this.memory.take('numbers', ns.length);
    for (let row = 0; row < ns.length; row++) {
      short[row] = ns[row] - first;
      if (short[row] !== ns[row] - first)
        return this.memory.chunks.plain(BigInt64Array.from(ns, (own) => originNs + BigInt(own)));
    }
    return this.memory.chunks.packedFrom(originNs + BigInt(first), short);
  }
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
