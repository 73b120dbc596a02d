/**
 * Reads the parts that perf writes after the records when it ends: machine, command, names of events, build ids.
 */
import { hexText } from '../codec/bytes.js';
import { comparePerfTimes, type PerfTime } from '../model/trace/perf-time.js';
import { type Attribute, readAttribute } from './attributes.js';
import { type EventFormat, readTracingData } from './event-format.js';
import {
  loadSection,
  type RecordingFile,
  readSection,
  SECTION_BYTES,
  type Section,
  SectionReader,
  textOf,
} from './file-parts.js';
import type { FileHeader } from './header.js';
import { isKernelMode, MAX_BUILD_ID_BYTES } from './kernel-records.js';
import type { BuildId, RecordedMachine, WrittenCode } from './recording.js';
import { type Damage, timeOf } from './walk.js';

const Feature = {
  TracingData: 1,
  BuildId: 2,
  HostName: 3,
  OsRelease: 4,
  Version: 5,
  Architecture: 6,
  CpuCount: 7,
  CpuDescription: 8,
  CpuId: 9,
  TotalMemory: 10,
  CommandLine: 11,
  EventDescription: 12,
  UnitMappings: 16,
  Auxtrace: 18,
  SampleTime: 21,
  BpfPrograms: 25,
} as const;

const NAMES: Readonly<Record<number, string>> = Object.fromEntries(
  Object.entries(Feature).map(([name, bit]) => [bit, name]),
);

/** Far above the name of any event; it is matched and shown often. */
const MAX_NAME_LENGTH = 1024;

/** Missing features keep these initial values. */
export class Features {
  readonly machine = {
    hostName: null,
    kernel: null,
    architecture: null,
    cpu: null,
    cpusOnline: null,
    cpusAvailable: null,
    memoryBytes: null,
    perfVersion: null,
  } as { -readonly [Name in keyof RecordedMachine]: RecordedMachine[Name] };
  command: readonly string[] | null = null;
  /** With the number of the PMU, as in the attributes. */
  readonly events: { readonly attribute: Attribute; readonly name: string }[] = [];
  /** Of the recorded tracepoints and probes. */
  readonly formats: EventFormat[] = [];
  buildIds: readonly BuildId[] = [];
  /** Number of the Intel PT PMU. */
  intelPt: number | null = null;
  /** Offsets of the trace buffers, according to perf's index; null: there is no index. */
  auxtraceOffsets: Float64Array | null = null;
  /** Programs that the kernel compiled: eBPF. */
  programs: readonly WrittenCode[] = [];
  sampleTimes: { readonly start: PerfTime; readonly end: PerfTime } | null = null;
}

/** Reads all parts; those that are incomplete or malformed are reported as damage. */
export async function readFeatures(file: RecordingFile, header: FileHeader, damage: Damage): Promise<Features> {
  const features = new Features();
  const { data, features: bits } = header;
  const table = { offset: data.offset + data.sizeBytes, sizeBytes: bits.length * SECTION_BYTES };
  const view = await loadSection(file, table);
  if (view === null) {
    damage.add('the parts after the records are missing: host, command, names of events');
    return features;
  }
  for (const [row, bit] of bits.entries()) {
    if (NAMES[bit] === undefined) continue;
    const isWhole = await readPart(file, readSection(view, row * SECTION_BYTES), bit, features, damage);
    if (!isWhole) damage.add(`a part after the records is truncated or damaged: ${NAMES[bit]}`);
  }
  return features;
}

