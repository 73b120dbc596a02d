/**
 * Inflates what zstd compressed: sections of binaries, records of `perf record -z`. Node 20 has no zstd; this is libzstd in
 * WebAssembly, which checks every length that a hostile frame may claim.
 */

import { joined } from './bytes.js';

/** Compressed bytes that are handed over at once; libzstd returns 128 KiB at once. */
const PIECE_BYTES = 2 ** 17;
/** A call without output means that it has read its piece, or the end of a frame; more of them in a row, that it is stuck. */
const MAX_EMPTY_OUTPUTS = 16;
/** The package frees the memory of streams that were read to their end only: up to 128 MiB, libzstd's largest window. */
const MAX_UNFINISHED = 8;

/** The frames are damaged, or inflate to more than the caller allows. */
export class ZstdFault extends Error {
  constructor(
    readonly code: 'damaged' | 'too-large',
    message: string,
  ) {
    super(message);
  }
}

export interface Zstd {
  /** Inflates complete frames. @throws ZstdFault if they are damaged, or inflate to more than `maxBytes` */
  inflate(bytes: Uint8Array, maxBytes: number): Uint8Array;
  /**
   * Inflates frames that come in pieces, cut anywhere; yields 128 KiB at most, before it takes the next piece. The last frame
   * need not end: perf never ends its own. The caller bounds the sum. @throws ZstdFault if they are damaged
   */
  stream(pieces: Iterable<Uint8Array>): Generator<Uint8Array, void, void>;
}

let loading: Promise<Zstd> | null = null;

/** Loads libzstd, once in a process. */
export function loadZstd(): Promise<Zstd> {
  loading ??= load();
  return loading;
}

async function load(): Promise<Zstd> {
  const { ZSTDDecoder } = await import('zstddec/stream');
  const decoder = new ZSTDDecoder();
  await decoder.init();
  let unfinished = 0;
  /** The package repeats a failed call for ever, and throws after a last frame without an end. */
  function* stream(pieces: Iterable<Uint8Array>, mustEnd: boolean): Generator<Uint8Array, void, void> {
    if (unfinished >= MAX_UNFINISHED) throw new ZstdFault('damaged', 'too many damaged zstd frames before it');
    unfinished++;
    let empty = 0;
    let isRead = false;
    const counted = function* () {
      for (const piece of pieces) {
        empty = 0;
        yield piece;
      }
      isRead = true;
      unfinished--;
    };
    try {
      for (const inflated of decoder.decodeStreaming(counted())) {
        empty = inflated.length === 0 ? empty + 1 : 0;
        if (empty > MAX_EMPTY_OUTPUTS) throw new ZstdFault('damaged', 'damaged zstd data');
        if (inflated.length > 0) yield inflated;
      }
    } catch (error) {
      if (!isRead) throw error;
      if (mustEnd) throw new ZstdFault('damaged', 'zstd data ends too early');
    }
  }
  return {
    stream: (pieces) => stream(pieces, false),
    inflate: (bytes, maxBytes) => collected(stream(piecesOf(bytes), true), maxBytes),
  };
}

function* piecesOf(bytes: Uint8Array): Generator<Uint8Array, void, void> {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) yield bytes.subarray(at, at + PIECE_BYTES);
}

function collected(pieces: Iterable<Uint8Array>, maxBytes: number): Uint8Array {
  const parts: Uint8Array[] = [];
  let length = 0;
  for (const piece of pieces) {
    length += piece.length;
    if (length > maxBytes) throw new ZstdFault('too-large', `zstd data inflates to more than ${maxBytes} bytes`);
    parts.push(piece);
  }
  return joined(parts);
}
