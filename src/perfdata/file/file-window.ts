/**
 * A file of any size, of which one block at a time is in memory.
 */

/** What can be read at any place: a file that lies open, or bytes in memory. */
export interface RecordingFile {
  /** For messages. */
  readonly name: string;
  readonly sizeBytes: number;
  /** Fills `into` with what stands at `at`; says how many bytes there were. */
  read(into: Uint8Array, at: number): Promise<number>;
}

/** Of a record the head tells the size in 16 bits: a block of this size holds any. */
const MIN_BLOCK_BYTES = 64 * 1024;
const MAX_BLOCK_BYTES = 1024 * 1024;

/**
 * Blocks grow while the file is read on and on, and begin small behind a jump: of a file that is mostly trace, little is
 * read that nobody asked for.
 */
export class FileWindow {
  bytes = new Uint8Array(0);
  view = new DataView(this.bytes.buffer);
  /** Where in the file the block begins. */
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

  /** Reads the block that begins at `at`; at the end of the file it is short. */
  async moveTo(at: number): Promise<void> {
    this.signal?.throwIfAborted();
    const goesOn = at >= this.start && at <= this.start + this.bytes.length;
    this.nextBytes = goesOn ? Math.min(2 * this.nextBytes, MAX_BLOCK_BYTES) : MIN_BLOCK_BYTES;
    this.bytes = await readFully(this.file, this.buffer.subarray(0, this.nextBytes), at);
    this.view = new DataView(this.bytes.buffer, 0, this.bytes.length);
    this.start = at;
  }
}

/** What there is of it, up to the end of the file. */
export async function readFully(file: RecordingFile, into: Uint8Array, at: number): Promise<Uint8Array<ArrayBuffer>> {
  let length = 0;
  while (length < into.length) {
    const count = await file.read(into.subarray(length), at + length);
    if (count <= 0) break;
    length += count;
  }
  return into.subarray(0, length) as Uint8Array<ArrayBuffer>;
}
