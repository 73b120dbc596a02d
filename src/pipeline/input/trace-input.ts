/**
 * A text to read, as whoever opened it describes it.
 */

/** A stream of `perf script` text. */
export interface TraceInput {
  /** For messages; inputs of equal times are put in the order of their names. */
  readonly name: string;
  readonly bytes: AsyncIterable<Uint8Array>;
  /** How many of them there are, or about; null if nobody knows. */
  readonly sizeBytes?: number | null;
  /** Where all these bytes are, and nothing else; absent or null if they come from elsewhere. */
  readonly file?: SeekableFile | null;
}

/** A file that lies open, to be read from anywhere. */
export interface SeekableFile {
  readonly fd: number;
  readonly sizeBytes: number;
  /** The stream of its bytes goes on here. */
  skipTo(at: number): void;
}
