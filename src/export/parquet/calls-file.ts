/**
 * Row groups of all threads → one Parquet file: their bytes are only moved.
 */
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import { type CallGroups, callsSchema } from './call-groups.js';
import { CREATOR, type RowGroup, taken } from './table.js';

/** The bytes of a file are: `head`, those of the threads in the order in which they were added, `end`. */
export class CallsFile {
  private readonly writer = new ByteWriter();
  private readonly file: ParquetWriter;

  constructor(id: string | null, about: Readonly<Record<string, string>>) {
    const kvMetadata = Object.entries(about).map(([key, value]) => ({ key, value }));
    const schema = callsSchema(id);
    this.file = new ParquetWriter({ writer: this.writer, schema, kvMetadata, createdBy: CREATOR });
  }

  /** Returns the bytes that come first. */
  head(): Uint8Array {
    return taken(this.writer);
  }

  /** Adds a thread, whose bytes come next. */
  add({ parts, groups }: CallGroups): void {
    const moved = BigInt(this.writer.offset);
    this.file.row_groups.push(...groups.map((group) => movedBy(moved, group)));
    for (const { num_rows } of groups) this.file.num_rows += num_rows;
    this.writer.offset += parts.reduce((sum, { length }) => sum + length, 0);
  }

  /** Returns the bytes that come last. */
  end(): Uint8Array {
    this.file.finish();
    return taken(this.writer);
  }
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
