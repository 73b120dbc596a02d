/**
 * A table, row group by row group → the bytes of a Parquet file: one column of one group is in memory at a time.
 */
import { NONE } from '../model/units.js';
import { bytesOf, type ColumnShape, type EncodedColumn, schemaOf } from './column-chunk.js';
import { GroupMemory, KeysInGroup, ParquetFile } from './parquet-file.js';

/** A column of numbers, most of them different. */
interface NumberColumn extends ColumnShape {
  readonly kind: 'int32' | 'int64' | 'flag' | 'time';
  /** Of a flag: 1 or 0. null: none. */
  readonly at: (row: number) => number | bigint | null;
}

/** A column of few values, each of which many rows may have. */
interface KeyedColumn extends ColumnShape {
  readonly kind: 'text' | 'int64';
  /** Keys are below it. */
  readonly keys: number;
  /** NONE: the row has no value. */
  readonly keyAt: (row: number) => number;
  readonly ofKey: (key: number) => string | bigint;
}

export type Column = NumberColumn | KeyedColumn;

export interface Table {
  readonly name: string;
  readonly rows: number;
  readonly columns: readonly Column[];
}

/** Returns the column of a text that all rows have. null: none has one. */
export function constantText(name: string, text: string | null): Column {
  const keyAt = () => (text === null ? NONE : 0);
  return { name, kind: 'text', isOptional: true, keys: 1, keyAt, ofKey: () => text as string };
}

/** Large enough that dictionaries pay off, small enough to be made at once. */
const GROUP_ROWS = 65_536;

/** `about`: texts by key, in the metadata of the file. */
export function* tableBytes(
  { name, rows, columns }: Table,
  about: Readonly<Record<string, string>>,
): Generator<Uint8Array> {
  const schema = schemaOf(name, columns);
  const [, ...elements] = schema;
  const memory = new GroupMemory();
  const encoders = columns.map((column) => encoderOf(column, memory));
  const file = new ParquetFile(schema, about);
  yield file.head();
  for (let first = 0; first < rows; first += GROUP_ROWS) {
    const end = Math.min(first + GROUP_ROWS, rows);
    memory.begin();
    const { group, bytes } = memory.write(elements, end - first, (column) => (encoders[column] as Encoder)(first, end));
    file.add({ bytes: bytes.length, groups: [group] });
    yield bytes.slice();
  }
  yield file.end();
}

/** Encodes the values of some rows. */
type Encoder = (first: number, end: number) => EncodedColumn;

function encoderOf(column: Column, memory: GroupMemory): Encoder {
  if ('keyAt' in column) return keyEncoder(column, memory);
  if (column.kind === 'flag')
    return (first, end) =>
      memory.chunks.flags(Uint8Array.from({ length: end - first }, (_, row) => Number(column.at(first + row))));
  return (first, end) => packed(column, first, end, memory) ?? plain(column, first, end, memory);
}

function keyEncoder({ kind, keys, keyAt, ofKey }: KeyedColumn, memory: GroupMemory): Encoder {
  const inGroup = new KeysInGroup(keys);
  return (first, end) => {
    const known = memory.take('values', end - first);
    for (let row = first; row < end; row++) known[row - first] = keyAt(row);
    const [values, isDefined] = memory.defined(known, NONE);
    const { rows, keys } = inGroup.take(values, memory.take('numbers', values.length));
    const bytes =
      kind === 'text'
        ? memory.textBytes(keys.length, (row) => Buffer.from(ofKey(keys[row] as number) as string))
        : bytesOf(BigInt64Array.from(keys, (key) => ofKey(key) as bigint));
    return memory.chunks.ofDictionary(
      rows,
      { length: keys.length, bytes },
      { isDefined, isCompressed: kind === 'text' },
    );
  };
}

/** Returns null if a number needs more than 32 bits. */
function packed(
  { at, isOptional }: NumberColumn,
  first: number,
  end: number,
  memory: GroupMemory,
): EncodedColumn | null {
  const values = memory.take('values', end - first);
  const isDefined = isOptional ? memory.takeIsDefined(end - first) : null;
  let length = 0;
  for (let row = first; row < end; row++) {
    const value = at(row);
    if (value === null) continue;
    if (typeof value !== 'number' || value !== (value | 0)) return null;
    if (isDefined) isDefined[row - first] = 1;
    values[length++] = value;
  }
  return memory.chunks.packed(values.subarray(0, length), isDefined);
}

function plain({ at, isOptional }: NumberColumn, first: number, end: number, memory: GroupMemory): EncodedColumn {
  const values = new BigInt64Array(end - first);
  const isDefined = isOptional ? memory.takeIsDefined(end - first) : null;
  let length = 0;
  for (let row = first; row < end; row++) {
    const value = at(row);
    if (value === null) continue;
    if (isDefined) isDefined[row - first] = 1;
    values[length++] = BigInt(value);
  }
  return memory.chunks.plain(values.subarray(0, length), isDefined);
}
