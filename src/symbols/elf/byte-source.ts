/**
 * Bytes of a file, a part at a time: a program of 200 MB has its symbols in a small part of it.
 */
export interface ByteSource {
  readonly length: number; // bytes
  /** Fewer than asked for where the file ends. */
  read(at: number, length: number): Uint8Array;
}

/** Of bytes that are in memory. */
export function sourceOf(bytes: Uint8Array): ByteSource {
  return {
    length: bytes.length,
    read: (at, length) => bytes.subarray(Math.min(at, bytes.length), Math.min(at + length, bytes.length)),
  };
}

const EMPTY = new Uint8Array(0);

/** No table of symbols is longer; a file may be, without taking any space. */
const MAX_PART_BYTES = 2 ** 30;

/** Whether the file has such a part. */
export function holds(source: ByteSource, at: number, length: number): boolean {
  return at >= 0 && length > 0 && length <= MAX_PART_BYTES && at + length <= source.length;
}

/** All of the part, or nothing if the file ends before it does: sizes in a file are not to be trusted. */
export function partOf(source: ByteSource, at: number, length: number): Uint8Array {
  if (!holds(source, at, length)) return EMPTY;
  const bytes = source.read(at, length);
  return bytes.length === length ? bytes : EMPTY;
}

export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

const HIGH_WORD = 2 ** 32;

/** A 64-bit number; one in the upper half is negative, as an `Address` is. Beyond 2^53 it is only near. */
export function wordAt(view: DataView, at: number): number {
  return view.getInt32(at + 4, true) * HIGH_WORD + view.getUint32(at, true);
}

/** Text up to its zero, each byte a character if it is no UTF-8. */
export function textAt(bytes: Uint8Array, at: number): string {
  const zero = bytes.indexOf(0, at);
  return decodeText(bytes.subarray(at, zero === -1 ? bytes.length : zero));
}

const utf8 = new TextDecoder();

/** Names are nearly all short and ASCII: putting them together here is faster than the decoder. */
export function decodeText(bytes: Uint8Array): string {
  if (bytes.length > 200) return utf8.decode(bytes);
  let text = '';
  for (const byte of bytes) {
    if (byte >= 0x80) return utf8.decode(bytes);
    text += String.fromCharCode(byte);
  }
  return text;
}
