/**
 * The columns of a table → the schema of its Parquet file.
 */
import type { ParquetWriter, SchemaElement } from 'hyparquet-writer';

/** A column without its values. */
export interface ColumnShape {
  readonly name: string;
  /** `int64`: a whole number, or a bigint for all 64 bits. `time`: ms since 1970, UTC. */
  readonly kind: 'text' | 'int32' | 'int64' | 'flag' | 'time';
  /** The column may have no value in a row. Default: it has one in every row. */
  readonly isOptional?: boolean;
}

export type { SchemaElement };
export type RowGroup = ParquetWriter['row_groups'][number];

const ELEMENTS: Readonly<Record<ColumnShape['kind'], Pick<SchemaElement, 'type' | 'converted_type'>>> = {
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  int32: { type: 'INT32' },
  int64: { type: 'INT64' },
  flag: { type: 'BOOLEAN' },
  time: { type: 'INT64', converted_type: 'TIMESTAMP_MILLIS' },
};

/** Returns the element of the table, then those of its columns. */
export function schemaOf(name: string, columns: readonly ColumnShape[]): SchemaElement[] {
  const elements = columns.map(({ name, kind, isOptional }) => ({
    name,
    ...ELEMENTS[kind],
    repetition_type: isOptional ? ('OPTIONAL' as const) : ('REQUIRED' as const),
  }));
  return [{ name, num_children: columns.length }, ...elements];
}
