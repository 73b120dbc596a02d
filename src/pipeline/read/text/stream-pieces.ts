/**
 * Splits a stream of trace text into pieces: gathers bytes in shared memory until they fill a piece.
 */
import { PIECE_BYTES } from '../piece-readers.js';
import type { Slot, TextPieces } from './text-pieces.js';

/** One that is read, and one that is next or waits for its turn: each holds its text in memory. */
const PIECES_PER_WORKER = 2;

export class StreamPieces {
  private readonly pieces: TextPieces;
  /** The slot that is being filled. */
  private slot: Slot | null = null;
  private filled = 0;

  constructor(pieces: TextPieces) {
    this.pieces = pieces;
  }

  /** Copies the bytes; waits while all slots are in use. */
  async add(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length; ) {
      this.slot ??= await this.nextSlot();
      const part = bytes.subarray(at, at + PIECE_BYTES - this.filled);
      textOf(this.slot).set(part, this.filled);
      this.filled += part.length;
      at += part.length;
      if (this.filled === PIECE_BYTES) this.handOut();
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
    const text = textOf(slot);
    const { lines, overlong } = pieces.cut(text.subarray(0, this.filled));
    const own = lines.find(({ buffer }) => buffer === text.buffer) ?? null;
    const before = lines.filter((some) => some !== own);
    const task = { events: slot.events, originSeconds: pieces.originSeconds };
    const reading = own && pieces.readers.readLines({ ...task, bytes: own });
    pieces.handOut({ slot, reading, before, overlong, follows: () => true, lines: () => own ?? new Uint8Array() });
    this.slot = null;
    this.filled = 0;
  }
}

function textOf(slot: Slot): Uint8Array {
  slot.text ??= new Uint8Array(new SharedArrayBuffer(PIECE_BYTES));
  return slot.text;
}
