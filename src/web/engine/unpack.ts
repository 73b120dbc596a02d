/**
 * Unpacks a pack: its entries become Blobs, by their names in the archive.
 */
import { inOrder, piecesOf } from '../../host/browser/files.js';
import { PtflameError } from '../../model/errors.js';
import { damaged, readEntries } from '../../perfdata/pack/entries.js';
import { inLargerPieces } from '../../pipeline/read/text-source.js';
import type { EngineProgress } from '../messages.js';

/** @throws PtflameError PACK_DAMAGED, NEWER_VERSION */
export async function unpack(file: File, tell: (progress: EngineProgress) => void): Promise<Map<string, Blob>> {
  const { name, size: sizeBytes } = file;
  const entries = new Map<string, Blob>();
  const { writable, readable } = new DecompressionStream('gzip');
  void writeInto(writable, file, tell);
  try {
    await readEntries({ name, sizeBytes, inflated: piecesOf(readable) }, async (entry, bytes) => {
      const parts: Blob[] = [];
      for await (const piece of inLargerPieces(bytes, PART_BYTES)) parts.push(new Blob([piece as BlobPart]));
      entries.set(entry, new Blob(parts));
      return 0; // no folders
    });
  } catch (cause) {
    throw cause instanceof PtflameError ? cause : damaged(name, cause);
  }
  return entries;
}

const PIECE_BYTES = 256 * 1024;
/** The browser is told of each part. */
const PART_BYTES = 4 * 1024 * 1024;

/** Whoever reads what comes out gets the errors. */
async function writeInto(
  writable: WritableStream<BufferSource>,
  file: File,
  tell: (progress: EngineProgress) => void,
): Promise<void> {
  const writer = writable.getWriter();
  let done = 0;
  try {
    for await (const piece of inOrder(file, PIECE_BYTES)) {
      done += piece.length;
      tell({ phase: 'unpack', done, of: file.size });
      await writer.write(piece as Uint8Array<ArrayBuffer>);
    }
    await writer.close();
  } catch (error) {
    await writer.abort(error).catch(() => {}); // it has failed already
  }
}
