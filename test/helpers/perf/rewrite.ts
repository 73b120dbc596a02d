/**
 * Takes a perf.data file apart and writes it again, so that tests can make recordings of kinds that no program at hand
 * records: snapshots, traces of threads, filtered traces.
 */
import { record, text, u32, u64 } from './perf-data.js';

const DATA_AT = 40;
const FEATURES_AT = 72;
const FEATURE_BITS = 256;
const ATTRIBUTES_AT = 24;
const BUILD_IDS = 2;
const AUXTRACE_INDEX = 18;
const AUXTRACE_INFO = 70;
const AUXTRACE = 71;

/** A record with its header, and the trace that follows it. */
export interface RawRecord {
  readonly type: number;
  readonly bytes: Buffer;
  /** Empty unless it is a buffer of trace. */
  readonly trace: Buffer;
}

export interface RawRecording {
  /** All before the records: header and attributes. */
  readonly head: Buffer;
  readonly records: readonly RawRecord[];
  /** By bit number, in ascending order. */
  readonly features: ReadonlyMap<number, Buffer>;
}

/** A buffer of trace, as its record has it. */
export interface TraceBuffer {
  readonly cpu: number;
  readonly tid: number;
  readonly index: number;
  readonly offset: number;
  readonly reference: bigint;
  readonly trace: Buffer;
}

export function takeApart(file: Buffer): RawRecording {
  const start = Number(file.readBigUInt64LE(DATA_AT));
  const end = start + Number(file.readBigUInt64LE(DATA_AT + 8));
  const records: RawRecord[] = [];
  for (let at = start; at < end; ) {
    const type = file.readUInt32LE(at);
    const bytes = file.subarray(at, at + file.readUInt16LE(at + 6));
    const traceBytes = type === AUXTRACE ? Number(bytes.readBigUInt64LE(8)) : 0;
    at += bytes.length + traceBytes;
    records.push({ type, bytes, trace: file.subarray(at - traceBytes, at) });
  }
  return { head: file.subarray(0, start), records, features: featuresOf(file, end) };
}

function featuresOf(file: Buffer, tableAt: number): Map<number, Buffer> {
  const features = new Map<number, Buffer>();
  let at = tableAt;
  for (let bit = 0; bit < FEATURE_BITS; bit++) {
    if (((file[FEATURES_AT + (bit >> 3)] ?? 0) & (1 << (bit & 7))) === 0) continue;
    const offset = Number(file.readBigUInt64LE(at));
    features.set(bit, file.subarray(offset, offset + Number(file.readBigUInt64LE(at + 8))));
    at += 16;
  }
  return features;
}

/** A copy in which a bit, counted from the first byte's lowest, is another. */
export function flipped(bytes: Buffer, bit: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[bit >> 3] = (copy[bit >> 3] ?? 0) ^ (1 << (bit & 7));
  return copy;
}

export function putTogether({ head: before, records, features }: RawRecording): Buffer {
  const head = Buffer.from(before);
  const index: bigint[] = [];
  let end = head.length;
  for (const { type, bytes, trace } of records) {
    if (type === AUXTRACE) index.push(BigInt(end), BigInt(bytes.length));
    end += bytes.length + trace.length;
  }
  head.writeBigUInt64LE(BigInt(end - head.length), DATA_AT + 8);
  const contents = [...features].map(([bit, content]) =>
    bit === AUXTRACE_INDEX ? Buffer.concat([u64(index.length / 2), ...index.map(u64)]) : content,
  );
  let at = end + 16 * contents.length;
  const table = contents.map((content) => {
    at += content.length;
    return Buffer.concat([u64(at - content.length), u64(content.length)]);
  });
  return Buffer.concat([head, ...records.flatMap(({ bytes, trace }) => [bytes, trace]), ...table, ...contents]);
}

export function traceBufferOf({ bytes, trace }: RawRecord): TraceBuffer {
  return {
    cpu: bytes.readInt32LE(40),
    tid: bytes.readInt32LE(36),
    index: bytes.readUInt32LE(32),
    offset: Number(bytes.readBigUInt64LE(16)),
    reference: bytes.readBigUInt64LE(24),
    trace,
  };
}

