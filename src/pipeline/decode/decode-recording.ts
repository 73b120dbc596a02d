/**
 * Decodes all parts of a recording: in workers if there is much trace, else here.
 */
import type { Part } from '../../decode/parts.js';
import type { PieceReaders } from '../read/piece-readers.js';
import { PartsDecoding, type PartsOptions } from './decode-parts.js';
import { type DecodeContext, RecordingDecoder, sharedContext } from './decode-task.js';
import type { DecodedTrace } from './decoded-trace.js';

/** Smaller in tests. */
export interface DecodingSizes {
  /** More trace than this is decoded by workers: less is decoded before a worker would have started. */
  readonly maxInlineBytes?: number;
  /** Trace in a part. Its events should fit into a part's memory. */
  readonly partBytes?: number;
}

const MAX_INLINE_BYTES = 1024 * 1024;
const PART_BYTES = 192 * 1024;
/** While all workers are busy, some parts wait for a worker, and some for their turn. */
const WAITING_PARTS = 2;
/** A decoder stops when it has enough events, and has a few more then. */
const SPARE_BYTES = 320 * 1024;

type How = Pick<PartsOptions, 'decode' | 'partBytes' | 'maxParts'>;

export async function decodeRecording(
  context: DecodeContext,
  readers: PieceReaders,
  into: DecodedTrace,
  { maxInlineBytes = MAX_INLINE_BYTES, partBytes = PART_BYTES }: DecodingSizes,
): Promise<void> {
  const { cpus, eventBytes } = context;
  const totalBytes = cpus.reduce((sum, { trace }) => sum + trace.sizeBytes, 0);
  const streams = cpus.map(({ trace }) => trace.streams);
  const newMemory = () => new Int32Array(new SharedArrayBuffer(eventBytes + SPARE_BYTES));
  const decodeAll = (how: How) =>
    new PartsDecoding({ streams, newMemory, take: (part) => into.add(part, context), ...how }).run();
  if (totalBytes > maxInlineBytes && readers.canWork) await decodeAll(inWorkers(context, readers, into, partBytes));
  else await decodeHere(context, into, decodeAll);
}

/** One decoder decodes everything, one part after the other. */
async function decodeHere(
  context: DecodeContext,
  into: DecodedTrace,
  decodeAll: (how: How) => Promise<void>,
): Promise<void> {
  const decoder = new RecordingDecoder(context);
  const decode = async (cpu: number, part: Part, memory: Int32Array) => {
    const decoded = decoder.decode(cpu, part, memory);
    return { cpu, part, decoded, sites: into.sites.add(0, decoded.sites), memory };
  };
  try {
    await decodeAll({ decode, partBytes: Number.POSITIVE_INFINITY, maxParts: 1 });
  } finally {
    decoder.close();
  }
}

function inWorkers(context: DecodeContext, readers: PieceReaders, into: DecodedTrace, partBytes: number): How {
  const shared = sharedContext(context);
  const decode = async (cpu: number, part: Part, memory: Int32Array) => {
    const { worker, decoded, length } = await readers.decodePart({ context: shared, cpu, part, events: memory });
    const events = length === null ? decoded.events : memory.subarray(0, length);
    return { cpu, part, decoded: { ...decoded, events }, sites: into.sites.add(worker, decoded.sites), memory };
  };
  return { decode, partBytes, maxParts: readers.size + WAITING_PARTS };
}
