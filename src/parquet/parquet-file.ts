/**
 * Row groups → one Parquet file: their bytes are only moved.
 */
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import type { RowGroup, SchemaElement } from './schema.js';

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
