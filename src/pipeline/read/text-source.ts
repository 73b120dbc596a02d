/**
 * Reads a file or a stream of trace text; if it is large, with the help of workers.
 */

import { PtflameError } from '../../model/errors.js';
import { type OpenFile, readFully } from '../../model/open-file.js';
import { sharableBytes } from '../../model/shared-memory.js';
import type { TraceChunk } from '../../model/trace/trace-chunk.js';
import { LineCutter } from '../../parser/lines/lines.js';
import type { TraceParser } from '../../parser/trace-parser.js';
import { detectInputKind, type SeekableFile, type TraceInput } from '../open-text.js';
import type { PieceReaders, ReadPiece } from './piece-readers.js';
import { notATrace } from './refusals.js';
import type { Source, TraceBuilder } from './trace-builder.js';

export class TextSource implements Source {
  readonly name: string;
  readonly recorded = null;
  readonly standsAlone = false;

  constructor(private readonly input: TraceInput) {
    this.name = input.name;
  }

  async read(into: TraceBuilder): Promise<void> {
    const { readers } = into;
    if ((this.input.sizeBytes ?? 0) > readers.sizes.wakingBytes) await readers.wake();
    await readText(this.input, into);
  }
}

/** Reads one text to its end, or to where it breaks off. `ownOf` returns the part of a chunk to keep; by default all of it. */
export async function readText(
  input: TraceInput,
  into: TraceBuilder,
  ownOf: (chunk: TraceChunk, parser: TraceParser) => TraceChunk = (chunk) => chunk,
): Promise<void> {
  const { name, file } = input;
  const parser = into.beginText(name);
  const pieces = new TextPieces(parser, into.readers, (chunk) => into.add(ownOf(chunk, parser), name));
  await (file ? readFile(input, file, pieces, into) : readStream(input, pieces, into));
  into.add(parser.finish(pieces.rest), name);
  into.endText(parser);
}

/** Reads here at first; once workers are running, they read parts for as long as they can. */
async function readFile(input: TraceInput, file: SeekableFile, pieces: TextPieces, into: TraceBuilder): Promise<void> {
  let position = 0;
  let takenInParts = 0;
  const moveTo = (to: number) => {
    into.countBytes(to - position);
    position = to;
  };
  for await (const bytes of untilBroken(input, into)) {
    pieces.readHere(bytes);
    moveTo(position + bytes.length);
    const at = pieces.startOfRest(position);
    // Workers would give up at the same position again, and a file truncated meanwhile may have no whole line left.
    if (at <= takenInParts || !pieces.isHelped || !pieces.hasPart(file, at)) continue;
    takenInParts = await readParts(file, at, pieces, moveTo);
    file.skipTo(takenInParts);
    pieces.forgetRest();
    moveTo(takenInParts);
  }
}

async function readStream(input: TraceInput, pieces: TextPieces, into: TraceBuilder): Promise<void> {
  const { streamBytes, wakingBytes } = into.readers.sizes;
  const stream = new StreamPieces(pieces);
  for await (const bytes of inLargerPieces(untilBroken(input, into), streamBytes)) {
    if (pieces.isHelped) await stream.add(bytes);
    else {
      await stream.finish();
      pieces.readHere(bytes);
    }
    into.countBytes(bytes.length);
    if (into.bytes > wakingBytes) await into.readers.wake();
  }
  await stream.finish();
}

/** Yields the bytes of an input up to where it breaks off. Errors thrown by the consumer are not caught here. */
async function* untilBroken(input: TraceInput, into: TraceBuilder): AsyncGenerator<Uint8Array> {
  const { name, kind, bytes } = await detectInputKind(input);
  try {
    for await (const piece of bytes) {
      if (kind === 'profile') throw notATrace(name); // ends the input's generator, too
      yield piece;
    }
  } catch (error) {
    into.throwIfStopped();
    if (error instanceof PtflameError) throw error;
    into.addAccount({ broken: [{ input: name, reason: error instanceof Error ? error.message : String(error) }] });
  }
}

/**
 * Joins the small pieces of a stream, as from a pipe, into larger ones: each piece has a fixed cost.
 *
 * Yields pieces of at least `size` bytes, except for the last one. A piece is valid only until the next one is read.
 */
export async function* inLargerPieces(bytes: AsyncIterable<Uint8Array>, size: number): AsyncGenerator<Uint8Array> {
  const buffer = new Uint8Array(size);
  let filled = 0;
  for await (const piece of bytes) {
    if (filled === 0 && piece.length >= size) {
      yield piece;
      continue;
    }
    for (let at = 0; at < piece.length; ) {
      const part = piece.subarray(at, at + size - filled);
      buffer.set(part, filled);
      filled += part.length;
      at += part.length;
      if (filled < size) continue;
      yield buffer;
      filled = 0;
    }
  }
  if (filled > 0) yield buffer.subarray(0, filled);
}

