/**
 * Where the parts of a sample are, by what was requested for its event (perf_event_open(2)).
 */
import { NONE } from '../../model/units.js';
import { readU64 } from '../file/sections.js';

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
export function layoutOf(sampleType: number, readFormat: number, registerMask: bigint): SampleLayout {
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
