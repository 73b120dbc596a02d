/**
 * Decodes short texts that repeat, such as names of threads, to the same string.
 */
const SLOTS = 4096;
const MAX_CACHED_BYTES = 64;

const bytesOf: (Uint8Array | undefined)[] = new Array(SLOTS);
const texts: string[] = new Array(SLOTS).fill('');

/** Decodes UTF-8 up to the first zero byte. */
export function shortText(view: DataView, at: number, count: number): string {
  let hash = 0;
  let length = 0;
  for (let byte = 0; length < count && (byte = view.getUint8(at + length)) !== 0; length++)
    hash = (Math.imul(hash, 31) + byte) | 0;
  if (length === 0) return '';
  const bytes = new Uint8Array(view.buffer, view.byteOffset + at, length);
  if (length > MAX_CACHED_BYTES) return decode(bytes);
  const slot = (hash ^ (hash >>> 12)) & (SLOTS - 1);
  const cached = bytesOf[slot];
  if (cached !== undefined && isEqual(cached, bytes)) return texts[slot] as string;
  bytesOf[slot] = bytes.slice();
  return (texts[slot] = decode(bytes));
}

function decode({ buffer, byteOffset, length }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, length).toString();
}

function isEqual(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  for (let at = 0; at < a.length; at++) if (a[at] !== b[at]) return false;
  return true;
}
