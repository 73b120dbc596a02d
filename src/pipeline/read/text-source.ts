/**
 * Reads a file or a stream of trace text; if it is large, with the help of workers.
 */
import { PtflameError } from '../../model/errors.js';
import type { TraceChunk } from '../../model/trace/trace-chunk.js';
import type { TraceParser } from '../../parser/trace-parser.js';
import { detectInputKind } from '../input/input-kind.js';
import type { SeekableFile, TraceInput } from '../input/trace-input.js';
import { hasPart, readParts } from './file-parts.js';
import { PIECE_BYTES } from './piece-readers.js';
import { notATrace } from './refusals.js';
import type { Source } from './source.js';
import { type Slot, TextPieces } from './text-pieces.js';
import type { TraceBuilder } from './trace-builder.js';

/** Smaller inputs are read before workers would have started. */
const LARGE_BYTES = 48 * 1024 * 1024;

/** perf writes 4 KiB at a time. */
const STREAM_PIECE_BYTES = 256 * 1024;

export class TextSource implements Source {
  readonly name: string;
  readonly recorded = null;
  readonly standsAlone = false;
  private readonly input: TraceInput;

  constructor(input: TraceInput) {
    this.name = input.name;
    this.input = input;
  }

  async read(into: TraceBuilder): Promise<void> {
    if ((this.input.sizeBytes ?? 0) > LARGE_BYTES) into.readers.wake();
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
    if (at <= takenInParts || !pieces.isHelped || !hasPart(file, at)) continue;
    takenInParts = await readParts(file, at, pieces, moveTo);
    file.skipTo(takenInParts);
    pieces.forgetRest();
    moveTo(takenInParts);
  }
}

async function readStream(input: TraceInput, pieces: TextPieces, into: TraceBuilder): Promise<void> {
  const stream = new StreamPieces(pieces);
  for await (const bytes of inLargerPieces(untilBroken(input, into), STREAM_PIECE_BYTES)) {
    if (pieces.isHelped) await stream.add(bytes);
    else {
      await stream.finish();
      pieces.readHere(bytes);
    }
    into.countBytes(bytes.length);
    if (into.bytes > LARGE_BYTES) into.readers.wake();
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
  const buffer = Buffer.allocUnsafeSlow(size);
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

/** Splits a stream of trace text into pieces: gathers bytes in shared memory until they fill a piece. */
class StreamPieces {
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
