/**
 * Unpacks a pack: its entries become Blobs, by their names in the archive.
 */
import { piecesOf } from '../../host/browser/files.js';
import { PtflameError } from '../../model/errors.js';
import { damaged, readEntries } from '../../perfdata/pack/entries.js';
import type { EngineProgress } from '../messages.js';

/** @throws PtflameError PACK_DAMAGED, NEWER_VERSION */
export async function unpack(file: File, tell: (progress: EngineProgress) => void): Promise<Map<string, Blob>> {
  const { name, size: sizeBytes } = file;
  const entries = new Map<string, Blob>();
  const inflated = file.stream().pipeThrough(counted(sizeBytes, tell)).pipeThrough(new DecompressionStream('gzip'));
  try {
    await readEntries({ name, sizeBytes, inflated: piecesOf(inflated) }, async (entry, bytes) => {
      const parts: Blob[] = [];
      for await (const piece of bytes) parts.push(new Blob([piece as Uint8Array<ArrayBuffer>]));
      entries.set(entry, new Blob(parts));
      return 0; // no folders
    });
  } catch (cause) {
    throw cause instanceof PtflameError ? cause : damaged(name, cause);
  }
  return entries;
}

function counted(of: number, tell: (progress: EngineProgress) => void): TransformStream<BufferSource, BufferSource> {
  let done = 0;
  return new TransformStream({
    transform(piece: Uint8Array<ArrayBuffer>, controller) {
      done += piece.length;
      tell({ phase: 'unpack', done, of });
      controller.enqueue(piece);
    },
  });
}
