/**
 * The memory in which row groups are made, one after the other, and one column of a group after the other: new memory for
 * each would be garbage of many megabytes.
 */
import { ByteWriter } from 'hyparquet-writer';
import { ColumnChunkWriter, type EncodedColumn } from './column-chunk.js';
import type { RowGroup, SchemaElement } from './schema.js';

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
