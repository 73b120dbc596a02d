/**
 * The values of a column in one row group → its pages: for columns whose encoding is known, without the look at each value
 * that ParquetWriter takes.
 */
import { ByteWriter, type ParquetWriter, type SchemaElement } from 'hyparquet-writer';
import { writePageHeader } from 'hyparquet-writer/src/datapage.js';
import { deltaBinaryPack } from 'hyparquet-writer/src/delta.js';
import { writeRleBitPackedHybrid } from 'hyparquet-writer/src/encoding.js';
import { snappyCompress } from 'hyparquet-writer/src/snappy.js';

type ColumnChunk = RowGroup['columns'][number];

/** The different values of a column, as a page has them. */
interface Dictionary {
  readonly length: number;
  readonly bytes: Uint8Array;
}

/** The values of a column, encoded. */
export interface EncodedColumn {
  readonly encoding: 'DELTA_BINARY_PACKED' | 'RLE_DICTIONARY' | 'RLE' | 'PLAIN';
  /** Valid until the next column is encoded. */
  readonly values: Uint8Array;
  /** The values that `values` are numbers of; null: `values` are the values. */
  readonly dictionary: Dictionary | null;
  /** By row of an optional column: 0 if it has no value; null: all rows have one. */
  readonly isDefined: Uint8Array | null;
  /** Packed numbers do not shrink. */
  readonly isCompressed: boolean;
}

/** Of packed numbers: 128 to a block, of 4 parts. */
const BLOCK = [128, 4] as const;

/** Encodes and writes columns one after the other, in the same memory. */
export class ColumnChunkWriter {
  private readonly memory = [new ByteWriter(), new ByteWriter(), new ByteWriter()] as const;

  constructor(private readonly to: ByteWriter) {}

  /** Numbers of 32 bits. `isDefined`: `numbers` are those of the rows that have one. */
  packed(numbers: Int32Array, isDefined: Uint8Array | null = null): EncodedColumn {
    const values = this.empty(0);
    deltaBinaryPack(values, numbers, 'INT64');
    const bytes = values.getBytes();
    return { encoding: 'DELTA_BINARY_PACKED', values: bytes, dictionary: null, isDefined, isCompressed: false };
  }

  /** `numbers` are added to `first`, and the first one is 0: only the head has `first`, as all else are differences. */
  packedFrom(first: bigint, numbers: Int32Array): EncodedColumn {
    const column = this.packed(numbers);
    const values = this.empty(1);
    for (const size of [...BLOCK, numbers.length]) values.appendVarInt(size);
    const zeroBytes = 1;
    const rest = column.values.subarray(values.offset + zeroBytes);
    values.appendZigZag(first);
    values.appendBytes(rest);
    return { ...column, values: values.getBytes() };
  }

  /** Numbers of 64 bits. `isDefined`: as for `packed`. */
  plain(numbers: BigInt64Array, isDefined: Uint8Array | null = null): EncodedColumn {
    return { encoding: 'PLAIN', values: bytesOf(numbers), dictionary: null, isDefined, isCompressed: true };
  }

  /** Bytes of 1 for true, 0 for false. */
  flags(bytes: Uint8Array): EncodedColumn {
    const runs = this.empty(0);
    writeRleBitPackedHybrid(runs, bytes, 1);
    const values = this.empty(1);
    values.appendUint32(runs.offset);
    values.appendBytes(runs.getBytes());
    return { encoding: 'RLE', values: values.getBytes(), dictionary: null, isDefined: null, isCompressed: false };
  }

  /** `numbers`: of the values in the dictionary, by row that has one. */
  ofDictionary(
    numbers: Int32Array,
    dictionary: Dictionary,
    { isDefined = null, isCompressed = true }: Partial<Pick<EncodedColumn, 'isDefined' | 'isCompressed'>> = {},
  ): EncodedColumn {
    const values = this.empty(0);
    const bits = Math.ceil(Math.log2(Math.max(1, dictionary.length)));
    values.appendUint8(bits);
    writeRleBitPackedHybrid(values, numbers, bits);
    return { encoding: 'RLE_DICTIONARY', values: values.getBytes(), dictionary, isDefined, isCompressed };
  }