export function traceRecordOf({ cpu, tid, index, offset, reference, trace }: TraceBuffer): RawRecord {
  const ids = [u32(index), u32(tid), u32(cpu), u32(0)];
  return { type: AUXTRACE, bytes: record(AUXTRACE, 0, u64(trace.length), u64(offset), u64(reference), ...ids), trace };
}

export function buffersOf({ records }: RawRecording): TraceBuffer[] {
  return records.filter(({ type }) => type === AUXTRACE).map(traceBufferOf);
}

/** All trace of a CPU, without the zeros that fill buffers up. */
export function traceOfCpu(recording: RawRecording, cpu: number): Buffer {
  const own = buffersOf(recording).filter((buffer) => buffer.cpu === cpu);
  const end = Math.max(0, ...own.map(({ offset, trace }) => offset + trace.length));
  const bytes = Buffer.alloc(end);
  for (const { offset, trace } of own.sort((a, b) => a.offset - b.offset)) trace.copy(bytes, offset);
  return bytes;
}

/** Replaces the buffers of trace: new ones are where the first one was. */
export function withBuffers(recording: RawRecording, buffers: readonly TraceBuffer[]): RawRecording {
  const first = recording.records.findIndex(({ type }) => type === AUXTRACE);
  const others = recording.records.filter(({ type }) => type !== AUXTRACE);
  return { ...recording, records: others.toSpliced(first, 0, ...buffers.map(traceRecordOf)) };
}

/** Sets numbers of AUXTRACE_INFO, by index. */
export function withSettings(
  recording: RawRecording,
  settings: Readonly<Record<number, number | bigint>>,
): RawRecording {
  const records = recording.records.map((raw) => {
    if (raw.type !== AUXTRACE_INFO) return raw;
    const bytes = Buffer.from(raw.bytes);
    for (const [index, value] of Object.entries(settings))
      bytes.writeBigUInt64LE(BigInt(value), 16 + 8 * Number(index));
    return { ...raw, bytes };
  });
  return { ...recording, records };
}

/** Adds the build ids that perf found, of files by their recorded path. */
export function withBuildIds(
  { head: before, records, features }: RawRecording,
  buildIds: Readonly<Record<string, string>>,
): RawRecording {
  const head = Buffer.from(before);
  head.writeUInt8(head.readUInt8(FEATURES_AT) | (1 << BUILD_IDS), FEATURES_AT);
  const entries = Object.entries(buildIds).map(([path, id]) =>
    record(0, 2, u32(-1), Buffer.from(id, 'hex'), u32(20), text(path)),
  );
  const all = [...features, [BUILD_IDS, Buffer.concat(entries)] as const].sort(([a], [b]) => a - b);
  return { head, records, features: new Map(all) };
}

/** Sets the filter of addresses in AUXTRACE_INFO. */
export function withFilter(recording: RawRecording, filter: string): RawRecording {
  const records = recording.records.map((raw) => {
    if (raw.type !== AUXTRACE_INFO) return raw;
    const text = Buffer.alloc((filter.length + 8) & ~7);
    text.write(filter, 'latin1');
    const after = raw.bytes.subarray(16 + 8 * 17);
    const bytes = Buffer.concat([raw.bytes.subarray(0, 16 + 8 * 16), u64(text.length), text, after]);
    bytes.writeUInt16LE(bytes.length, 6);
    return { ...raw, bytes };
  });
  return { ...recording, records };
}

/** Changes the configuration of the event of Intel PT, the attribute with this type. */
export function withConfig(
  recording: RawRecording,
  unitType: number,
  change: (config: bigint) => bigint,
): RawRecording {
  const head = Buffer.from(recording.head);
  const start = Number(head.readBigUInt64LE(ATTRIBUTES_AT));
  const step = Number(head.readBigUInt64LE(ATTRIBUTES_AT - 8));
  for (let at = start; at < start + Number(head.readBigUInt64LE(ATTRIBUTES_AT + 8)); at += step)
    if (head.readUInt32LE(at) === unitType) head.writeBigUInt64LE(change(head.readBigUInt64LE(at + 8)), at + 8);
  return { ...recording, head };
}
