/**
 * Reads the events of a recording: what perf requested from the kernel, the ids by which records refer to events,
 * and where samples and records have what.
 */

import type { PerfTime } from '../model/trace/perf-time.js';
import { NONE } from '../model/units.js';
import { loadSection, type RecordingFile, readSection, readU64, SECTION_BYTES, type Section } from './file-parts.js';
import { damagedHeader, type FileHeader } from './header.js';
import { timeOf } from './walk.js';

export interface Attribute {
  /** Number of the PMU: for Intel PT it differs between machines. */
  readonly type: number;
  readonly config: bigint;
  readonly hasKernel: boolean;
  /** Its samples contain trace of another event. */
  readonly hasTraceInSamples: boolean;
  /** Its samples are PEBS packets in the trace. */
  readonly isInTrace: boolean;
  /** Layout of the sample id at the end of each kernel record; null: there is none. */
  readonly trailer: Trailer | null;
  /** Layout of its samples. */
  readonly layout: SampleLayout;
  /** The clock of its times, as in clock_gettime(2); null: perf's own. */
  readonly clockId: number | null;
}

/** Events by the ids in their records. */
export interface Attributes {
  readonly all: readonly Attribute[];
  readonly first: Attribute;
  readonly byId: ReadonlyMap<number, Attribute>;
  /** The records of all events have the same layout: then ids do not matter, except in samples. */
  readonly areAlike: boolean;
}

/** The first version of perf's struct, up to the flags that are needed here. */
const MIN_ATTRIBUTE_BYTES = 64;
const MAX_ATTRIBUTE_BYTES = 64 * 1024;
/** Kernels number events with 16 bits. */
const MAX_ATTRIBUTES = 65_536;
const EXCLUDE_KERNEL = 1 << 5;
const SAMPLE_ID_ALL = 1 << 18;
const AUX_OUTPUT = 0x8000_0000;
const USE_CLOCK_ID = 1 << 25;
const CLOCK_ID_AT = 92;
const SAMPLE_AUX = 1 << 20;
const REGISTERS_AT = 80;

/** @throws PtflameError RECORDING_DAMAGED: without attributes, nothing else can be read */
export async function readAttributes(file: RecordingFile, header: FileHeader): Promise<Attributes> {
  const { attributes: section, attributeBytes } = header;
  const bodyBytes = attributeBytes - SECTION_BYTES;
  if (bodyBytes < MIN_ATTRIBUTE_BYTES || attributeBytes > MAX_ATTRIBUTE_BYTES)
    throw damagedHeader(file.name, `an event attribute has ${attributeBytes} bytes`);
  const view = await loadSection(file, section);
  if (view === null) throw damagedHeader(file.name, 'its event attributes are not in the file');
  const count = Math.floor(view.byteLength / attributeBytes);
  if (count > MAX_ATTRIBUTES) throw damagedHeader(file.name, `it has ${count} events`);
  const all: Attribute[] = [];
  const byId = new Map<number, Attribute>();
  let idBytes = 0;
  for (let at = 0; at + attributeBytes <= view.byteLength; at += attributeBytes) {
    const attribute = readAttribute(new DataView(view.buffer, at, bodyBytes));
    all.push(attribute);
    const ids = readSection(view, at + bodyBytes);
    idBytes += ids.sizeBytes; // if all events claimed the same ids, these would be read over and over
    if (idBytes > file.sizeBytes) throw damagedHeader(file.name, 'its events have more ids than fit into the file');
    for (const id of await readIds(file, ids)) byId.set(id, attribute);
  }
  const [first] = all;
  if (first === undefined) throw damagedHeader(file.name, 'it has no events');
  const areAlike = all.every(({ trailer }) => JSON.stringify(trailer) === JSON.stringify(first.trailer));
  return { all, first, byId, areAlike };
}

