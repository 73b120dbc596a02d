/**
 * Reads one kernel record, with the same result as parsing what `perf script` prints for it.
 */
import { hexText, latin1Text } from '../codec/bytes.js';
import { NONE } from '../model/units.js';
import type { SampleId } from './attributes.js';
import { readU64 } from './file-parts.js';
import type { AuxBuffer, AuxRecord, MadeSymbol, RecordedEvent, WrittenCode } from './recording.js';
import type { FileRecord } from './walk.js';

/** perf's numbers; from 64 on they are records of perf itself, not of the kernel. */
export const RecordType = {
  Mmap: 1,
  Lost: 2,
  Comm: 3,
  Exit: 4,
  Fork: 7,
  Sample: 9,
  Mmap2: 10,
  Aux: 11,
  ItraceStart: 12,
  LostSamples: 13,
  Switch: 14,
  SwitchCpuWide: 15,
  Ksymbol: 17,
  TextPoke: 20,
  FirstOfPerf: 64,
  AuxtraceInfo: 70,
  Auxtrace: 71,
  Compressed: 81,
  Compressed2: 83,
} as const;

/** Minimum size of each record, without its sample id. */
export const MIN_RECORD_BYTES: Readonly<Record<number, number>> = {
  [RecordType.Mmap]: 40,
  [RecordType.Lost]: 24,
  [RecordType.Comm]: 16,
  [RecordType.Exit]: 32,
  [RecordType.Fork]: 32,
  [RecordType.Mmap2]: 72,
  [RecordType.Aux]: 32,
  [RecordType.ItraceStart]: 16,
  [RecordType.LostSamples]: 16,
  [RecordType.Switch]: 8,
  [RecordType.SwitchCpuWide]: 16,
  [RecordType.Ksymbol]: 24,
  [RecordType.TextPoke]: 20,
  [RecordType.AuxtraceInfo]: 16,
  [RecordType.Auxtrace]: 48,
  [RecordType.Compressed2]: 16,
};

const MISC_SWITCH_OUT = 1 << 13;
const MISC_COMM_EXEC = 1 << 13;
const MISC_PREEMPTED = 1 << 14;
const MISC_BUILD_ID = 1 << 14;
const MISC_MODE = 7;
const MODES_OF_KERNELS = [1, 4]; // the host's, and a guest's
export const MAX_BUILD_ID_BYTES = 20;

/** Returns null if the record is not about threads or memory. `end`: where its sample id begins. */
export function readEvent(record: FileRecord, end: number): RecordedEvent['record'] | null {
  switch (record.type) {
    case RecordType.Switch:
    case RecordType.SwitchCpuWide:
      return switchOf(record.misc);
    case RecordType.Comm:
      return readComm(record, end);
    case RecordType.Fork:
      return readFork(record);
    case RecordType.Exit:
      return { what: 'exit', pid: int(record, 8), tid: int(record, 16) };
    case RecordType.ItraceStart:
      return { what: 'traced', pid: int(record, 8), tid: int(record, 12) };
    case RecordType.Mmap:
      return readMapping(record, 40, end);
    case RecordType.Mmap2:
      return readMapping(record, 72, end);
    default:
      return null;
  }
}

function int({ view, at }: FileRecord, offset: number): number {
  return view.getInt32(at + offset, true);
}

/** Shared objects: there are millions of switches, but only three kinds. */
const SWITCH_IN = { what: 'switch', direction: 'in' } as const;
const SWITCH_OUT = { what: 'switch', direction: 'out' } as const;
const SWITCH_PREEMPTED = { what: 'switch', direction: 'preempted' } as const;

function switchOf(misc: number): RecordedEvent['record'] {
  if ((misc & MISC_SWITCH_OUT) === 0) return SWITCH_IN;
  return misc & MISC_PREEMPTED ? SWITCH_PREEMPTED : SWITCH_OUT;
}

/** Returns the thread that runs next, if the record is a switch out that names it. */
export function readNextThread(record: FileRecord): { pid: number; tid: number } | null {
  if (record.type !== RecordType.SwitchCpuWide || (record.misc & MISC_SWITCH_OUT) === 0) return null;
  return { pid: int(record, 8), tid: int(record, 12) };
}

