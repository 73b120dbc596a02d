/**
 * Deflate, gzip and their checksum in browsers: zlib in JavaScript, which writes the same bytes as that of Node. What browsers
 * have of their own is asynchronous, and each compresses differently.
 */
import {
  Deflate,
  Z_BUF_ERROR,
  Z_FILTERED,
  Z_NO_FLUSH,
  Z_OK,
  Z_STREAM_END,
  Z_SYNC_FLUSH,
  ZStream,
  zlibInflate,
  zlibInflateInit2,
  zlibInflateReset,
} from 'pako';
import { joined } from '../../codec/bytes.js';
import type { DeflateSettings } from '../zip.js';

export type { DeflateSettings };

const POLYNOMIAL = 0xedb88320;
const CRC_OF_BYTE = Int32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? POLYNOMIAL : 0);
  return crc;
});

export function crc32(bytes: Uint8Array): number {
  let crc = -1;
  for (let at = 0; at < bytes.length; at++) crc = (crc >>> 8) ^ CRC_OF_BYTE[(crc ^ bytes[at]) & 255];
  return ~crc >>> 0;
}

/** zlib's `windowBits`. */
const Format = { Raw: -15, Zlib: 15, Gzip: 15 + 16 } as const;
type Format = (typeof Format)[keyof typeof Format];

/** A stream that is inflated piece by piece. */
class Inflating {
  /** The stream is complete, as far as it is known. */
  isComplete = false;
  private readonly stream = new ZStream();
  /** Whatever follows does not belong to the stream. */
  private isOver = false;

  constructor(
    private readonly format: Format,
    private readonly chunkBytes: number,
  ) {
    zlibInflateInit2(this.stream, format);
  }

  /** Yields what the next bytes inflate to. As in Node, a chunk with damage is lost. @throws if they are damaged */
  *piece(bytes: Uint8Array): Generator<Uint8Array> {
    if (this.isOver) return;
    const { stream, chunkBytes } = this;
    Object.assign(stream, { input: bytes, next_in: 0, avail_in: bytes.length });
    do {
      Object.assign(stream, { output: new Uint8Array(chunkBytes), next_out: 0, avail_out: chunkBytes });
      let status = zlibInflate(stream, Z_NO_FLUSH);
      while (status === Z_STREAM_END && this.begins()) status = zlibInflate(stream, Z_NO_FLUSH);
      if (status < Z_OK && status !== Z_BUF_ERROR) throw new Error(stream.msg);
      if (stream.next_out > 0) yield stream.output.subarray(0, stream.next_out);
      this.isComplete = status === Z_STREAM_END;
    } while (!this.isComplete && (stream.avail_in > 0 || stream.avail_out === 0));
    this.isOver = this.isComplete && stream.avail_in > 0;
  }

  /** Whether another member of a gzip file follows, and not zeros. */
  private begins(): boolean {
    const { stream } = this;
    if (this.format !== Format.Gzip || stream.avail_in === 0 || stream.input[stream.next_in] === 0) return false;
    zlibInflateReset(stream);
    return true;
  }
}

const MIN_CHUNK_BYTES = 64;
const MAX_CHUNK_BYTES = 2 ** 20;

export function inflateRaw(bytes: Uint8Array, maxBytes: number): Uint8Array | null {
  return inflated(bytes, maxBytes, Format.Raw);
}

export function inflateZlib(bytes: Uint8Array, maxBytes: number): Uint8Array | null {
  return inflated(bytes, maxBytes, Format.Zlib);
}

export function gunzipFirst(bytes: Uint8Array, maxBytes: number): Uint8Array | null {
  return inflated(bytes, maxBytes, Format.Gzip, true);
}

function inflated(bytes: Uint8Array, maxBytes: number, format: Format, isPart = false): Uint8Array | null {
  const inflating = new Inflating(format, Math.max(MIN_CHUNK_BYTES, Math.min(maxBytes, MAX_CHUNK_BYTES)));
  const pieces: Uint8Array[] = [];
  let length = 0;
  try {
    for (const piece of inflating.piece(bytes)) {
      length += piece.length;
      if (length > maxBytes) return null;
      pieces.push(piece);
    }
  } catch {
    return null;
  }
  return isPart || inflating.isComplete ? joined(pieces) : null;
}

export function deflateRaw(bytes: Uint8Array, settings: DeflateSettings): Uint8Array {
  const { level, isFiltered = false, before = null, isOpen = false } = settings;
  const strategy = isFiltered ? { strategy: Z_FILTERED } : {};
  const deflate = new Deflate({ level, raw: true, ...strategy, ...(before && { dictionary: before }) });
  const pieces: Uint8Array[] = [];
  deflate.onData = (piece) => pieces.push(piece.slice());
  deflate.push(bytes, isOpen ? Z_SYNC_FLUSH : true);
  return joined(pieces);
}

export async function deflateRawAside(bytes: Uint8Array, settings: DeflateSettings): Promise<Uint8Array> {
  return deflateRaw(bytes, settings);
}

export async function* gunzipped(bytes: AsyncIterable<Uint8Array>, chunkBytes = 2 ** 14): AsyncGenerator<Uint8Array> {
  const inflating = new Inflating(Format.Gzip, chunkBytes);
  for await (const piece of bytes) yield* inflating.piece(piece);
  if (!inflating.isComplete) throw new Error('unexpected end of file');
}
