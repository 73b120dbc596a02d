/**
 * Unpacks a pack: its entries become Blobs, by their names in the archive.
 */

import { piecesOf } from '../../host/browser/files.js';
import { readPackEntries } from '../../perfdata/pack/read-pack.js';
import type { EngineProgress } from '../messages.js';

/** @throws PtflameError PACK_DAMAGED, NEWER_VERSION */
export async function unpack(file: File, tell: (progress: EngineProgress) => void): Promise<Map<string, Blob>> {
  const entries = new Map<string, Blob>();
  const inflated = file.stream().pipeThrough(counted(file.size, tell)).pipeThrough(new DecompressionStream('gzip'));
  await readPackEntries({ name: file.name, sizeBytes: file.size }, piecesOf(inflated), async (name, bytes) => {
    const parts: Blob[] = [];
    for await (const piece of bytes) parts.push(new Blob([piece as Uint8Array<ArrayBuffer>]));
    entries.set(name, new Blob(parts));
  });
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
