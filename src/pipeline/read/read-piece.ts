/**
 * Reads a piece of text in a worker, which does not know the text before it.
 */
import { openRef } from '../../host/files.js';
import { workerId } from '../../host/threads.js';
import { type FileRef, readFully } from '../../model/open-file.js';
import { type AddedBranches, BranchSender } from '../../parser/added-branches.js';
import { LineReader } from '../../parser/line-reader.js';
import { MAX_LINE_BYTES } from '../../parser/lines/lines.js';
import { type StandalonePiece, standalonePiece } from '../../parser/pieces/standalone-piece.js';
import type { SharedMemory } from '../../wasm/module.js';
import { Moved } from '../workers/workers.js';

interface ReadTask {
  readonly originSeconds: number;
  /** Receives the events. */
  readonly events: Int32Array;
  /** What all readers of the trace share; null: this worker shares none, so it sends what others would find there. */
  readonly memory: SharedMemory | null;
}

export interface ReadLinesTask extends ReadTask {
  /** Whole lines. */
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
  /** Its events are in the memory of the task. null: its meaning depends on earlier lines. */
  readonly piece: StandalonePiece | null;
  /** Where the lines begin and end in the file or in the bytes; NaN if no line end was found. */
  readonly from: number;
  readonly to: number;
  /** null: all memory is shared. */
  readonly sent: {
    /** The lines and the memory of the task are given back, so that the next one takes no new memory. */
    readonly text: Uint8Array | null;
    readonly events: Int32Array;
    readonly worker: number;
    /** What its reader, of this worker, has added to its memory. */
    readonly branches: AddedBranches;
  } | null;
}

const NEWLINE = 10;
const NO_EVENTS = new Int32Array();

/** The reader of this worker. */
let own: { readonly reader: LineReader; readonly sender: BranchSender | null } | null = null;

function ownReader({ memory }: ReadTask): NonNullable<typeof own> {
  if (own !== null) return own;
  const reader = new LineReader(memory ?? undefined);
  own = { reader, sender: memory === null ? new BranchSender(reader.branches) : null };
  return own;
}

export function readLines({ bytes, ...task }: ReadLinesTask): ReadResult | Moved<ReadResult> {
  const { reader } = ownReader(task);
  const piece = standalonePiece(reader, reader.read(bytes), task.originSeconds);
  return sendable(piece, 0, bytes.length, task, bytes);
}

export function readPart({ file, start, end, ...task }: ReadPartTask): ReadResult | Moved<ReadResult> {
  const { reader } = ownReader(task);
  const buffer = reader.reserve(end + MAX_LINE_BYTES - start);
  const text = buffer.subarray(0, readFully(openRef(file), buffer, start));
  const from = text.indexOf(NEWLINE) + 1;
  const to = text.indexOf(NEWLINE, end - start) + 1;
  if (from === 0 || to === 0) return sendable(null, Number.NaN, Number.NaN, task);
  const piece = standalonePiece(reader, reader.readReserved(from, to), task.originSeconds);
  return sendable(piece, start + from, start + to, task);
}

/** Leaves the events in the memory of the task. Where none is shared, it moves back, with what the reader has added. */
function sendable(
  piece: StandalonePiece | null,
  from: number,
  to: number,
  task: ReadTask,
  text: Uint8Array | null = null,
): ReadResult | Moved<ReadResult> {
  const { events } = task;
  const { sender } = ownReader(task);
  const found = piece?.branches?.events ?? NO_EVENTS;
  const fits = found.length <= events.length;
  if (fits) events.set(found);
  const kept = fits && piece ? withEvents(piece, NO_EVENTS) : null;
  if (sender === null) return { piece: kept, from, to, sent: null };
  return new Moved({ piece: kept, from, to, sent: { text, events, worker: workerId, branches: sender.added() } });
}

/** Returns a piece with its events elsewhere. */
export function withEvents(piece: StandalonePiece, events: Int32Array): StandalonePiece {
  return piece.branches === null ? piece : { ...piece, branches: { ...piece.branches, events } };
}
