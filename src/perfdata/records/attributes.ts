/**
 * Reads the events of a recording: what perf requested from the kernel, and the ids by which records refer to events.
 */
import type { RecordingFile } from '../file/file-window.js';
import type { FileHeader } from '../file/header.js';
import { damagedHeader } from '../file/refusals.js';
import { loadSection, readSection, readU64, SECTION_BYTES, type Section } from '../file/sections.js';
import { layoutOf, type SampleLayout } from '../samples/sample-layout.js';
import { type Trailer, trailerOf } from './sample-id.js';

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
