/**
 * Splits a file of trace text into pieces: each is a range of bytes, extended to the end of its last line.
 */
import { readSync } from 'node:fs';
import type { SeekableFile } from '../input/trace-input.js';
import { PIECE_BYTES, type ReadPiece } from './piece-readers.js';
import type { Piece, TextPieces } from './text-pieces.js';

/** Those at the worker (workers/worker-pool.ts), and one that waits for its turn to be consumed. */
const PIECES_PER_WORKER = 4;

/** Whether there is a full part from `at` on, and more after it. */
export function hasPart({ sizeBytes }: SeekableFile, at: number): boolean {
  return endOf(at) < sizeBytes;
}

/**
 * Reads parts, beginning with the line at `from`, and returns where the last one ended. Left over are the last lines of the file, and
 * all lines after a part that could not be read. `moveTo` is called with the end of each part.
 */
export async function readParts(
  file: SeekableFile,
  from: number,
  pieces: TextPieces,
  moveTo: (at: number) => void,
): Promise<number> {
  let at = from;
  const follows = (read: ReadPiece) => {
    if (read.from !== at) return false; // no line end was found, or the file was rewritten meanwhile
    at = read.to;
    return true;
  };
  const nextPiece = async () => {
    const isConsumed = await pieces.consumeOldest();
    if (isConsumed) moveTo(at);
    return isConsumed && pieces.isHelped;
  };
  let goesOn = true;
  for (let start = from - 1; goesOn && hasPart(file, start); start = endOf(start)) {
    pieces.handOut(partFrom(start, file, pieces, follows));
    if (pieces.isFull(PIECES_PER_WORKER)) goesOn = await nextPiece();
  }
  while (goesOn && pieces.isWaiting) goesOn = await nextPiece();
  await pieces.discard();
  return at;
}

/** Reads all lines that begin after `start`, up to the beginning of the next part. */
function partFrom(start: number, { fd }: SeekableFile, pieces: TextPieces, follows: Piece['follows']): Piece {
  const slot = pieces.freeSlot();
  const task = { fd, start, end: endOf(start), events: slot.events, originSeconds: pieces.originSeconds };
  const lines = ({ from, to }: ReadPiece) => bytesOf(fd, from, to);
  return { slot, reading: pieces.readers.readPart(task), before: [], overlong: 0, follows, lines };
}

function endOf(start: number): number {
  return start + PIECE_BYTES;
}

/** Reads bytes again. If the file was truncated in between, the missing bytes are zeros and count as damage. */
function bytesOf(fd: number, from: number, to: number): Uint8Array {
  const bytes = new Uint8Array(to - from);
  for (let at = 0; at < bytes.length; ) {
    const count = readSync(fd, bytes, at, bytes.length - at, from + at);
    if (count === 0) break;
    at += count;
  }
  return bytes;
}