/** One that is read, and one that is next or waits for its turn: each holds its text in memory. */
const PIECES_PER_WORKER = 2;

/** Splits a stream of trace text into pieces: gathers bytes until they fill a piece. */
class StreamPieces {
  /** The slot that is being filled. */
  private slot: Slot | null = null;
  private filled = 0;

  constructor(private readonly pieces: TextPieces) {}

  /** Copies the bytes; waits while all slots are in use. */
  async add(bytes: Uint8Array): Promise<void> {
    const { pieceBytes } = this.pieces;
    for (let at = 0; at < bytes.length; ) {
      this.slot ??= await this.nextSlot();
      const part = bytes.subarray(at, at + pieceBytes - this.filled);
      this.pieces.textOf(this.slot).set(part, this.filled);
      this.filled += part.length;
      at += part.length;
      if (this.filled === pieceBytes) this.handOut();
    }
  }

  /** Waits for all pieces and consumes them. */
  async finish(): Promise<void> {
    this.handOut();
    while (this.pieces.isWaiting) await this.pieces.consumeOldest();
  }

  private async nextSlot(): Promise<Slot> {
    while (this.pieces.isFull(PIECES_PER_WORKER)) await this.pieces.consumeOldest();
    return this.pieces.freeSlot();
  }

  /** Hands out the lines that the slot completes: usually one that began in the slot before, and the lines within this one. */
  private handOut(): void {
    const { pieces, slot } = this;
    if (slot === null) return;
    const text = pieces.textOf(slot);
    const { lines, overlong } = pieces.cut(text.subarray(0, this.filled));
    const own = lines.find(({ buffer }) => buffer === text.buffer) ?? null;
    const before = lines.filter((some) => some !== own);
    const { originSeconds } = pieces;
    const reading = own && pieces.readers.readLines({ originSeconds, bytes: own }, slot.events);
    const ownLines = ({ text }: ReadPiece) => text ?? own ?? new Uint8Array();
    pieces.handOut({ slot, reading, before, overlong, follows: () => true, lines: ownLines });
    this.slot = null;
    this.filled = 0;
  }
}

// Splits a file of trace text into pieces: each is a range of bytes, extended to the end of its last line.

/** Those at the worker (workers/worker-pool.ts), and one that waits for its turn to be consumed. */
const PARTS_PER_WORKER = 4;

/**
 * Reads parts, beginning with the line at `from`, and returns where the last one ended. Left over are the last lines of the file, and
 * all lines after a part that could not be read. `moveTo` is called with the end of each part.
 */
async function readParts(
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
  for (let start = from - 1; goesOn && pieces.hasPart(file, start); start = pieces.endOf(start)) {
    pieces.handOut(partFrom(start, file, pieces, follows));
    if (pieces.isFull(PARTS_PER_WORKER)) goesOn = await nextPiece();
  }
  while (goesOn && pieces.isWaiting) goesOn = await nextPiece();
  await pieces.discard();
  return at;
}

/** Reads all lines that begin after `start`, up to the beginning of the next part. */
function partFrom(start: number, file: SeekableFile, pieces: TextPieces, follows: Piece['follows']): Piece {
  const slot = pieces.freeSlot();
  const task = { file: file.ref, start, end: pieces.endOf(start), originSeconds: pieces.originSeconds };
  const lines = ({ from, to }: ReadPiece) => bytesOf(file, from, to);
  return { slot, reading: pieces.readers.readPart(task, slot.events), before: [], overlong: 0, follows, lines };
}

/** Reads bytes again. If the file was truncated in between, the missing bytes are zeros and count as damage. */
function bytesOf(file: OpenFile, from: number, to: number): Uint8Array {
  const bytes = new Uint8Array(to - from);
  readFully(file, bytes, from);
  return bytes;
}

// Reads one text piece by piece, here or in workers, and consumes the results in the order of the text.

/** After this many consecutive pieces that workers could not read on their own, none is handed out any more. */
const MAX_REFUSED = 8;

/** Memory for one piece, reused once that is consumed. */
interface Slot {
  events: Int32Array;
  /** For text of a stream; allocated when needed. */
  text: Uint8Array | null;
}

