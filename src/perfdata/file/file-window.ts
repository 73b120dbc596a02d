/**
 * Reads a file of any size with one block of it in memory at a time.
 */

/** A source of bytes at any offset: an open file, or bytes in memory. */
export interface RecordingFile {
  /** For messages. */
  readonly name: string;
  readonly sizeBytes: number;
  /** Reads the bytes at `at` into `into`; returns how many there were. */
  read(into: Uint8Array, at: number): Promise<number>;
}

/** The head of a record gives its size in 16 bits: a block of this size holds any record. */
const MIN_BLOCK_BYTES = 64 * 1024;
const MAX_BLOCK_BYTES = 1024 * 1024;

/**
 * Blocks grow while the file is read sequentially, and start small again after a jump: in a file that is mostly trace,
 * few bytes are read in vain.
 */
export class FileWindow {
  bytes = new Uint8Array(0);
  view = new DataView(this.bytes.buffer);
  /** Offset of the block in the file. */
  start = 0;
  private readonly file: RecordingFile;
  private readonly signal: AbortSignal | undefined;
  private readonly buffer = new Uint8Array(MAX_BLOCK_BYTES);
  private nextBytes = MIN_BLOCK_BYTES;

  constructor(file: RecordingFile, signal?: AbortSignal) {
    this.file = file;
    this.signal = signal;
  }

  holds(at: number, count: number): boolean {
    return at >= this.start && at + count <= this.start + this.bytes.length;
  }

  /** Reads the block that begins at `at`; at the end of the file it is shorter. */
  async moveTo(at: number): Promise<void> {
    this.signal?.throwIfAborted();
    const goesOn = at >= this.start && at <= this.start + this.bytes.length;
    this.nextBytes = goesOn ? Math.min(2 * this.nextBytes, MAX_BLOCK_BYTES) : MIN_BLOCK_BYTES;
    this.bytes = await readFully(this.file, this.buffer.subarray(0, this.nextBytes), at);
    this.view = new DataView(this.bytes.buffer, 0, this.bytes.length);
    this.start = at;
  }
}

/** Fills `into`; at the end of the file it returns fewer bytes. */
export async function readFully(file: RecordingFile, into: Uint8Array, at: number): Promise<Uint8Array<ArrayBuffer>> {
  let length = 0;
  while (length < into.length) {
    const count = await file.read(into.subarray(length), at + length);
    if (count <= 0) break;
    length += count;
  }
  return into.subarray(0, length) as Uint8Array<ArrayBuffer>;
}
