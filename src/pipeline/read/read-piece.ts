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
  /** null: this worker shares no memory, so it sends what others would find there. */
  readonly shared: {
    /** Receives the events. */
    readonly events: Int32Array;
    /** What all readers of the trace share. */
    readonly memory: SharedMemory;
  } | null;
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
  /** Its events may be in the shared memory of the task. null: its meaning depends on earlier lines. */
  readonly piece: StandalonePiece | null;
  /** Where the lines begin and end in the file or in the bytes; NaN if no line end was found. */
  readonly from: number;
  readonly to: number;
  /** What was sent is given back, so that it takes no new memory; null: it is shared. */
  readonly text: Uint8Array | null;
  /** What its reader, of this worker, has added to its memory; null: that is shared. */
  readonly added: { readonly worker: number; readonly branches: AddedBranches } | null;
}

const NEWLINE = 10;
const NO_EVENTS = new Int32Array();

/** The reader of this worker. */
let own: { readonly reader: LineReader; readonly sender: BranchSender | null } | null = null;

function ownReader({ shared }: ReadTask): NonNullable<typeof own> {
  if (own !== null) return own;
  const reader = new LineReader(shared?.memory);
  own = { reader, sender: shared === null ? new BranchSender(reader.branches) : null };
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
  if (from === 0 || to === 0) return { piece: null, from: Number.NaN, to: Number.NaN, text: null, added: null };
  const piece = standalonePiece(reader, reader.readReserved(from, to), task.originSeconds);
  return sendable(piece, start + from, start + to, task);
}

/** Leaves the events in shared memory; where there is none, they move, and what the reader has added is sent with them. */
function sendable(
  piece: StandalonePiece | null,
  from: number,
  to: number,
  task: ReadTask,
  text: Uint8Array | null = null,
): ReadResult | Moved<ReadResult> {
  const { sender } = ownReader(task);
  if (sender !== null) {
    const events = piece?.branches?.events.slice() ?? NO_EVENTS;
    const added = { worker: workerId, branches: sender.added() };
    return new Moved({ piece: piece && withEvents(piece, events), from, to, text, added });
  }
  const events = piece?.branches?.events ?? NO_EVENTS;
  const memory = task.shared?.events ?? NO_EVENTS;
  if (events.length > memory.length) return { piece: null, from, to, text: null, added: null };
  memory.set(events);
  return { piece: piece && withEvents(piece, NO_EVENTS), from, to, text: null, added: null };
}

/** Returns a piece with its events elsewhere. */
export function withEvents(piece: StandalonePiece, events: Int32Array): StandalonePiece {
  return piece.branches === null ? piece : { ...piece, branches: { ...piece.branches, events } };
}