/** `view`: perf's `struct perf_event_attr`. */
export function readAttribute(view: DataView): Attribute {
  const flags = view.getUint32(40, true);
  const sampleType = view.getUint32(24, true);
  return {
    type: view.getUint32(0, true),
    config: view.getBigUint64(8, true),
    hasKernel: (flags & EXCLUDE_KERNEL) === 0,
    hasTraceInSamples: (sampleType & SAMPLE_AUX) !== 0,
    isInTrace: (flags & AUX_OUTPUT) !== 0,
    trailer: flags & SAMPLE_ID_ALL ? trailerOf(sampleType) : null,
    layout: layoutOf(sampleType, view.getUint32(32, true), registerMask(view)),
    clockId: flags & USE_CLOCK_ID && view.byteLength >= CLOCK_ID_AT + 4 ? view.getInt32(CLOCK_ID_AT, true) : null,
  };
}

function registerMask(view: DataView): bigint {
  return view.byteLength >= REGISTERS_AT + 8 ? view.getBigUint64(REGISTERS_AT, true) : 0n;
}

async function readIds(file: RecordingFile, section: Section): Promise<number[]> {
  const view = await loadSection(file, section);
  if (view === null) throw damagedHeader(file.name, 'the ids of its events are not in the file');
  return Array.from({ length: Math.floor(view.byteLength / 8) }, (_, row) => readU64(view, 8 * row));
}

// Where the parts of a sample are, by what was requested for its event (perf_event_open(2)).

/** Offsets from the start of the record in bytes; 0: missing. */
export interface SampleLayout {
  readonly ids: number; // pid, then tid
  readonly time: number;
  readonly eventId: number;
  readonly cpu: number;
  /** End of the parts of fixed size. */
  readonly fixedEnd: number;
  readonly hasCallChain: boolean;
  readonly hasRaw: boolean;
  /** Numbers of the program's registers that follow the raw data; empty: none, or they cannot be found. */
  readonly registers: readonly number[];
  /** null: no counters. */
  readonly counters: CounterLayout | null;
}

/** Counters that a sample contains. */
interface CounterLayout {
  /** First their number, then the times, then each counter; else one counter, then the times. */
  readonly isGroup: boolean;
  readonly timeBytes: number;
  readonly counterBytes: number;
}

const RECORD_HEAD_BYTES = 8;
/** Parts of eight bytes, in their order. */
const SAMPLE = {
  identifier: 1 << 16,
  ip: 1 << 0,
  ids: 1 << 1,
  time: 1 << 2,
  address: 1 << 3,
  id: 1 << 6,
  streamId: 1 << 9,
  cpu: 1 << 7,
  period: 1 << 8,
} as const;
const SAMPLE_READ = 1 << 4;
const SAMPLE_CALLCHAIN = 1 << 5;
const SAMPLE_RAW = 1 << 10;
const SAMPLE_BRANCH_STACK = 1 << 11;
const SAMPLE_REGISTERS = 1 << 12;
const READ = { timeEnabled: 1 << 0, timeRunning: 1 << 1, id: 1 << 2, group: 1 << 3, lost: 1 << 4 } as const;

/** `registerMask`: of the program's registers, bit by bit. */
function layoutOf(sampleType: number, readFormat: number, registerMask: bigint): SampleLayout {
  const at: Partial<Record<keyof typeof SAMPLE, number>> = {};
  let fixedEnd = RECORD_HEAD_BYTES;
  for (const [part, bit] of Object.entries(SAMPLE) as [keyof typeof SAMPLE, number][]) {
    if ((sampleType & bit) === 0) continue;
    at[part] = fixedEnd;
    fixedEnd += 8;
  }
  return {
    ids: at.ids ?? 0,
    time: at.time ?? 0,
    eventId: at.identifier ?? at.id ?? 0,
    cpu: at.cpu ?? 0,
    fixedEnd,
    hasCallChain: (sampleType & SAMPLE_CALLCHAIN) !== 0,
    hasRaw: (sampleType & SAMPLE_RAW) !== 0,
    registers: (sampleType & (SAMPLE_REGISTERS | SAMPLE_BRANCH_STACK)) === SAMPLE_REGISTERS ? bitsOf(registerMask) : [],
    counters: sampleType & SAMPLE_READ ? countersOf(readFormat) : null,
  };
}

