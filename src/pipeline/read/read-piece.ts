/**
 * Reads a piece of text in a worker, which does not know the text before it.
 */
import { openRef } from '../../host/files.js';
import { type FileRef, readFully } from '../../model/open-file.js';
import type { ReadLines } from '../../parser/line-reader.js';
import { LineReader } from '../../parser/line-reader.js';
import { MAX_LINE_BYTES } from '../../parser/lines/lines.js';
import { type StandalonePiece, standalonePiece } from '../../parser/pieces/standalone-piece.js';
import type { SharedMemory } from '../../wasm/module.js';

interface ReadTask {
  /** Shared memory that receives the events. */
  readonly events: Int32Array;
  readonly originSeconds: number;
  /** What all readers of the trace share. */
  readonly memory: SharedMemory;
}

export interface ReadLinesTask extends ReadTask {
  /** Whole lines, in shared memory. */
  readonly bytes: Uint8Array;
}

export interface ReadPartTask extends ReadTask {
  /** A file of trace text. */
  readonly file: FileRef;
  /** The lines to read: all that begin after `start` and at or before `end`, in bytes. */
  readonly start: number;
  readonly end: number;
}

export interface ReadResult {
  /** Its events are in the shared memory of the task. null: its meaning depends on earlier lines. */
  readonly piece: StandalonePiece | null;
  /** Where the lines begin and end in the file or in the bytes; NaN if no line end was found. */
  readonly from: number;
  readonly to: number;
}

const NEWLINE = 10;
const NO_EVENTS = new Int32Array();
/** The reader of this worker. */
let reader: LineReader | null = null;

export function readLines({ bytes, ...task }: ReadLinesTask): ReadResult {
  reader ??= new LineReader(task.memory);
  return { piece: sendablePiece(reader, reader.read(bytes), task), from: 0, to: bytes.length };
}

export function readPart({ file, start, end, ...task }: ReadPartTask): ReadResult {
  reader ??= new LineReader(task.memory);
  const buffer = reader.reserve(end + MAX_LINE_BYTES - start);
  const text = buffer.subarray(0, readFully(openRef(file), buffer, start));
  const from = text.indexOf(NEWLINE) + 1;
  const to = text.indexOf(NEWLINE, end - start) + 1;
  if (from === 0 || to === 0) return { piece: null, from: Number.NaN, to: Number.NaN };
  const piece = sendablePiece(reader, reader.readReserved(from, to), task);
  return { piece, from: start + from, to: start + to };
}

function sendablePiece(
  reader: LineReader,
  lines: ReadLines,
  { events, originSeconds }: ReadTask,
): StandalonePiece | null {
  const piece = standalonePiece(reader, lines, originSeconds);
  if (piece?.branches == null) return piece;
  if (piece.branches.events.length > events.length) return null;
  events.set(piece.branches.events);
  return { ...piece, branches: { ...piece.branches, events: NO_EVENTS } };
}
