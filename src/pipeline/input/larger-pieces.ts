/**
 * Joins the small pieces of a stream, as from a pipe, into larger ones: each piece has a fixed cost.
 */

/** Yields pieces of at least `size` bytes, except for the last one. A piece is valid only until the next one is read. */
export async function* inLargerPieces(bytes: AsyncIterable<Uint8Array>, size: number): AsyncGenerator<Uint8Array> {
  const buffer = Buffer.allocUnsafeSlow(size);
  let filled = 0;
  for await (const piece of bytes) {
    if (filled === 0 && piece.length >= size) {
      yield piece;
      continue;
    }
    for (let at = 0; at < piece.length; ) {
      const part = piece.subarray(at, at + size - filled);
      buffer.set(part, filled);
      filled += part.length;
      at += part.length;
      if (filled < size) continue;
      yield buffer;
      filled = 0;
    }
  }
  if (filled > 0) yield buffer.subarray(0, filled);
}