function bitsOf(mask: bigint): number[] {
  return Array.from({ length: 64 }, (_, bit) => bit).filter((bit) => (mask >> BigInt(bit)) & 1n);
}

function countersOf(readFormat: number): CounterLayout {
  const bytesOf = (...bits: number[]) => 8 * bits.filter((bit) => readFormat & bit).length;
  return {
    isGroup: (readFormat & READ.group) !== 0,
    timeBytes: bytesOf(READ.timeEnabled, READ.timeRunning),
    counterBytes: 8 + bytesOf(READ.id, READ.lost),
  };
}

/** Returns where the number of the chain's entries is; `end` or more if the record is too short. */
export function callChainAt({ fixedEnd, counters }: SampleLayout, view: DataView, at: number, end: number): number {
  const next = at + fixedEnd;
  if (counters === null) return next;
  if (next + 8 > end) return end;
  const count = counters.isGroup ? readU64(view, next) : 1;
  return next + (counters.isGroup ? 8 : 0) + counters.timeBytes + count * counters.counterBytes;
}

/** Returns where the size of the raw data is; `end` or more if the record is too short. */
export function rawDataAt(layout: SampleLayout, view: DataView, at: number, end: number): number {
  const next = callChainAt(layout, view, at, end);
  if (!layout.hasCallChain) return next;
  return next + 8 > end ? end : next + 8 + 8 * readU64(view, next);
}

/** Returns where the first register is, behind the raw data; NONE: the sample has none, as those of the kernel's threads. */
export function registersAt({ registers }: SampleLayout, view: DataView, rawEnd: number, end: number): number {
  if (registers.length === 0 || rawEnd + 8 + 8 * registers.length > end) return NONE;
  return readU64(view, rawEnd) === 0 ? NONE : rawEnd + 8; // after which kind of program it is
}

// Reads the sample id at the end of each kernel record: thread, CPU and time.

/** Layout of the sample id: distances from the end of the record in bytes; 0: missing. */
export interface Trailer {
  readonly sizeBytes: number;
  readonly ids: number; // pid, then tid
  readonly time: number;
  readonly eventId: number;
  readonly cpu: number;
}

export interface SampleId {
  readonly pid: number;
  readonly tid: number;
  readonly cpu: number;
  readonly time: PerfTime | null;
}

export const NO_SAMPLE_ID: SampleId = { pid: NONE, tid: NONE, cpu: NONE, time: null };

/** `sampleType` selects the fields; their order is fixed, and each has 8 bytes. */
export function trailerOf(sampleType: number): Trailer {
  let sizeBytes = 0;
  const next = (bit: number) => (sampleType & bit ? (sizeBytes += 8) : 0);
  const identifier = next(SAMPLE.identifier); // from the last field to the first
  const cpu = next(SAMPLE.cpu);
  next(SAMPLE.streamId);
  const id = next(SAMPLE.id);
  const time = next(SAMPLE.time);
  const ids = next(SAMPLE.ids);
  return { sizeBytes, ids, time, cpu, eventId: identifier || id };
}

/** `end`: where the record ends. */
export function readSampleId(trailer: Trailer, view: DataView, end: number): SampleId {
  const { ids, time, cpu } = trailer;
  return {
    pid: ids === 0 ? NONE : view.getInt32(end - ids, true),
    tid: ids === 0 ? NONE : view.getInt32(end - ids + 4, true),
    cpu: cpu === 0 ? NONE : view.getInt32(end - cpu, true),
    time: time === 0 ? null : timeOf(view, end - time),
  };
}

export function readEventId(trailer: Trailer, view: DataView, end: number): number {
  return readU64(view, end - trailer.eventId);
}
