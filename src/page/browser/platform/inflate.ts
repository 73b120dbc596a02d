/**
 * Inflates what is in the page.
 */

/** Inflates in one write: a source stream would copy the data piece by piece. */
export async function inflated(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const { writable, readable } = new DecompressionStream('deflate-raw');
  const writer = writable.getWriter();
  const isWritten = Promise.all([writer.write(bytes), writer.close()]);
  const [buffer] = await Promise.all([new Response(readable).arrayBuffer(), isWritten]);
  return new Uint8Array(buffer);
}

/** In browsers since the end of 2025. */
interface FromBase64 {
  readonly fromBase64?: (text: string) => Uint8Array<ArrayBuffer>;
}

export function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  const { fromBase64 } = Uint8Array as FromBase64;
  if (fromBase64 !== undefined) return fromBase64.call(Uint8Array, base64);
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < bytes.length; at++) bytes[at] = text.charCodeAt(at);
  return bytes;
}
