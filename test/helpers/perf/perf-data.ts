/**
 * Builds perf.data files with content that no recorded fixture has.
 */
import type { RecordingFile } from '../../../src/perfdata/file-parts.js';

const HEADER_BYTES = 104;
const ATTRIBUTE_BYTES = 128;
/** IP, TID, TIME, CPU and IDENTIFIER. */
export const SAMPLE_TYPE = 0x10087;
export const PT_TYPE = 8;

export const u16 = (value: number) => number(2, (bytes) => bytes.writeUInt16LE(value));
export const u32 = (value: number) => number(4, (bytes) => bytes.writeUInt32LE(value >>> 0));
export const u64 = (value: number | bigint) =>
  number(8, (bytes) => bytes.writeBigUInt64LE(BigInt.asUintN(64, BigInt(value))));

function number(length: number, write: (bytes: Buffer) => void): Buffer {
  const bytes = Buffer.alloc(length);
  write(bytes);
  return bytes;
}

/** Zero-terminated and padded with zeros to a multiple of 8, as the kernel writes it. */
export function text(content: string): Buffer {
  const bytes = Buffer.from(`${content}\0`, 'latin1');
  return Buffer.concat([bytes, Buffer.alloc(-bytes.length & 7)]);
}

/** As perf writes it into the features after the records. */
export function countedText(content: string): Buffer {
  return Buffer.concat([u32(text(content).length), text(content)]);
}

export interface TrailerValues {
  readonly pid?: number;
  readonly tid?: number;
  readonly ns?: number | bigint;
  readonly cpu?: number;
  readonly id?: number;
}

/** Builds the end of a record, for SAMPLE_TYPE. */
export function trailer({ pid = 7, tid = 7, ns = 0, cpu = 0, id = 0 }: TrailerValues = {}): Buffer {
  return Buffer.concat([u32(pid), u32(tid), u64(ns), u32(cpu), u32(0), u64(id)]);
}

export function record(type: number, misc: number, ...body: readonly Buffer[]): Buffer {
  const bytes = Buffer.concat(body);
  return Buffer.concat([u32(type), u16(misc), u16(8 + bytes.length), bytes]);
}

/** Builds an AUXTRACE record with its trace data. */
export function auxtrace(sizeBytes: number, { cpu = 0, tid = -1, offset = 0 } = {}): Buffer {
  const head = [u64(sizeBytes), u64(offset), u64(0), u32(0), u32(tid), u32(cpu), u32(0)];
  return Buffer.concat([record(71, 0, ...head), Buffer.alloc(sizeBytes)]);
}

export const TRACE_NUMBERS = [PT_TYPE, 31, 1, 0, 1, 0x400, 0x800, 3, 0, 1, 0x200, 0x3c000, 250, 2, 2, 30, 0, 0];

export function auxtraceInfo(numbers: readonly number[] = TRACE_NUMBERS, ...more: readonly Buffer[]): Buffer {
  return record(70, 0, u32(1), u32(0), ...numbers.map(u64), ...more);
}

export interface AttributeValues {
  readonly type?: number;
  readonly config?: number;
  readonly sampleType?: number;
  readonly readFormat?: number;
  readonly flags?: number;
  readonly ids?: readonly number[];
}

const SAMPLE_ID_ALL = 1 << 18;
const EXCLUDE_KERNEL = 1 << 5;

export function attribute({ type, config, sampleType, readFormat, flags }: AttributeValues): Buffer {
  const bytes = Buffer.alloc(ATTRIBUTE_BYTES);
  bytes.writeUInt32LE(type ?? PT_TYPE, 0);
  bytes.writeUInt32LE(ATTRIBUTE_BYTES, 4);
  bytes.writeUInt32LE(config ?? 0x402, 8);
  bytes.writeUInt32LE(sampleType ?? SAMPLE_TYPE, 24);
  bytes.writeUInt32LE(readFormat ?? 0, 32);
  bytes.writeUInt32LE(flags ?? SAMPLE_ID_ALL | EXCLUDE_KERNEL, 40);
  return bytes;
}

export interface PerfData {
  readonly records?: readonly Buffer[];
  readonly attributes?: readonly AttributeValues[];
  /** Feature sections, by bit number. */
  readonly features?: Readonly<Record<number, Buffer>>;
  /** The data size in the header, if it differs from that of the records. */
  readonly dataBytes?: number;
}

/** FINISHED_INIT, the end of perf's synthesized records: empty data would look like that of a killed recording. */
const NOTHING = record(82, 0);

/** Builds a complete file. */
export function perfData({ records = [NOTHING], attributes = [{}], features = {}, dataBytes }: PerfData): Buffer {
  const ids = attributes.map(({ ids = [] }) => Buffer.concat(ids.map(u64)));
  const entryBytes = ATTRIBUTE_BYTES + 16;
  let idsAt = HEADER_BYTES + entryBytes * attributes.length;
  const entries = attributes.map((values, row) => {
    const length = ids[row].length;
    idsAt += length;
    return Buffer.concat([attribute(values), u64(idsAt - length), u64(length)]);
  });
  const data = Buffer.concat(records);
  const end = idsAt + data.length;
  const header = [u64(HEADER_BYTES), u64(entryBytes), u64(HEADER_BYTES), u64(entryBytes * attributes.length)];
  const sections = [
    u64(idsAt),
    u64(dataBytes ?? data.length),
    u64(0),
    u64(0),
    bitmap(Object.keys(features).map(Number)),
  ];
  return Buffer.concat([
    Buffer.from('PERFILE2'),
    ...header,
    ...sections,
    ...entries,
    ...ids,
    data,
    ...featureSections(features, end),
  ]);
}

function bitmap(bits: readonly number[]): Buffer {
  const bytes = Buffer.alloc(32);
  for (const bit of bits) bytes[bit >> 3] = bytes[bit >> 3] | (1 << (bit & 7));
  return bytes;
}

/** Builds the table of offsets and sizes, then the features; numeric keys are in ascending order. */
function featureSections(features: Readonly<Record<number, Buffer>>, start: number): Buffer[] {
  const contents = Object.values(features);
  let at = start + 16 * contents.length;
  const table = contents.map((content) => {
    at += content.length;
    return Buffer.concat([u64(at - content.length), u64(content.length)]);
  });
  return [...table, ...contents];
}

/** Builds the section of event formats (feature 1), for one system: "syscalls". */
export function tracingData(system: string, ...formats: readonly string[]): Buffer {
  const long = (text: string) => Buffer.concat([u64(text.length), Buffer.from(text)]);
  return Buffer.concat([
    Buffer.from('\x17\x08Dtracing0.6\0\0\x08', 'latin1'),
    u32(4096),
    ...['header_page', 'header_event'].flatMap((name) => [Buffer.from(`${name}\0`), long(name)]),
    u32(1),
    long('an event of ftrace itself'),
    u32(1),
    Buffer.from(`${system}\0`),
    u32(formats.length),
    ...formats.map(long),
  ]);
}

/** Returns an in-memory file; `bytes` may be shorter than `sizeBytes`. */
export function fileOf(bytes: Uint8Array, sizeBytes = bytes.length): RecordingFile {
  const read = async (into: Uint8Array, at: number) => {
    const there = bytes.subarray(Math.min(at, bytes.length), at + into.length);
    into.set(there);
    return there.length;
  };
  return { name: 'test.data', sizeBytes, read };
}
