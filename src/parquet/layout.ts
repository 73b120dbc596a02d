/**
 * Where the files of a recording are in a folder of many: TABLE/build=…/host=…/ID.parquet.
 *
 * A directory for each table, as Spark and Trino read directories whose files have the same columns; `build=` and `host=`
 * as they name partitions.
 */

/** What Hive, Spark and DuckDB read as no value. */
const NO_VALUE = '__HIVE_DEFAULT_PARTITION__';

/** Of a file name, in bytes, on every common file system. */
const MAX_NAME_BYTES = 255;

/** Returns "build=v1.2%2Fx", in which no name can leave its directory; null: it is too long for a file name. */
export function partitionName(key: 'build' | 'host', value: string | null): string | null {
  const name = `${key}=${value === null ? NO_VALUE : encoded(value)}`;
  return name.length <= MAX_NAME_BYTES ? name : null;
}

/** Escapes the bytes of all characters but letters, digits, dot, underscore and hyphen. Reversible. */
function encoded(text: string): string {
  if (text === NO_VALUE) return `%5F${NO_VALUE.slice(1)}`;
  return text.replace(/[^\w.-]+/g, (others) => [...new TextEncoder().encode(others)].map(escapedByte).join(''));
}

function escapedByte(byte: number): string {
  return `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
}
