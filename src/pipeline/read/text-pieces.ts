/**
 * Reads one text piece by piece, here or in workers, and consumes the results in the order of the text.
 */
import type { TraceChunk } from '../../model/trace/trace-chunk.js';
import { LineCutter } from '../../parser/lines/lines.js';
import type { TraceParser } from '../../parser/trace-parser.js';
import { PIECE_BYTES, type PieceReaders, type ReadPiece, sharedEvents } from './piece-readers.js';

/** After this many consecutive pieces that workers could not read on their own, none is handed out any more. */
const MAX_REFUSED = 8;

/** Shared memory for one piece, reused once that is consumed. */
export interface Slot {
  readonly events: Int32Array;
  /** For text of a stream; allocated when needed. */
  text: Uint8Array | null;
}

/** Whole lines that a worker reads. */
export interface Piece {
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

export class TextPieces {
  readonly readers: PieceReaders;
  private readonly parser: TraceParser;
  private readonly emit: (chunk: TraceChunk) => void;
  private readonly pending: Piece[] = [];
  private readonly free: Slot[] = [];
  private cutter = new LineCutter();
  private refused = 0;

  constructor(parser: TraceParser, readers: PieceReaders, take: (chunk: TraceChunk) => void) {
    this.parser = parser;
    this.readers = readers;
    this.emit = take;
  }

  /** Reads the bytes that follow everything consumed so far. */
  readHere(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
      const { lines, overlong } = this.cut(bytes.subarray(at, at + PIECE_BYTES));
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
    return this.free.pop() ?? { events: sharedEvents(), text: null };
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
    this.free.push(piece.slot);
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
    if (read.piece && parser.accepts(read.piece)) this.emit(parser.addStandalone(read.piece));
    else this.emit(parser.parse(piece.lines(read)));
    return true;
  }

  /** Discards all pieces that were handed out; reading resumes where the last consumed piece ended. */
  async discard(): Promise<void> {
    for (const { reading, slot } of this.pending.splice(0)) {
      await reading; // the result is not used, but the worker still writes to the slot
      this.free.push(slot);
    }
  }
}
