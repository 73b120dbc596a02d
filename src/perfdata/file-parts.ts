/**
 * Reads a file of any size with one block of it in memory at a time, and the numbers and texts in its sections.
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
  private readonly buffer = new Uint8Array(MAX_BLOCK_BYTES);
  private nextBytes = MIN_BLOCK_BYTES;

  constructor(
    private readonly file: RecordingFile,
    private readonly signal?: AbortSignal,
  ) {}

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

/** Sections of the file: where they are, whether they are complete, and the values in them. */
export interface Section {
  readonly offset: number;
  readonly sizeBytes: number;
}

export const SECTION_BYTES = 16;

/** Values above 2^53 are not exact, but beyond the end of any file. */
export function readU64(view: DataView, at: number): number {
  return view.getUint32(at + 4, true) * 2 ** 32 + view.getUint32(at, true);
}

export function readSection(view: DataView, at: number): Section {
  return { offset: readU64(view, at), sizeBytes: readU64(view, at + 8) };
}

/** Far above any section that is read at once: sizes in the file are not trusted. */
const MAX_BYTES = 32 * 1024 * 1024;

/** Returns null if the section is not completely in the file, or larger than it can be. */
export async function loadSection(file: RecordingFile, section: Section): Promise<DataView | null> {
  const { offset, sizeBytes } = section;
  if (offset + sizeBytes > file.sizeBytes || sizeBytes > MAX_BYTES) return null;
  const bytes = await readFully(file, new Uint8Array(sizeBytes), offset);
  return bytes.length === sizeBytes ? new DataView(bytes.buffer) : null;
}

const UTF8 = new TextDecoder();

/** Reads values from a section one after the other; throws a RangeError at its end. */
export class SectionReader {
  private at = 0;

  constructor(private readonly view: DataView) {}

  u8(): number {
    return this.view.getUint8(this.skip(1));
  }

  u32(): number {
    return this.view.getUint32(this.skip(4), true);
  }

  u64(): number {
    return readU64(this.view, this.skip(8));
  }

  bytes(count: number): DataView {
    const start = this.skip(count);
    return new DataView(this.view.buffer, this.view.byteOffset + start, count);
  }

  /** Up to the next zero byte. */
  line(): string {
    const rest = new Uint8Array(this.view.buffer, this.view.byteOffset + this.at, this.view.byteLength - this.at);
    const length = rest.indexOf(0);
    if (length === -1) throw new RangeError('a text without an end');
    return textOf(this.bytes(length + 1));
  }

  /** A text after its length in 64 bits. */
  longText(): string {
    return textOf(this.bytes(this.u64()));
  }

  /** perf writes the padded length, then the text and zeros up to that length. */
  text(): string {
    return textOf(this.bytes(this.u32()));
  }

  private skip(count: number): number {
    this.at += count;
    return this.at - count;
  }
}

/** Up to the first zero byte. */
export function textOf(view: DataView): string {
  const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
  const end = bytes.indexOf(0);
  return UTF8.decode(end === -1 ? bytes : bytes.subarray(0, end));
}