function readComm(record: FileRecord, end: number): RecordedEvent['record'] {
  const exec = (record.misc & MISC_COMM_EXEC) !== 0;
  return { what: 'comm', exec, name: latin1(record, 16, end), pid: int(record, 8), tid: int(record, 12) };
}

function readFork(record: FileRecord): RecordedEvent['record'] {
  const parents = { parentPid: int(record, 12), parent: int(record, 20) };
  return { what: 'fork', pid: int(record, 8), tid: int(record, 16), ...parents };
}

function readMapping(record: FileRecord, fileAt: number, end: number): RecordedEvent['record'] {
  const { view, at } = record;
  return {
    what: 'mmap',
    pid: int(record, 8),
    start: Number(view.getBigInt64(at + 16, true)),
    length: readU64(view, at + 24),
    fileOffset: Number(view.getBigInt64(at + 32, true)),
    file: latin1(record, fileAt, end),
  };
}

/** Up to the first zero byte; one character per byte. */
function latin1({ view, at }: FileRecord, offset: number, end: number): string {
  const bytes = new Uint8Array(view.buffer, view.byteOffset + at + offset, end - at - offset);
  const zero = bytes.indexOf(0);
  return latin1Text(bytes, 0, zero === -1 ? bytes.length : zero);
}

/** Since Linux 5.12 the record may contain it instead of the device; returns null if it does not. */
export function readMappedBuildId({ view, at, misc, type }: FileRecord): { buildId: string; isKernel: boolean } | null {
  if (type !== RecordType.Mmap2 || (misc & MISC_BUILD_ID) === 0) return null;
  const length = Math.min(view.getUint8(at + 40), MAX_BUILD_ID_BYTES);
  const buildId = hexText(new Uint8Array(view.buffer, view.byteOffset + at + 44, length));
  return { buildId, isKernel: isKernelMode(misc) };
}

export function isKernelMode(misc: number): boolean {
  return MODES_OF_KERNELS.includes(misc & MISC_MODE);
}

const AUX_TRUNCATED = 1 << 0;
const AUX_OVERWRITE = 1 << 1;
const AUX_PARTIAL = 1 << 2;
const AUX_COLLISION = 1 << 3;

export function readAuxRecord({ view, at }: FileRecord, { cpu, tid, time }: SampleId): AuxRecord {
  const flags = view.getUint32(at + 24, true);
  return {
    cpu,
    tid,
    time,
    auxOffset: readU64(view, at + 8),
    sizeBytes: readU64(view, at + 16),
    isTruncated: (flags & AUX_TRUNCATED) !== 0,
    isOverwrite: (flags & AUX_OVERWRITE) !== 0,
    isPartial: (flags & AUX_PARTIAL) !== 0,
    isCollision: (flags & AUX_COLLISION) !== 0,
  };
}

/** Code that the kernel changed in place; null: none was written. `end`: where its sample id begins. */
export function readTextPoke({ view, at }: FileRecord, { time }: SampleId, end: number): WrittenCode | null {
  const first = at + 20 + view.getUint16(at + 16, true);
  const length = view.getUint16(at + 18, true);
  if (length === 0 || first + length > end) return null;
  const bytes = new Uint8Array(view.buffer, view.byteOffset + first, length).slice();
  return { time, start: Number(view.getBigInt64(at + 8, true)), bytes };
}

const KSYMBOL_GONE = 1 << 0;

/** The name of code that the kernel made; null: the code is gone. `end`: where its sample id begins. */
export function readKsymbol(record: FileRecord, end: number): MadeSymbol | null {
  const { view, at } = record;
  if ((view.getUint16(at + 22, true) & KSYMBOL_GONE) !== 0) return null;
  const start = Number(view.getBigInt64(at + 8, true));
  return { start, end: start + view.getUint32(at + 16, true), name: latin1(record, 24, end) };
}

export function readAuxBuffer(record: FileRecord): AuxBuffer {
  const { view, at, end, offset } = record;
  const cpu = int(record, 40);
  return {
    cpu,
    tid: cpu === NONE ? int(record, 36) : NONE,
    sizeBytes: readU64(view, at + 8),
    fileOffset: offset + end - at,
    auxOffset: readU64(view, at + 16),
    reference: view.getBigUint64(at + 24, true),
  };
}
