/**
 * A piece of a text in, what it says out, by a thread that knows nothing of what stands before it.
 */
import { readSync } from 'node:fs';
import { threadId } from 'node:worker_threads';
import { MAX_LINE_BYTES } from '../../parser/lines/lines.js';
import { type StandalonePiece, standalonePiece } from '../../parser/pieces/standalone-piece.js';
import { LineReader, type ReaderSnapshot } from '../../parser/reader/line-reader.js';
import type { NewBranches } from '../../parser/reader/new-branches.js';
import type { ReadLines } from '../../parser/reader/read-lines.js';

/** Shared memory for events, and what times are counted from. */
interface ReadTask {
  /** Here the events are left. */
  readonly events: Int32Array;
  readonly originSeconds: number;
  /** What is known already to whoever has not read anything yet; the same for all. */
  readonly snapshot: ReaderSnapshot;
}

export interface ReadLinesTask extends ReadTask {
  /** Whole lines, in shared memory. */
  readonly bytes: Uint8Array;
}

export interface ReadPartTask extends ReadTask {
  /** An open file of trace text. */
  readonly fd: number;
  /** All lines are to be read that begin behind `start` and at or before `end`, counted in bytes. */
  readonly start: number;
  readonly end: number;
}

export interface ReadResult {
  /** Who read it: what branches are called depends on that. */
  readonly reader: number;
  readonly newBranches: NewBranches;
  /** Its events are where they were to be left. null: it has to be read where it is known what stands before it. */
  readonly piece: StandalonePiece | null;
  /** Where the lines begin and end in the file, or in the bytes; NaN if the part has no end that could be found. */
  readonly from: number;
  readonly to: number;
}

const NEWLINE = 10;
const NO_EVENTS = new Int32Array();
/** Of this thread. */
let reader: LineReader | null = null;

export function readLines({ bytes, ...task }: ReadLinesTask): ReadResult {
  reader ??= new LineReader(task.snapshot);
  return { ...resultOf(reader, reader.read(bytes), task), from: 0, to: bytes.length };
}

export function readPart({ fd, start, end, ...task }: ReadPartTask): ReadResult {
  reader ??= new LineReader(task.snapshot);
  const room = reader.reserve(end + MAX_LINE_BYTES - start);
  const text = room.subarray(0, readFully(fd, room, start));
  const from = text.indexOf(NEWLINE) + 1;
  const to = text.indexOf(NEWLINE, end - start) + 1;
  if (from === 0 || to === 0)
    return { ...resultOf(reader, reader.readReserved(0, 0), task), piece: null, from: Number.NaN, to: Number.NaN };
  return { ...resultOf(reader, reader.readReserved(from, to), task), from: start + from, to: start + to };
}

/** How many bytes there were. */
function readFully(fd: number, room: Uint8Array, position: number): number {
  let length = 0;
  while (length < room.length) {
    const count = readSync(fd, room, length, room.length - length, position + length);
    if (count === 0) break;
    length += count;
  }
  return length;
}

function resultOf(
  reader: LineReader,
  lines: ReadLines,
  { events, originSeconds }: ReadTask,
): Pick<ReadResult, 'reader' | 'newBranches' | 'piece'> {
  const piece = standalonePiece(reader, lines, originSeconds);
  const result = { reader: threadId, newBranches: reader.takeNewBranches() };
  if (piece?.branches == null) return { ...result, piece };
  if (piece.branches.events.length > events.length) return { ...result, piece: null };
  events.set(piece.branches.events);
  return { ...result, piece: { ...piece, branches: { ...piece.branches, events: NO_EVENTS } } };
}
