/**
 * Text to read a trace or a profile from.
 */

/** A stream of `perf script` text. */
export interface TraceInput {
  /** For messages; inputs of equal times are ordered by name. */
  readonly name: string;
  readonly bytes: AsyncIterable<Uint8Array>;
  /** The number of bytes, exact or estimated; null: unknown. */
  readonly sizeBytes?: number | null;
  /** The file that consists of exactly these bytes; absent or null if they come from elsewhere. */
  readonly file?: SeekableFile | null;
}

/** An open file that can be read at any offset. */
export interface SeekableFile {
  readonly fd: number;
  readonly sizeBytes: number;
  /** Continues the stream of its bytes at this offset. */
  skipTo(at: number): void;
}
