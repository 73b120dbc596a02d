/**
 * Finds synchronization points (PSB) in a trace, by offset and by time.
 */
import { indexOfBytes, latin1Bytes, viewOf } from '../../codec/bytes.js';
import { endOf, type Stream, type TraceRecordBytes } from '../../decode/parts.js';

export const PSB = latin1Bytes('\x02\x82'.repeat(8));
const TSC = 0x19;
/** Bytes of a PSB+ with all of its packets. */
export const PSB_PLUS_BYTES = 128;

/** Returns the low 56 bits of the time stamp after a PSB; null: there is none. It comes first, after CYC packets and padding at most. */
export function tickAfterPsb(bytes: Uint8Array): bigint | null {
  let at = 0;
  while (bytes[at] === 0 || ((bytes[at] ?? 0) & 3) === 3) at += bytes[at] === 0 ? 1 : cycBytes(bytes, at);
  return bytes[at] === TSC && at + 8 <= bytes.length ? viewOf(bytes).getBigUint64(at, true) >> 8n : null;
}

function cycBytes(bytes: Uint8Array, at: number): number {
  let size = 1;
  if (((bytes[at] ?? 0) & 4) !== 0) while ((bytes[at + size++] ?? 0) & 1);
  return size;
}

/** Offsets in a stream. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** Returns the bytes of a stream from one offset to another; at least one record is there. */
export function cutOut(stream: Stream, { start: from, end: to }: Range): Stream {
  const records = stream.flatMap((record): TraceRecordBytes[] => {
    const start = Math.max(from, record.offset);
    const end = Math.min(to, record.offset + record.sizeBytes);
    const skipped = start - record.offset;
    return start < end
      ? [{ ...record, offset: start, fileOffset: record.fileOffset + skipped, sizeBytes: end - start }]
      : [];
  });
  const [first = stream[0], ...rest] = records;
  return [first, ...rest];
}

/** No piece without a PSB is longer. With the defaults of perf, a PSB comes each 16 KiB. */
export const PIECE_BYTES = 1024 * 1024;
/** Read at once. */
const SEARCH_BYTES = 32 * 1024;

export class PsbSearch {
  /** Bytes that were read. */
  searched = 0;

  constructor(private readonly readStream: (stream: Stream, offset: number, into: Uint8Array) => void) {}

  /** Returns where the last PSB at or before an offset begins; null: there is none in the piece before it. */
  before(stream: Stream, offset: number): number | null {
    const first = stream[0].offset;
    for (let end = offset; end > offset - PIECE_BYTES && end >= first; end -= SEARCH_BYTES) {
      const start = Math.max(first, end - SEARCH_BYTES + 1);
      const bytes = this.read(stream, { start, end: end + PSB.length });
      let last = -1;
      for (let at = indexOfBytes(bytes, PSB); at >= 0; at = indexOfBytes(bytes, PSB, at + 1)) last = at;
      if (last >= 0) return start + last;
    }
    return null;
  }

  after(stream: Stream, offset: number): number | null {
    for (let start = offset; start < Math.min(offset + PIECE_BYTES, endOf(stream)); start += SEARCH_BYTES) {
      const found = indexOfBytes(this.read(stream, { start, end: start + SEARCH_BYTES + PSB.length - 1 }), PSB);
      if (found >= 0) return start + found;
    }
    return null;
  }

  /**
   * Returns what has all trace from one tick to another, from a PSB that is some time before the first one on: clocks take a
   * while to be exact.
   */
  between(stream: Stream, firstTick: bigint, lastTick: bigint): Range {
    const start = this.lastUntil(stream, firstTick);
    const last = this.lastUntil(stream, lastTick);
    return {
      start: this.before(stream, start - 1) ?? stream[0].offset,
      end: this.after(stream, last + PSB.length) ?? Math.min(last + PIECE_BYTES, endOf(stream)),
    };
  }

  /** Returns where the last PSB of a tick up to this one begins; else where the stream does. */
  private lastUntil(stream: Stream, tick: bigint): number {
    let [from, to] = [stream[0].offset, endOf(stream)];
    while (to - from > PSB.length) {
      const middle = from + Math.ceil((to - from) / 2);
      const psb = this.after(stream, middle);
      const found = psb === null || psb >= to ? null : this.tickAt(stream, psb);
      if (psb !== null && found !== null && found <= (tick & TICK_BITS)) from = psb;
      else to = middle;
    }
    return from;
  }

  private tickAt(stream: Stream, psb: number): bigint | null {
    const start = psb + PSB.length;
    return tickAfterPsb(this.read(stream, { start, end: start + PSB_PLUS_BYTES }));
  }

  private read(stream: Stream, { start, end }: Range): Uint8Array {
    const bytes = new Uint8Array(Math.max(0, Math.min(end, endOf(stream)) - start));
    this.readStream(stream, start, bytes);
    this.searched += bytes.length;
    return bytes;
  }
}

/** What a time stamp has. */
const TICK_BITS = (1n << 56n) - 1n;