/** Whole lines that a worker reads. */
interface Piece {
  readonly slot: Slot;
  /** null: there are none. */
  readonly reading: Promise<ReadPiece> | null;
  /** The line that began before this piece, if any: it is read here. */
  readonly before: readonly Uint8Array[];
  /** The number of lines after it that are too long to be kept. */
  readonly overlong: number;
  /** Whether its lines, as found by the worker, begin where the piece before ended. */
  readonly follows: (read: ReadPiece) => boolean;
  /** Returns its lines, if they have to be read here after all. */
  readonly lines: (read: ReadPiece) => Uint8Array;
}

class TextPieces {
  private readonly pending: Piece[] = [];
  private readonly free: Slot[] = [];
  private cutter = new LineCutter();
  private refused = 0;

  constructor(
    private readonly parser: TraceParser,
    readonly readers: PieceReaders,
    private readonly emit: (chunk: TraceChunk) => void,
  ) {}

  get pieceBytes(): number {
    return this.readers.sizes.pieceBytes;
  }

  /** Where a part ends that begins at `start`. */
  endOf(start: number): number {
    return start + this.pieceBytes;
  }

  /** Whether there is a full part from `at` on, and more after it. */
  hasPart({ sizeBytes }: SeekableFile, at: number): boolean {
    return this.endOf(at) < sizeBytes;
  }

  /** Reads the bytes that follow everything consumed so far. */
  readHere(bytes: Uint8Array): void {
    const { pieceBytes } = this;
    for (let at = 0; at < bytes.length; at += pieceBytes) {
      const { lines, overlong } = this.cut(bytes.subarray(at, at + pieceBytes));
      for (const block of lines) this.emit(this.parser.parse(block));
      this.parser.addOverlong(overlong);
    }
  }

  /** Returns the lines that the bytes complete, and the number of lines dropped for their length. */
  cut(bytes: Uint8Array): { readonly lines: readonly Uint8Array[]; readonly overlong: number } {
    return { lines: this.cutter.cut(bytes), overlong: this.cutter.takeOverlong() };
  }

  /** The bytes after the last line end. */
  get rest(): Uint8Array {
    return this.cutter.rest();
  }

  /** Forgets the incomplete line: it will be read again from its start. */
  forgetRest(): void {
    this.cutter = new LineCutter();
  }

  /** Where the incomplete line at `position` begins; NaN if it is too long to be kept. */
  startOfRest(position: number): number {
    return this.cutter.isSkipping ? Number.NaN : position - this.rest.length;
  }

  /** Workers are running, and can read pieces on their own. */
  get isHelped(): boolean {
    return this.readers.isAwake && this.parser.isSettled && this.refused < MAX_REFUSED;
  }

  get isWaiting(): boolean {
    return this.pending.length > 0;
  }

  /** The oldest piece must be consumed before another one is handed out. */
  isFull(perWorker: number): boolean {
    return this.pending.length >= perWorker * this.readers.size;
  }

  freeSlot(): Slot {
    return this.free.pop() ?? { events: this.readers.newEvents(), text: null };
  }

  /** Returns memory for the text of a stream. */
  textOf(slot: Slot): Uint8Array {
    slot.text ??= new Uint8Array(sharableBytes(this.pieceBytes));
    return slot.text;
  }

  get originSeconds(): number {
    return this.parser.originSeconds;
  }

  handOut(piece: Piece): void {
    piece.reading?.catch(() => {}); // a rejection is handled when the piece is consumed
    this.pending.push(piece);
  }

  /** Consumes the oldest piece; returns false, and consumes none of its lines, if it does not follow the one before. */
  async consumeOldest(): Promise<boolean> {
    const piece = this.pending.shift() as Piece;
    const read = await piece.reading;
    this.release(piece.slot, read);
    for (const line of piece.before) this.emit(this.parser.parse(line));
    const isConsumed = read === null || this.consumeRead(piece, read);
    this.parser.addOverlong(piece.overlong);
    return isConsumed;
  }

  /** Consumes what a worker read if it means the same here; otherwise reads the lines again. */
  private consumeRead(piece: Piece, read: ReadPiece): boolean {
    const { parser } = this;
    this.refused = read.piece === null ? this.refused + 1 : 0;
    if (!piece.follows(read)) return false;
    if (read.piece && parser.accepts(read.piece)) this.emit(parser.addStandalone(read.piece, read.sites));
    else this.emit(parser.parse(piece.lines(read)));
    return true;
  }

  /** Discards all pieces that were handed out; reading resumes where the last consumed piece ended. */
  async discard(): Promise<void> {
    for (const { reading, slot } of this.pending.splice(0)) this.release(slot, await reading); // the result is not used, but the worker still writes to the slot
  }

  private release(slot: Slot, read: ReadPiece | null): void {
    if (read !== null) slot.events = read.events;
    if (read !== null && read.text !== null) slot.text = new Uint8Array(read.text.buffer);
    this.free.push(slot);
  }
}
