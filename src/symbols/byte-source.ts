/**
 * Reads a file part by part: only a small part of a large binary holds its symbols.
 */
export interface ByteSource {
  readonly length: number; // bytes
  /** Returns fewer bytes at the end of the file. */
  read(at: number, length: number): Uint8Array;
}

/** Wraps bytes in memory. */
export function sourceOf(bytes: Uint8Array): ByteSource {
  return {
    length: bytes.length,
    read: (at, length) => bytes.subarray(Math.min(at, bytes.length), Math.min(at + length, bytes.length)),
  };
}

const EMPTY = new Uint8Array(0);

/** Symbol tables are shorter; a sparse file may claim any length. */
const MAX_PART_BYTES = 2 ** 30;

/** Whether the file has such a part, of at most `MAX_PART_BYTES`. */
export function holds(source: ByteSource, at: number, length: number): boolean {
  return at >= 0 && length > 0 && length <= MAX_PART_BYTES && at + length <= source.length;
}

/** Returns the complete part, or no bytes if the file ends before it: sizes in a file cannot be trusted. */
export function partOf(source: ByteSource, at: number, length: number): Uint8Array {
  if (!holds(source, at, length)) return EMPTY;
  const bytes = source.read(at, length);
  return bytes.length === length ? bytes : EMPTY;
}

const HIGH_WORD = 2 ** 32;

/** Reads a 64-bit number; the upper half is negative, as in `Address`. Inexact beyond 2^53. */
export function wordAt(view: DataView, at: number): number {
  return view.getInt32(at + 4, true) * HIGH_WORD + view.getUint32(at, true);
}

/** Mangled names of templates have thousands of bytes. A longer name would be in each table and page that shows it. */
export const MAX_NAME_BYTES = 16 * 1024;

/**
 * Reads the name at an offset of a string table. One of more than `MAX_NAME_BYTES` is cut, and marked with where it is:
 * another that begins like it stays another.
 */
export function tableName(bytes: Uint8Array, at: number): string {
  const head = bytes.subarray(at, at + MAX_NAME_BYTES + 1);
  const name = textAt(head, 0);
  if (head.length <= MAX_NAME_BYTES || head.includes(0)) return name;
  return cutName(name, at);
}

/** `at`: what tells it from others that begin like it. */
export function cutName(name: string, at: number): string {
  return name.length <= MAX_NAME_BYTES ? name : `${name.slice(0, CUT_NAME_CHARS)}…[cut, 0x${at.toString(16)}]`;
}

const CUT_NAME_CHARS = 1024;

/** Reads UTF-8 text up to a zero byte. */
export function textAt(bytes: Uint8Array, at: number): string {
  const zero = bytes.indexOf(0, at);
  return decodeText(bytes.subarray(at, zero === -1 ? bytes.length : zero));
}

const utf8 = new TextDecoder();

/** Nearly all names are short and ASCII: appending characters is faster than TextDecoder. */
export function decodeText(bytes: Uint8Array): string {
  if (bytes.length > 200) return utf8.decode(bytes);
  let text = '';
  for (const byte of bytes) {
    if (byte >= 0x80) return utf8.decode(bytes);
    text += String.fromCharCode(byte);
  }
  return text;
}
