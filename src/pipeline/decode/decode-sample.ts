/**
 * Decodes pieces of a recording's trace, to see how much there is to decode.
 */
import { errorsOf, runsOf } from '../../decode/decoded-part.js';
import { endOf, type Part, type Stream, type TraceRecordBytes } from '../../decode/streams.js';
import { decodePlan } from './decode-plan.js';
import { type DecodeContext, RecordingDecoder } from './decode-task.js';
import { decodeContext, type EncodedRecording } from './encoded-recording.js';

/** What was decoded of how much. */
export interface DecodedSample {
  readonly pieces: number;
  /** Of trace. */
  readonly bytes: number;
  readonly ofBytes: number;
  /** Branches taken, or calls and returns alone, as the recording is to be decoded. */
  readonly branches: number;
  /** Without bad packets: the end of a piece may be one. */
  readonly errors: number;
}

/** A trace of this size is decoded as a whole. */
const MAX_BYTES = 2 * 1024 * 1024;
const PIECE_BYTES = 64 * 1024;
const BAD_PACKET = 3;

/** Decodes pieces at equal distances in the trace of all CPUs. Same recording, same pieces. */
export function decodeSample(encoded: EncodedRecording, maxBytes = MAX_BYTES): DecodedSample {
  const context = decodeContext(encoded, decodePlan(encoded), 0n);
  const ofBytes = context.cpus.flatMap(({ trace }) => trace.streams).reduce((sum, stream) => sum + bytesOf(stream), 0);
  const pieces = piecesOf(context, ofBytes <= maxBytes ? null : { ofBytes, count: Math.ceil(maxBytes / PIECE_BYTES) });
  const decoder = new RecordingDecoder({ ...context, cpus: pieces });
  const memory = new Int32Array(context.eventBytes / Int32Array.BYTES_PER_ELEMENT);
  const sample = { pieces: pieces.length, bytes: 0, ofBytes, branches: 0, errors: 0 };
  try {
    for (const [row, piece] of pieces.entries()) {
      const start = wholePart(piece);
      for (let part: Part | null = start; part !== null; ) {
        const decoded = decoder.decode(row, part, memory);
        sample.bytes += decoded.bytes;
        for (const { events } of runsOf(decoded, 0, undefined)) sample.branches += events;
        for (const { code } of errorsOf(decoded, 0, undefined)) sample.errors += Number(code !== BAD_PACKET);
        part = decoded.rest && { ...start, ...decoded.rest };
      }
    }
  } finally {
    decoder.close();
  }
  return sample;
}

type Piece = DecodeContext['cpus'][number];

function wholePart({ trace }: Piece): Part {
  const offset = trace.streams[0]?.[0].offset ?? 0;
  return { stream: 0, lastStream: 0, offset, cut: Number.POSITIVE_INFINITY, state: null };
}

/** Each piece is a CPU with one stream of its own. `spread`: null: everything. */
function piecesOf(
  { cpus }: DecodeContext,
  spread: { readonly ofBytes: number; readonly count: number } | null,
): Piece[] {
  const whole = cpus.flatMap(({ trace, slots }) =>
    trace.streams.map((stream) => ({ trace: { ...trace, streams: [stream] }, slots, stream })),
  );
  if (spread === null) return whole;
  const pieces: Piece[] = [];
  const step = spread.ofBytes / spread.count;
  let before = 0;
  for (const { trace, slots, stream } of whole) {
    const bytes = bytesOf(stream);
    while (pieces.length * step < before + bytes) {
      const from = stream[0].offset + Math.max(0, Math.floor(pieces.length * step) - before);
      pieces.push({ trace: { ...trace, streams: [cutOut(stream, from, from + PIECE_BYTES)] }, slots });
    }
    before += bytes;
  }
  return pieces;
}

function bytesOf(stream: Stream): number {
  return endOf(stream) - stream[0].offset;
}

/** Returns the bytes of a stream from one offset to another; at least one record is there. */
function cutOut(stream: Stream, from: number, to: number): Stream {
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
