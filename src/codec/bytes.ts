/**
 * Turns bytes into texts and back, and compares and joins them, in Node and in browsers alike.
 *
 * Recorded names are bytes in any encoding. As latin1 each byte is a character, and none is lost.
 */

/** `TextDecoder('latin1')` would not do: it decodes windows-1252, which has other characters from 0x80 to 0x9f. */
export function latin1Text(bytes: Uint8Array, start = 0, maxEnd = bytes.length): string {
  const end = Math.min(maxEnd, bytes.length);
  let text = '';
  let at = start;
  for (; at + 8 <= end; at += 8)
    text += String.fromCharCode(
      bytes[at],
      bytes[at + 1],
      bytes[at + 2],
      bytes[at + 3],
      bytes[at + 4],
      bytes[at + 5],
      bytes[at + 6],
      bytes[at + 7],
    );
  for (; at < end; at++) text += String.fromCharCode(bytes[at]);
  return text;
}

/** Each character must be one byte. */
export function latin1Bytes(text: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at);
  return bytes;
}

const DECODER = new TextDecoder('utf-8', { ignoreBOM: true });
const ENCODER = new TextEncoder();

/** Invalid bytes become U+FFFD; a byte order mark stays. */
export function utf8Text(bytes: Uint8Array, start = 0, end = bytes.length): string {
  const part = bytes.subarray(start, end);
  return DECODER.decode(part.buffer instanceof ArrayBuffer ? part : part.slice()); // browsers refuse shared memory
}

export function utf8Bytes(text: string): Uint8Array<ArrayBuffer> {
  return ENCODER.encode(text) as Uint8Array<ArrayBuffer>;
}

/** Two digits a byte. */
export function hexText(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

export function base64Text(bytes: Uint8Array): string {
  return btoa(latin1Text(bytes));
}

export function base64Bytes(text: string): Uint8Array<ArrayBuffer> {
  return latin1Bytes(atob(text));
}

/** Copies parts into one after the other. */
export function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

export function isEqual(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  for (let at = 0; at < a.length; at++) if (a[at] !== b[at]) return false;
  return true;
}

/** Whether bytes begin with others. */
export function beginsWith(bytes: Uint8Array, first: Uint8Array): boolean {
  return first.every((byte, at) => byte === bytes[at]);
}

/** Returns the offset of the first place from `from` on that has the wanted bytes; −1: none has. */
export function indexOfBytes(bytes: Uint8Array, wanted: Uint8Array, from = 0): number {
  const last = wanted.length - 1;
  for (let at = from; at + last < bytes.length; ) {
    const byte = bytes[at + last];
    if (byte === wanted[last] && beginsWith(bytes.subarray(at, at + last), wanted.subarray(0, last))) return at;
    at += last - (last === 0 ? -1 : wanted.lastIndexOf(byte, last - 1));
  }
  return -1;
}

/** Reads and writes numbers in the same memory. */
export function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}