  /** Appends the pages of a column. `rows`: of the group. */
  write(element: SchemaElement, column: EncodedColumn, rows: number): ColumnChunk {
    const { to } = this;
    const { encoding, dictionary, isCompressed } = column;
    const start = to.offset;
    const saved = dictionary ? this.writeDictionary(dictionary, isCompressed) : 0;
    const dataStart = to.offset;
    const savedInData = this.writeValues(element, column, rows);
    const size = to.offset - start;
    return {
      file_offset: BigInt(start),
      meta_data: {
        type: element.type as NonNullable<SchemaElement['type']>,
        encodings: dictionary ? ['PLAIN', encoding] : [encoding],
        path_in_schema: [element.name],
        codec: isCompressed ? 'SNAPPY' : 'UNCOMPRESSED',
        num_values: BigInt(rows),
        total_compressed_size: BigInt(size),
        total_uncompressed_size: BigInt(size + saved + savedInData),
        data_page_offset: BigInt(dataStart),
        ...(dictionary && { dictionary_page_offset: BigInt(start) }),
      },
    };
  }

  /** Returns how many bytes compression saved. */
  private writeDictionary({ length, bytes }: Dictionary, isCompressed: boolean): number {
    const written = isCompressed ? snappyCompress(bytes) : bytes;
    writePageHeader(this.to, {
      type: 'DICTIONARY_PAGE',
      uncompressed_page_size: bytes.length,
      compressed_page_size: written.length,
      dictionary_page_header: { num_values: length, encoding: 'PLAIN' },
    });
    this.to.appendBytes(written);
    return bytes.length - written.length;
  }

  /** Writes one page, as row groups are small enough. Returns how many bytes compression saved. */
  private writeValues({ repetition_type }: SchemaElement, column: EncodedColumn, rows: number): number {
    const { encoding, values, isDefined, isCompressed } = column;
    const levels = this.empty(2);
    if (repetition_type === 'OPTIONAL') writeRleBitPackedHybrid(levels, isDefined ?? new Uint8Array(rows).fill(1), 1);
    const written = isCompressed ? snappyCompress(values) : values;
    writePageHeader(this.to, {
      type: 'DATA_PAGE_V2',
      uncompressed_page_size: levels.offset + values.length,
      compressed_page_size: levels.offset + written.length,
      data_page_header_v2: {
        num_values: rows,
        num_nulls: isDefined === null ? 0 : zerosIn(isDefined),
        num_rows: rows,
        encoding,
        definition_levels_byte_length: levels.offset,
        repetition_levels_byte_length: 0,
        is_compressed: isCompressed,
      },
    });
    this.to.appendBytes(levels.getBytes());
    this.to.appendBytes(written);
    return values.length - written.length;
  }

  private empty(which: 0 | 1 | 2): ByteWriter {
    const writer = this.memory[which];
    writer.index = writer.offset = 0;
    return writer;
  }
}

/** In the order of Parquet, which is that of all machines that Node runs on. */
export function bytesOf({ buffer, byteOffset, byteLength }: BigInt64Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

function zerosIn(values: Uint8Array): number {
  let zeros = 0;
  for (let at = 0; at < values.length; at++) if (values[at] === 0) zeros++;
  return zeros;
}

// The columns of a table → the schema of its Parquet file.

/** A column without its values. */
export interface ColumnShape {
  readonly name: string;
  /** `int64`: a whole number, or a bigint for all 64 bits. `time`: ms since 1970, UTC. */
  readonly kind: 'text' | 'int32' | 'int64' | 'flag' | 'time';
  /** The column may have no value in a row. Default: it has one in every row. */
  readonly isOptional?: boolean;
}

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
