/**
 * Inflates the records that `perf record -z` compressed: one stream of zstd, cut into records anywhere, also inside the
 * records that it holds. The trace itself is never compressed.
 */
import { setImmediate } from 'node:timers/promises';
import { loadZstd, ZstdFault } from '../../codec/zstd.js';
import type { Damage } from './damage.js';
import { type FileRecord, RECORD_HEAD_BYTES } from './walk.js';

/** Records of the kernel shrink to a tenth; those that repeat, to a fiftieth. */
const MAX_RATIO = 256;
const ALWAYS_ALLOWED_BYTES = 64 * 1024 * 1024;

/** Those of one recording, in the order of the file. */
export class CompressedRecords {
  private readonly pieces: Uint8Array[] = [];
  private sizeBytes = 0;

  /** Copies a piece of the stream. */
  add(view: DataView, start: number, end: number): void {
    const piece = new Uint8Array(view.buffer, view.byteOffset + start, end - start).slice();
    if (piece.length > 0) this.pieces.push(piece);
    this.sizeBytes += piece.length;
  }

  /** Calls `visit` with each record. What cannot be read is added to `damage`, and so is all that follows. */
  async walk(visit: (record: FileRecord) => void, damage: Damage, signal?: AbortSignal): Promise<void> {
    if (this.pieces.length === 0) return;
    const { stream } = await loadZstd();
    let rest = new Uint8Array(0);
    let inflatedBytes = 0;
    try {
      for (const piece of stream(this.pieces)) {
        inflatedBytes += piece.length;
        if (inflatedBytes > ALWAYS_ALLOWED_BYTES + MAX_RATIO * this.sizeBytes)
          return damage.add(`its compressed records inflate to more than ${MAX_RATIO} times their size`);
        rest = visitAll(Buffer.concat([rest, piece]), inflatedBytes - piece.length - rest.length, visit);
        if (isStuck(rest)) return damage.add('a compressed record has no size: everything after it is ignored');
        await setImmediate(); // lets signals arrive
        signal?.throwIfAborted();
      }
    } catch (error) {
      if (!(error instanceof ZstdFault)) throw error;
      return damage.add(`its compressed records are damaged after ${inflatedBytes} bytes: ${error.message}`);
    }
    if (rest.length > 0) damage.add('the last compressed record is truncated');
  }
}

/** Returns what is left after the last whole record. `offset`: of the bytes in the inflated stream. */
function visitAll(bytes: Uint8Array, offset: number, visit: (record: FileRecord) => void): Uint8Array<ArrayBuffer> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let at = 0;
  while (at + RECORD_HEAD_BYTES <= bytes.length) {
    const end = at + view.getUint16(at + 6, true);
    if (end > bytes.length || end < at + RECORD_HEAD_BYTES) break;
    const [type, misc] = [view.getUint32(at, true), view.getUint16(at + 4, true)];
    visit({ view, at, end, offset: offset + at, type, misc });
    at = end;
  }
  return Uint8Array.from(bytes.subarray(at));
}

function isStuck(rest: Uint8Array): boolean {
  return rest.length >= RECORD_HEAD_BYTES && new DataView(rest.buffer).getUint16(6, true) < RECORD_HEAD_BYTES;
}
