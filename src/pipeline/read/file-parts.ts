/**
 * A file of trace text as pieces: each is a part of its bytes, and the rest of the line behind them.
 */
import { readSync } from 'node:fs';
import type { SeekableFile } from '../input/trace-input.js';
import { PIECE_BYTES, type ReadPiece } from './piece-readers.js';
import type { Piece, TextPieces } from './text-pieces.js';

/** There is a part from `at` on, and more behind it. */
export function hasPart({ sizeBytes }: SeekableFile, at: number): boolean {
  return endOf(at) < sizeBytes;
}

/**
 * Takes parts from a line on; gives where it ended. The last lines of the file are left, and what no part could be made of.
 * `moveTo` is told of the end of each part.
 */
export async function readParts(
  file: SeekableFile,
  from: number,
  pieces: TextPieces,
  moveTo: (at: number) => void,
): Promise<number> {
  let at = from;
  const follows = (read: ReadPiece) => {
    if (read.from !== at) return false; // no end could be found, or the file was written anew meanwhile
    at = read.to;
    return true;
  };
  const takeOldest = async () => {
    const isTaken = await pieces.consumeOldest();
    if (isTaken) moveTo(at);
    return isTaken && pieces.isHelped;
  };
  let goesOn = true;
  for (let start = from - 1; goesOn && hasPart(file, start); start = endOf(start)) {
    pieces.handOut(partFrom(start, file, pieces, follows));
    if (pieces.isFull) goesOn = await takeOldest();
  }
  while (goesOn && pieces.isWaiting) goesOn = await takeOldest();
  await pieces.discard();
  return at;
}

/** All lines that begin behind `start`, up to where the next part begins. */
function partFrom(start: number, { fd }: SeekableFile, pieces: TextPieces, follows: Piece['follows']): Piece {
  const slot = pieces.freeSlot();
  const task = { fd, start, end: endOf(start), events: slot.events, originSeconds: pieces.originSeconds };
  const lines = ({ from, to }: ReadPiece) => bytesOf(fd, from, to);
  return { slot, reading: pieces.readers.readPart(task), before: [], overlong: 0, follows, lines };
}

function endOf(start: number): number {
  return start + PIECE_BYTES;
}

/** It was there a moment ago: should the file have been cut since, what is missing is zeros, and counted as damage. */
function bytesOf(fd: number, from: number, to: number): Uint8Array {
  const bytes = new Uint8Array(to - from);
  for (let at = 0; at < bytes.length; ) {
    const count = readSync(fd, bytes, at, bytes.length - at, from + at);
    if (count === 0) break;
    at += count;
  }
  return bytes;
}
