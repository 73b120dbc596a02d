/**
 * Decompresses a gzip stream; of a damaged one, everything before the damage.
 */
import { createGunzip } from 'node:zlib';
import { READ_BYTES } from './text-file.js';

/**
 * Yields everything before the damage, if there is any, then throws. `onPacked` receives the size of each piece before it is
 * unpacked.
 */
export async function* gunzipped(
  bytes: AsyncIterable<Uint8Array>,
  onPacked: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  const gunzip = createGunzip({ chunkSize: READ_BYTES });
  const text: Uint8Array[] = [];
  gunzip.on('data', (piece: Uint8Array) => text.push(piece));
  let settle: (error: Error) => void = () => {};
  gunzip.on('error', (error) => settle(error)); // the callback of the write that failed is never called
  const step = (begin: (done: () => void) => void) =>
    new Promise<Error | null>((done) => {
      settle = done;
      begin(() => done(null));
    });
  for await (const piece of inSmallPieces(bytes)) {
    onPacked(piece.length);
    const error = await step((done) => gunzip.write(piece, done));
    yield* text.splice(0);
    if (error) throw error;
  }
  const error = await step((done) => gunzip.once('end', done).end());
  yield* text.splice(0);
  if (error) throw error;
}

/** Returns the size of the next piece. It depends only on the bytes before it, not on how they arrive. */
function smallPiece(total: number): number {
  return Math.floor(Math.min(Math.max(64, total / 64), 8192));
}

/** zlib returns nothing of a piece that contains an error: the smaller the pieces, the less is lost before the error. */
async function* inSmallPieces(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let total = 0;
  let rest: Uint8Array = new Uint8Array();
  for await (const chunk of bytes) {
    rest = Buffer.concat([rest, chunk]); // a copy: a chunk is valid only until the next one is read
    for (let size = smallPiece(total); rest.length >= size; size = smallPiece(total)) {
      yield rest.subarray(0, size);
      rest = rest.subarray(size);
      total += size;
    }
  }
  if (rest.length > 0) yield rest;
}