async function readPart(
  file: RecordingFile,
  section: Section,
  bit: number,
  to: Features,
  damage: Damage,
): Promise<boolean> {
  const view = await loadSection(file, section);
  if (view === null) return false;
  try {
    readFeature(bit, view, to, damage);
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

function readFeature(bit: number, view: DataView, to: Features, damage: Damage): void {
  const { machine } = to;
  const reader = new SectionReader(view);
  switch (bit) {
    case Feature.TracingData:
      for (const format of readTracingData(view, (system) => damage.add(foreignFormat(system))))
        to.formats.push(format);
      return;
    case Feature.BuildId:
      return void (to.buildIds = readBuildIds(view));
    case Feature.HostName:
      return void (machine.hostName = reader.text());
    case Feature.OsRelease:
      return void (machine.kernel = reader.text());
    case Feature.Version:
      return void (machine.perfVersion = reader.text());
    case Feature.Architecture:
      return void (machine.architecture = reader.text());
    case Feature.CpuCount:
      machine.cpusAvailable = reader.u32();
      machine.cpusOnline = reader.u32();
      return;
    case Feature.CpuDescription:
      return void (machine.cpu = reader.text());
    case Feature.CpuId:
      return void (machine.cpu ??= reader.text());
    case Feature.TotalMemory:
      return void (machine.memoryBytes = reader.u64() * 1024);
    case Feature.CommandLine:
      return void (to.command = readTexts(reader));
    case Feature.EventDescription:
      return readEvents(reader, to);
    case Feature.UnitMappings:
      return readPmus(reader, to);
    case Feature.Auxtrace:
      return void (to.auxtraceOffsets = readOffsets(reader, view.byteLength));
    case Feature.SampleTime:
      return readTimes(reader.bytes(16), to);
    case Feature.BpfPrograms:
      return void (to.programs = readPrograms(reader));
  }
}

function foreignFormat(system: string): string {
  return `an event of ${system.slice(0, 80)} is described as no kernel does: its samples cannot be read`;
}

function readTexts(reader: SectionReader): string[] {
  const texts: string[] = [];
  for (let left = reader.u32(); left > 0; left--) texts.push(reader.text());
  return texts;
}

/** Each event: its attributes, the number of its ids, its name, the ids. */
function readEvents(reader: SectionReader, { events }: Features): void {
  const count = reader.u32();
  const attributeBytes = reader.u32();
  for (let left = count; left > 0; left--) {
    const attribute = readAttribute(reader.bytes(attributeBytes));
    const ids = reader.u32();
    events.push({ attribute, name: reader.text().slice(0, MAX_NAME_LENGTH) });
    reader.bytes(8 * ids);
  }
}

function readPmus(reader: SectionReader, to: Features): void {
  for (let left = reader.u32(); left > 0; left--) {
    const type = reader.u32();
    if (reader.text() === 'intel_pt') to.intelPt = type;
  }
}

/** A count, then the offset and the size of each buffer's record. */
function readOffsets(reader: SectionReader, sectionBytes: number): Float64Array {
  const count = reader.u64();
  if (count > sectionBytes / 16) throw new RangeError('more pieces than the section holds');
  const offsets = new Float64Array(count);
  for (let row = 0; row < count; row++) {
    offsets[row] = reader.u64();
    reader.u64();
  }
  return offsets;
}

/** Where parts of `struct bpf_prog_info` (bpf(2)) are; pointers are offsets in the data that follows. */
const CODE_BYTES_AT = 16;
const CODE_AT = 24;
const FUNCTION_COUNT_AT = 104;
const FUNCTIONS_AT = 112;
const LENGTHS_AT = 120;
const PROGRAM_INFO_BYTES = 128;

/** Each program: the sizes of its description and of its data, and which arrays that has; then both. */
function readPrograms(reader: SectionReader): WrittenCode[] {
  const programs: WrittenCode[] = [];
  for (let left = reader.u32(); left > 0; left--) {
    const infoBytes = reader.u32();
    const dataBytes = reader.u32();
    reader.u64();
    const info = reader.bytes(infoBytes);
    const data = reader.bytes(dataBytes);
    if (infoBytes >= PROGRAM_INFO_BYTES) programs.push(...functionsOf(info, data));
  }
  return programs;
}

/** The code of a program's functions is one after another. */
function functionsOf(info: DataView, data: DataView): WrittenCode[] {
  const codeBytes = info.getUint32(CODE_BYTES_AT, true);
  const [code, addresses, lengths] = [CODE_AT, FUNCTIONS_AT, LENGTHS_AT].map((at) =>
    Number(info.getBigUint64(at, true)),
  );
  const functions: WrittenCode[] = [];
  let at = 0;
  for (let row = 0; row < info.getUint32(FUNCTION_COUNT_AT, true) && at < codeBytes; row++) {
    const start = Number(data.getBigInt64((addresses as number) + 8 * row, true));
    const length = Math.min(data.getUint32((lengths as number) + 4 * row, true), codeBytes - at);
    const first = (code as number) + at;
    if (length === 0 || first + length > data.byteLength) break;
    const bytes = new Uint8Array(data.buffer, data.byteOffset + first, length).slice();
    if (start < 0) functions.push({ time: null, start, bytes });
    at += length;
  }
  return functions;
}

function readTimes(view: DataView, to: Features): void {
  const start = timeOf(view, 0);
  const end = timeOf(view, 8);
  const isKnown = start !== null && end !== null && (end.seconds > 0 || end.ns > 0);
  if (!isKnown) return;
  if (comparePerfTimes(end, start) < 0) throw new RangeError('the last sample is before the first');
  to.sampleTimes = { start, end };
}

const HEAD_BYTES = 8;
const BUILD_ID_AT = 12; // after the pid
const SIZE_AT = BUILD_ID_AT + MAX_BUILD_ID_BYTES;
const FILE_AT = 36;
const MISC_HAS_SIZE = 1 << 15;

/**
 * Reads perf's list of build ids of the files whose code ran.
 *
 * @throws RangeError if the list is truncated or malformed
 */
function readBuildIds(view: DataView): BuildId[] {
  const ids: BuildId[] = [];
  for (let at = 0; at < view.byteLength; ) {
    const sizeBytes = view.getUint16(at + 6, true);
    if (sizeBytes < Math.max(FILE_AT, HEAD_BYTES)) throw new RangeError('an entry without a file');
    ids.push(readBuildId(new DataView(view.buffer, view.byteOffset + at, sizeBytes)));
    at += sizeBytes;
  }
  return ids;
}

function readBuildId(entry: DataView): BuildId {
  const misc = entry.getUint16(4, true);
  const length = misc & MISC_HAS_SIZE ? Math.min(entry.getUint8(SIZE_AT), MAX_BUILD_ID_BYTES) : MAX_BUILD_ID_BYTES;
  return {
    file: textOf(new DataView(entry.buffer, entry.byteOffset + FILE_AT, entry.byteLength - FILE_AT)),
    buildId: hexText(new Uint8Array(entry.buffer, entry.byteOffset + BUILD_ID_AT, length)),
    isKernel: isKernelMode(misc),
  };
}
