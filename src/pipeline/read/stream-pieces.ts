/**
 * A stream of trace text, read by several threads: it is handed out in large pieces, and what comes back is taken in
 * their order.
 */
import type { TraceChunk } from '../../model/trace-chunk.js';
import type { LineCutter } from '../../parser/lines.js';
import type { TraceParser } from '../../parser/trace-parser.js';
import {
  MOST_REFUSED,
  PIECE_BYTES,
  type PieceReaders,
  type ReadPiece,
  sharedEvents,
  WAITING_PIECES,
} from './piece-readers.js';

/** Shared memory for a piece, used again and again. */
interface Slot {
  readonly bytes: Uint8Array;
  readonly events: Int32Array;
}

/** Lines that were handed out, or are to be read here. */
interface Pending {
  readonly lines: Uint8Array;
  readonly result: Promise<ReadPiece | null> | null;
  /** Given back when the lines are taken. */
  readonly slot: Slot | null;
  /** Lines too long to be kept, behind these. */
  readonly overlong: number;
}

export class StreamPieces {
  private readonly readers: PieceReaders;
  private readonly parser: TraceParser;
  private readonly cutter: LineCutter;
  private readonly take: (chunk: TraceChunk) => void;
  private readonly free: Slot[] = [];
  private slots = 0;
  private slot: Slot | null = null;
  private filled = 0;
  private readonly pending: Pending[] = [];
  private refused = 0;

  constructor(readers: PieceReaders, parser: TraceParser, cutter: LineCutter, take: (chunk: TraceChunk) => void) {
    this.readers = readers;
    this.parser = parser;
    this.cutter = cutter;
    this.take = take;
  }

  /** Threads are there, and what they can read by themselves is worth to be handed out. */
  get isUseful(): boolean {
    return this.readers.isAwake && this.parser.isSettled && this.refused < MOST_REFUSED;
  }

  /** Copies the bytes; waits while all slots are full. */
  async add(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length; ) {
      this.slot ??= await this.nextSlot();
      const part = bytes.subarray(at, at + PIECE_BYTES - this.filled);
      this.slot.bytes.set(part, this.filled);
      this.filled += part.length;
      at += part.length;
      if (this.filled === PIECE_BYTES) this.handOut();
    }
  }

  /** Takes all that was handed out. */
  async finish(): Promise<void> {
    this.handOut();
    while (this.pending.length > 0) await this.takeOldest();
  }

  private async nextSlot(): Promise<Slot> {
    if (this.slots < this.readers.size + WAITING_PIECES) {
      this.slots++;
      return {
        bytes: new Uint8Array(new SharedArrayBuffer(PIECE_BYTES)),
        events: sharedEvents(),
      };
    }
    while (this.free.length === 0) await this.takeOldest();
    return this.free.pop() as Slot;
  }

  /** What the slot completes: mostly the line that was begun in the one before, and all others. */
  private handOut(): void {
    const { slot, cutter } = this;
    if (slot === null) return;
    const pieces = cutter.cut(slot.bytes.subarray(0, this.filled));
    const own = pieces.filter((lines) => lines.buffer !== slot.bytes.buffer);
    const shared = pieces.find((lines) => lines.buffer === slot.bytes.buffer);
    for (const lines of own) this.pending.push({ lines, result: null, slot: null, overlong: 0 });
    const overlong = cutter.takeOverlong();
    if (shared) this.pending.push({ lines: shared, result: this.begin(shared, slot), slot, overlong });
    else this.pending.push({ lines: new Uint8Array(), result: null, slot, overlong });
    this.slot = null;
    this.filled = 0;
  }

  private begin(lines: Uint8Array, slot: Slot): Promise<ReadPiece | null> {
    const result = this.readers.readLines({
      bytes: lines,
      events: slot.events,
      originSeconds: this.parser.originSeconds,
    });
    result.catch(() => {}); // it is heard of when its turn comes
    return result;
  }

  private async takeOldest(): Promise<void> {
    const { lines, result, slot, overlong } = this.pending.shift() as Pending;
    const read = await result;
    if (read && this.parser.accepts(read.piece)) this.take(this.parser.takePlain(read.piece, read.sites));
    else if (lines.length > 0) this.take(this.parser.parse(lines));
    if (result !== null) this.refused = read === null ? this.refused + 1 : 0;
    this.parser.addOverlong(overlong);
    if (slot) this.free.push(slot);
  }
}
