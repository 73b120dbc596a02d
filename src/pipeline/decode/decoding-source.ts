/**
 * A recording as a source, decoded here.
 */
import type { Part } from '../../decode/parts.js';
import { openPath, versionOf } from '../../host/files.js';
import { PtflameError, unreadableInput } from '../../model/errors.js';
import type { FileRef } from '../../model/open-file.js';
import type { RecordingEnvironment } from '../../model/profile/profile.js';
import { sharesMemory } from '../../model/shared-memory.js';
import type { PieceReaders } from '../read/piece-readers.js';
import { addOwnRecords, addRecordedSamples } from '../read/recording-source.js';
import type { Source, TraceBuilder } from '../read/trace-builder.js';
import { PartsDecoding, type PartsOptions } from './decode-parts.js';
import { decodePlan } from './decode-plan.js';
import { type DecodeContext, newEvents, RecordingDecoder, sentContext } from './decode-task.js';
import { DecodedTrace, gapRecords, truncations } from './decoded-trace.js';
import { type DecodingSizes, decodeContext, type EncodedRecording } from './encoded-recording.js';

export class DecodingSource implements Source {
  readonly name: string;
  readonly recorded: RecordingEnvironment | null;
  readonly standsAlone = false;

  constructor(private readonly encoded: EncodedRecording) {
    this.name = encoded.name;
    this.recorded = encoded.recorded;
  }

  async read(into: TraceBuilder): Promise<void> {
    const { encoded } = this;
    const { name, path, recording, binaries, broken, locate } = encoded;
    if (broken !== null) into.addAccount({ broken: [{ input: name, reason: broken }] });
    if (recording.bounds !== null) into.context.timeOf(recording.bounds.start); // the first time is the origin of all
    const originNs = BigInt(into.context.originSeconds ?? 0) * 1_000_000_000n;
    const plan = decodePlan(encoded);
    const { images } = plan.schedule;
    const trace = new DecodedTrace(name, into, images, locate, (encoded.kernel ?? null) !== null);
    await whileUnchanged({ path, name, sizeBytes: recording.sizeBytes }, async (file) => {
      const context = decodeContext(encoded, file, plan, originNs);
      await decodeRecording(context, into.readers, trace, encoded);
    });
    trace.addGaps(gapRecords([...trace.errors, ...truncations(recording, originNs)], binaries));
    into.isDecodedHere = true;
    into.decoded.push({ encoded, originNs });
    addOwnRecords(name, recording.sideband, into);
    addRecordedSamples(name, recording, encoded.sides ?? [], into);
  }
}

interface ReadFile {
  readonly path: string;
  /** For messages. */
  readonly name: string;
  /** When it was read first. */
  readonly sizeBytes: number;
}

/**
 * Makes sure that a file stays the same while it is read more than once.
 *
 * @throws PtflameError INPUT_UNREADABLE if the file is gone, or is another one after the work
 */
async function whileUnchanged(read: ReadFile, work: (file: FileRef) => Promise<void>): Promise<void> {
  const before = identity(read);
  const file = openPath(read.path);
  try {
    await work(file.ref);
  } finally {
    file.close();
  }
  if (identity(read) !== before) throw changed(read.name);
}

function identity({ path, name, sizeBytes: expected }: ReadFile): string {
  try {
    const { version, sizeBytes } = versionOf(path);
    if (sizeBytes !== expected) throw changed(name);
    return version;
  } catch (error) {
    throw error instanceof PtflameError ? error : unreadableInput(name, error);
  }
}

function changed(name: string): PtflameError {
  return new PtflameError('INPUT_UNREADABLE', `${name} changed while it was read`, {
    hint: 'try again once it no longer changes',
  });
}

const MAX_INLINE_BYTES = 1024 * 1024;
const PART_BYTES = 384 * 1024;
/** While all workers are busy, some parts wait for a worker, and some for their turn. */
const WAITING_PARTS = 2;
type How = Pick<PartsOptions, 'decode' | 'newMemory' | 'partBytes' | 'maxParts'>;

/** Decodes all parts of a recording: in workers if there is much trace, else here. */
async function decodeRecording(
  context: DecodeContext,
  readers: PieceReaders,
  into: DecodedTrace,
  { maxInlineBytes = MAX_INLINE_BYTES, partBytes = PART_BYTES }: DecodingSizes,
): Promise<void> {
  const { cpus } = context;
  const totalBytes = cpus.reduce((sum, { trace }) => sum + trace.sizeBytes, 0);
  const streams = cpus.map(({ trace }) => trace.streams);
  const decodeAll = (how: How) => new PartsDecoding({ streams, take: (part) => into.add(part, context), ...how }).run();
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
    await decodeAll({ decode, newMemory: () => newEvents(context), partBytes: Number.POSITIVE_INFINITY, maxParts: 1 });
  } finally {
    decoder.close();
  }
}

/** Events are sent. */
const NO_EVENTS = new Int32Array();

function inWorkers(context: DecodeContext, readers: PieceReaders, into: DecodedTrace, partBytes: number): How {
  const shared = sharesMemory();
  const sent = sentContext(context);
  const decode = async (cpu: number, part: Part, memory: Int32Array) => {
    const { worker, decoded, length } = await readers.decodePart({
      ...{ context: sent, cpu, part },
      events: shared ? memory : null,
    });
    const events = length === null ? decoded.events : memory.subarray(0, length);
    return { cpu, part, decoded: { ...decoded, events }, sites: into.sites.add(worker, decoded.sites), memory };
  };
  const newMemory = () => (shared ? newEvents(context) : NO_EVENTS);
  return { decode, newMemory, partBytes, maxParts: readers.size + WAITING_PARTS };
}
