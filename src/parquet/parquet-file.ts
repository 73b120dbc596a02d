/**
 * Row groups → one Parquet file: their bytes are only moved.
 */
import { ByteWriter, ParquetWriter, type SchemaElement } from 'hyparquet-writer';
import { ColumnChunkWriter, type EncodedColumn, type RowGroup } from './column-chunk.js';

/** What a file says about some of its row groups. Plain data. */
export interface RowGroups {
  /** Of all of them. */
  readonly bytes: number;
  /** Offsets are those in a file of these groups alone, without what precedes the first one. */
  readonly groups: readonly RowGroup[];
}

/** In the metadata of every file: the program that wrote it. */
const CREATOR = 'ptflame';

/** The bytes of a file are: `head`, those of the groups in the order in which they were added, `end`. */
export class ParquetFile {
  private readonly writer = new ByteWriter();
  private readonly file: ParquetWriter;

  /** `about`: texts by key, in the metadata of the file. */
  constructor(schema: SchemaElement[], about: Readonly<Record<string, string>>) {
    const kvMetadata = Object.entries(about).map(([key, value]) => ({ key, value }));
    this.file = new ParquetWriter({ writer: this.writer, schema, kvMetadata, createdBy: CREATOR });
  }

  /** Returns the bytes that come first. */
  head(): Uint8Array {
    return taken(this.writer);
  }

  /** Adds groups, whose bytes come next. */
  add({ bytes, groups }: RowGroups): void {
    const moved = BigInt(this.writer.offset);
    this.file.row_groups.push(...groups.map((group) => movedBy(moved, group)));
    for (const { num_rows } of groups) this.file.num_rows += num_rows;
    this.writer.offset += bytes;
  }

  /** Returns the bytes that come last. */
  end(): Uint8Array {
    this.file.finish();
    return taken(this.writer);
  }
}

/** Removes the bytes from a writer, which goes on counting them. */
function taken(writer: ByteWriter): Uint8Array {
  const bytes = writer.getBytes().slice();
  writer.index = 0;
  return bytes;
}

function movedBy(bytes: bigint, group: RowGroup): RowGroup {
  const columns = group.columns.map(({ meta_data, ...column }) => {
    if (!meta_data) return column;
    const { data_page_offset, dictionary_page_offset, ...rest } = meta_data;
    const pages = {
      data_page_offset: data_page_offset + bytes,
      ...(dictionary_page_offset !== undefined && { dictionary_page_offset: dictionary_page_offset + bytes }),
    };
    return { ...column, file_offset: column.file_offset + bytes, meta_data: { ...rest, ...pages } };
  });
  return { ...group, columns };
}

/**
 * The memory in which row groups are made, one after the other, and one column of a group after the other: new memory for
 * each would be garbage of many megabytes.
 */
export class GroupMemory {
  /** Encodes columns. */
  readonly chunks: ColumnChunkWriter;
  private readonly writer = new ByteWriter();
  private readonly texts = new ByteWriter();
  private readonly space = { values: new Int32Array(0), numbers: new Int32Array(0), isDefined: new Uint8Array(0) };

  constructor() {
    this.chunks = new ColumnChunkWriter(this.writer);
  }

  /** How many bytes were written. */
  get offset(): number {
    return this.writer.offset;
  }

  /** Begins the groups of another file, or part of a file. */
  begin(): void {
    this.writer.index = this.writer.offset = 0;
  }

  /** Returns numbers that are not cleared, and are valid until the same are taken again. */
  take(which: 'values' | 'numbers', length: number): Int32Array {
    if (this.space[which].length < length) this.space[which] = new Int32Array(length);
    return this.space[which].subarray(0, length);
  }

  /** Returns zeros, by row, which are valid until they are taken again. */
  takeIsDefined(rows: number): Uint8Array {
    const { space } = this;
    if (space.isDefined.length < rows) space.isDefined = new Uint8Array(rows);
    return space.isDefined.subarray(0, rows).fill(0);
  }

  /** Returns texts as a page has them, each after its length: valid until the next ones. */
  textBytes(count: number, textAt: (row: number) => Uint8Array): Uint8Array {
    const { texts } = this;
    texts.index = 0;
    for (let row = 0; row < count; row++) {
      const text = textAt(row);
      texts.appendUint32(text.length);
      texts.appendBytes(text);
    }
    return texts.getBytes();
  }

  /** Returns the values of rows that have one, in `values`; by row, 1 if it has one, null if all have. */
  defined(values: Int32Array, none: number): [Int32Array, Uint8Array | null] {
    if (!values.includes(none)) return [values, null];
    const isDefined = this.takeIsDefined(values.length);
    const found = this.take('values', values.length); // may be `values`: rows only move to the front
    let length = 0;
    for (let row = 0; row < values.length; row++) {
      if (values[row] === none) continue;
      isDefined[row] = 1;
      found[length++] = values[row];
    }
    return [found.subarray(0, length), isDefined];
  }

  /** Writes a group. `elements`: of its columns; `encode` is called for each in turn. The bytes are valid until the next group. */
  write(
    elements: readonly SchemaElement[],
    rows: number,
    encode: (column: number) => EncodedColumn,
  ): { readonly group: RowGroup; readonly bytes: Uint8Array } {
    const { writer, chunks } = this;
    const start = writer.offset;
    writer.index = 0;
    const columns = elements.map((element, column) => chunks.write(element, encode(column), rows));
    const group = {
      columns,
      num_rows: BigInt(rows),
      total_byte_size: columns.reduce((sum, { meta_data }) => sum + (meta_data?.total_uncompressed_size ?? 0n), 0n),
      total_compressed_size: BigInt(writer.offset - start),
    };
    return { group, bytes: writer.getBytes() };
  }
}

/** Keys of rows → their numbers in the dictionary of a row group, in the order in which they occur. */
export class KeysInGroup {
  /** By key: 1 + its number; 0: it has not occurred in this group. */
  private readonly numberOf: Int32Array;

  /** `length`: keys are below it. */
  constructor(length: number) {
    this.numberOf = new Int32Array(length);
  }

  /** Returns the number of each row, in memory that is as long, and the keys by number. */
  take(keysOfRows: Int32Array, rows: Int32Array): { readonly rows: Int32Array; readonly keys: readonly number[] } {
    const { numberOf } = this;
    const keys: number[] = [];
    for (let row = 0; row < rows.length; row++) {
      const key = keysOfRows[row];
      if (numberOf[key] === 0) numberOf[key] = keys.push(key);
      rows[row] = numberOf[key] - 1;
    }
    for (const key of keys) numberOf[key] = 0;
    return { rows, keys };
  }
}
