/**
 * Files as all rooms read them: at any offset, at once.
 */

/** Names an open file in all workers. Plain data: a descriptor in Node, a Blob in browsers. */
export type FileRef = number | Blob;

export interface OpenFile {
  readonly ref: FileRef;
  /** Its size now. */
  readonly sizeBytes: number;
  /** Reads bytes from an offset on. Returns how many, which may be fewer; 0 at the end. @throws the system error */
  read(into: Uint8Array, at: number): number;
}

/** A file that whoever opened it closes. */
export interface OwnFile extends OpenFile {
  close(): void;
}

/** Reads until `into` is full or the file ends. Returns the number of bytes. @throws the system error */
export function readFully(file: OpenFile, into: Uint8Array, at: number): number {
  let length = 0;
  while (length < into.length) {
    const count = file.read(length === 0 ? into : into.subarray(length), at + length);
    if (count === 0) break;
    length += count;
  }
  return length;
}
