/**
 * One text, piece by piece: read here or by other threads, and taken in the order of the text.
 */
import type { TraceChunk } from '../../model/trace/trace-chunk.js';
import { LineCutter } from '../../parser/lines/lines.js';
import type { TraceParser } from '../../parser/trace-parser.js';
import { PIECE_BYTES, type PieceReaders, type ReadPiece, sharedEvents } from './piece-readers.js';

/** While all threads are busy some pieces wait for them, and some to be taken. */
const WAITING_PIECES = 2;
/** After so many pieces that others could not read by themselves, they are not asked any more. */
const MAX_REFUSED = 8;

/** Shared memory that is lent to a piece, and used again when it is taken. */
export interface Slot {
  readonly events: Int32Array;
  /** Text that comes from no file; made when it is needed. */
  text: Uint8Array | null;
}

/** Whole lines that another thread reads. */
export interface Piece {
  readonly slot: Slot;
  /** null: there are none. */
  readonly reading: Promise<ReadPiece> | null;
  /** A line that was begun before this piece, if there is one: it is read here. */
  readonly before: readonly Uint8Array[];
  /** How many lines behind it are too long to be kept. */
  readonly overlong: number;
  /** Told where its lines were found: whether those before it end there. */
  readonly follows: (read: ReadPiece) => boolean;
  /** Its lines, should they have to be read here. */
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

  /** Reads what follows all that was taken. */
  readHere(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
      const { lines, overlong } = this.cut(bytes.subarray(at, at + PIECE_BYTES));
      for (const whole of lines) this.emit(this.parser.parse(whole));
      this.parser.addOverlong(overlong);
    }
  }

  /** The whole lines that bytes complete, and how many were dropped for their length. */
  cut(bytes: Uint8Array): { readonly lines: readonly Uint8Array[]; readonly overlong: number } {
    return { lines: this.cutter.cut(bytes), overlong: this.cutter.takeOverlong() };
  }

  /** What stands behind the last line end. */
  get rest(): Uint8Array {
    return this.cutter.rest();
  }

  /** It is read again, from its start on. */
  forgetRest(): void {
    this.cutter = new LineCutter();
  }

  /** Where the line begins that is not complete at `position`; NaN for one that is too long to be kept. */
  startOfRest(position: number): number {
    return this.cutter.isSkipping ? Number.NaN : position - this.rest.length;
  }

  /** Threads are there, and what they can read by themselves is worth handing out. */
  get isHelped(): boolean {
    return this.readers.isAwake && this.parser.isSettled && this.refused < MAX_REFUSED;
  }

  get isWaiting(): boolean {
    return this.pending.length > 0;
  }

  /** The oldest piece has to be taken before another one is handed out. */
  get isFull(): boolean {
    return this.pending.length >= this.readers.size + WAITING_PIECES;
  }

  freeSlot(): Slot {
    return this.free.pop() ?? { events: sharedEvents(), text: null };
  }

  get originSeconds(): number {
    return this.parser.originSeconds;
  }

  handOut(piece: Piece): void {
    piece.reading?.catch(() => {}); // it is heard of when its turn comes
    this.pending.push(piece);
  }

  /** Takes the piece that was handed out first; false if it does not follow: then nothing of it is taken. */
  async consumeOldest(): Promise<boolean> {
    const piece = this.pending.shift() as Piece;
    const read = await piece.reading;
    this.free.push(piece.slot);
    for (const line of piece.before) this.emit(this.parser.parse(line));
    const isTaken = read === null || this.consumeRead(piece, read);
    this.parser.addOverlong(piece.overlong);
    return isTaken;
  }

  /** What another thread read, if it means the same here; if not, its lines are read again. */
  private consumeRead(piece: Piece, read: ReadPiece): boolean {
    const { parser } = this;
    const { standalone } = read;
    this.refused = standalone === null ? this.refused + 1 : 0;
    if (!piece.follows(read)) return false;
    if (standalone && parser.accepts(standalone.piece))
      this.emit(parser.addStandalone(standalone.piece, standalone.sites));
    else this.emit(parser.parse(piece.lines(read)));
    return true;
  }

  /** Gives up all that was handed out; it is to be read again from where the last piece ended that was taken. */
  async discard(): Promise<void> {
    for (const { reading, slot } of this.pending.splice(0)) {
      await reading; // in vain, but it holds on to the memory
      this.free.push(slot);
    }
  }
}
