/**
 * Bytes that gzip compressed in, the bytes themselves out, as far as they can be had.
 */
import { createGunzip } from 'node:zlib';
import { READ_BYTES } from './text-file.js';

/** Gives everything that stands before the damage, where there is some. */
export async function* gunzipped(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
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
    const error = await step((done) => gunzip.write(piece, done));
    yield* text.splice(0);
    if (error) throw error;
  }
  const error = await step((done) => gunzip.once('end', done).end());
  yield* text.splice(0);
  if (error) throw error;
}

/** The sizes of pieces, by what came before: the same however the bytes arrive. */
function smallPiece(total: number): number {
  return Math.floor(Math.min(Math.max(64, total / 64), 8192));
}

/** zlib gives nothing of a piece in which it finds an error: the smaller the pieces, the less is lost before it. */
async function* inSmallPieces(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let total = 0;
  let rest: Uint8Array = new Uint8Array();
  for await (const chunk of bytes) {
    rest = Buffer.concat([rest, chunk]); // a copy: the piece is good until the next one only
    for (let size = smallPiece(total); rest.length >= size; size = smallPiece(total)) {
      yield rest.subarray(0, size);
      rest = rest.subarray(size);
      total += size;
    }
  }
  if (rest.length > 0) yield rest;
}
