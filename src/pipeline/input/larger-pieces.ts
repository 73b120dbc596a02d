/**
 * A stream that comes in small pieces, as from a pipe, in larger ones: each piece costs something, whatever its size.
 */

/** Pieces of `size` bytes or more, but for the last one. A piece is good until the next one is asked for. */
export async function* inLargerPieces(bytes: AsyncIterable<Uint8Array>, size: number): AsyncGenerator<Uint8Array> {
  const room = Buffer.allocUnsafeSlow(size);
  let filled = 0;
  for await (const piece of bytes) {
    if (filled === 0 && piece.length >= size) {
      yield piece;
      continue;
    }
    for (let at = 0; at < piece.length; ) {
      const part = piece.subarray(at, at + size - filled);
      room.set(part, filled);
      filled += part.length;
      at += part.length;
      if (filled < size) continue;
      yield room;
      filled = 0;
    }
  }
  if (filled > 0) yield room.subarray(0, filled);
}
