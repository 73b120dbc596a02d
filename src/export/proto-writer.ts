/**
 * Writes fields of protocol buffers into chunks of bytes.
 */
import { PbfWriter } from 'pbf';

export const CHUNK_BYTES = 2 ** 16;

/** Returns a writer with space for a chunk and most messages after it. */
export function newProtoWriter(): PbfWriter {
  return new PbfWriter(new Uint8Array(2 * CHUNK_BYTES));
}

export function isChunkFull({ pos }: PbfWriter): boolean {
  return pos >= CHUNK_BYTES;
}

/** Returns what was written since the last chunk; the caller may keep it. */
export function takeChunk(writer: PbfWriter): Uint8Array {
  const bytes = writer.buf.slice(0, writer.pos);
  writer.pos = 0;
  return bytes;
}

const encoder = new TextEncoder();

/** pbf itself writes other characters than those from U+20000 on. */
export function writeTextField(tag: number, text: string, writer: PbfWriter): void {
  writer.writeBytesField(tag, encoder.encode(text));
}

/** Appends bytes that are complete fields. */
export function writeFields(fields: Uint8Array, writer: PbfWriter): void {
  writer.realloc(fields.length);
  writer.buf.set(fields, writer.pos);
  writer.pos += fields.length;
}

const SEVEN_BITS = 0x7fn;

/** Writes an integer of up to 64 bits, from 0; a number would be exact up to 2^53 only. */
export function writeBigVarintField(tag: number, value: bigint, writer: PbfWriter): void {
  writer.writeTag(tag, 0);
  writer.realloc(10);
  let rest = value;
  for (; rest > SEVEN_BITS; rest >>= 7n) writer.buf[writer.pos++] = Number(rest & SEVEN_BITS) | 0x80;
  writer.buf[writer.pos++] = Number(rest);
}
