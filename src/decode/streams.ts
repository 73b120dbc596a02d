/**
 * The encoded trace of one CPU: streams of trace records, and the parts that are decoded one by one.
 */
import { firstThat } from '../model/columns.js';

/** A trace record (AUXTRACE): where its bytes are among those of its CPU and in the file, and the tick it was written near. */
export interface TraceRecordBytes {
  readonly offset: number;
  readonly fileOffset: number;
  readonly sizeBytes: number;
  readonly reference: bigint;
}

/** Records whose bytes follow each other without a gap. */
export type Stream = readonly [TraceRecordBytes, ...TraceRecordBytes[]];

/** Offset after the last byte of a stream. */
export function endOf(stream: Stream): number {
  const { offset, sizeBytes } = stream[stream.length - 1] as TraceRecordBytes;
  return offset + sizeBytes;
}

/** Returns the row of the record that holds an offset of its stream. */
export function recordAt(stream: Stream, offset: number): number {
  return firstThat(1, stream.length, (row) => (stream[row] as TraceRecordBytes).offset > offset) - 1;
}

/**
 * A position in the trace of a CPU, and the state of the decoder that came there, at the begin of a stream at the end of the one
 * before; null: a decoder begins there.
 */
export interface Position {
  /** Row of the stream. */
  readonly stream: number;
  readonly offset: number;
  readonly state: Uint8Array | null;
}

/** What is decoded at once: a piece of a stream, or several whole streams. Plain data. */
export interface Part extends Position {
  readonly lastStream: number;
  /** Where the next part of the stream begins; Infinity: none does. */
  readonly cut: number;
}

/**
 * Divides the trace of a CPU into parts of about `partBytes`: it is cut anywhere, and a decoder begins at the first PSB after a
 * cut. Several streams are one part, because a stream goes on with the clock of the one before.
 */
export function* partsOf(streams: readonly Stream[], partBytes: number): Generator<Part> {
  const [first] = streams;
  if (first === undefined) return;
  const [{ offset }] = first;
  const lastStream = streams.length - 1;
  if (lastStream === 0) yield* piecesOf(0, offset, endOf(first), partBytes);
  else yield { stream: 0, lastStream, offset, cut: Number.POSITIVE_INFINITY, state: null };
}

function* piecesOf(stream: number, start: number, end: number, partBytes: number): Generator<Part> {
  for (let offset = start; offset < end; offset += partBytes) {
    const cut = offset + partBytes < end ? offset + partBytes : Number.POSITIVE_INFINITY;
    yield { stream, lastStream: stream, offset, cut, state: null };
  }
}
