/**
 * A table, value by value → the bytes of a Parquet file, row group by row group: no more than one group is in memory.
 */
import { ByteWriter, type ColumnSource, ParquetWriter, type SchemaElement } from 'hyparquet-writer';

/** `int64`: a whole number, or a bigint for all 64 bits. `time`: ms since 1970, UTC. */
interface Values {
  readonly text: string;
  readonly int32: number;
  readonly int64: number | bigint;
  readonly flag: boolean;
  readonly time: number;
}
type Kind = keyof Values;

/** A column without its values. */
export interface ColumnShape {
  readonly name: string;
  readonly kind: Kind;
  /** The column may have no value in a row: null. Default: it has one in every row. */
  readonly isOptional?: boolean;
}

export type Column = {
  readonly [Own in Kind]: ColumnShape & {
    readonly kind: Own;
    readonly at: (row: number) => Values[Own] | null;
  };
}[Kind];

export interface Table {
  readonly name: string;
  readonly rows: number;
  readonly columns: readonly Column[];
}

export type { SchemaElement };
export type RowGroup = ParquetWriter['row_groups'][number];

/** In the metadata of every file: the program that wrote it. */
export const CREATOR = 'ptflame';

/** Large enough that dictionaries pay off, small enough to be made at once. */
const GROUP_ROWS = 65_536;

/** `about`: texts by key, in the metadata of the file. */
export function* tableBytes(table: Table, about: Readonly<Record<string, string>>): Generator<Uint8Array> {
  const writer = new ByteWriter();
  const file = new ParquetWriter({
    writer,
    schema: schemaOf(table.name, table.columns),
    statistics: false,
    kvMetadata: Object.entries(about).map(([key, value]) => ({ key, value })),
    createdBy: CREATOR,
  });
  for (let first = 0; first < table.rows; first += GROUP_ROWS) {
    const end = Math.min(first + GROUP_ROWS, table.rows);
    file.write({ columnData: table.columns.map((column) => columnData(column, first, end)), rowGroupSize: GROUP_ROWS });
    yield taken(writer);
  }
  file.finish();
  yield taken(writer);
}

/** Removes the bytes from a writer, which goes on counting them. */
export function taken(writer: ByteWriter): Uint8Array {
  const bytes = writer.getBytes().slice();
  writer.index = 0;
  return bytes;
}

const ELEMENTS: Readonly<Record<Kind, Pick<SchemaElement, 'type' | 'converted_type'>>> = {
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  int32: { type: 'INT32' },
  int64: { type: 'INT64' },
  flag: { type: 'BOOLEAN' },
  time: { type: 'INT64', converted_type: 'TIMESTAMP_MILLIS' },
};

export function schemaOf(name: string, columns: readonly ColumnShape[]): SchemaElement[] {
  const elements = columns.map(({ name, kind, isOptional }) => ({
    name,
    ...ELEMENTS[kind],
    repetition_type: isOptional ? ('OPTIONAL' as const) : ('REQUIRED' as const),
  }));
  return [{ name, num_children: columns.length }, ...elements];
}

function columnData({ name, kind, at }: Column, first: number, end: number): ColumnSource {
  const data = Array.from({ length: end - first }, (_, row) => at(first + row));
  if (kind === 'int32') return { name, data, encoding: 'DELTA_BINARY_PACKED' };
  if (kind !== 'int64') return { name, data };
  // Packing takes numbers of 32 bits, others one by one as bigints, which is ten times slower.
  if (data.every(isShort)) return { name, data, encoding: 'DELTA_BINARY_PACKED' };
  return { name, data: data.map((value) => (value === null ? null : BigInt(value as number | bigint))) };
}

function isShort(value: unknown): boolean {
  return value === null || (typeof value === 'number' && value === (value | 0));
}
