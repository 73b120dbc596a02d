/**
 * Reads and writes the header of a block of events: the thread, and a part for each CPU.
 */
import type { Nanoseconds, Tid } from '../model/units.js';

export interface BlockHead {
  readonly tid: Tid;
  readonly events: number;
  /** The earliest and the latest of its events. */
  readonly startNs: Nanoseconds;
  readonly endNs: Nanoseconds;
  /** In the order of their events, which follow the head. */
  readonly parts: readonly BlockPart[];
}

export interface BlockPart {
  readonly cpu: number;
  readonly events: number;
  /** The time that its first step counts from. */
  readonly startNs: Nanoseconds;
}

/** Offsets of its numbers. */
const Head = { Tid: 0, Parts: 4, Events: 8, StartNs: 16, EndNs: 24 } as const;
const HEAD_BYTES = 32;
const Part = { Cpu: 0, Events: 4, StartNs: 8 } as const;
const PART_BYTES = 16;

export function blockHeadBytes(parts: number): number {
  return HEAD_BYTES + PART_BYTES * parts;
}

export function writeBlockHead({ tid, events, startNs, endNs, parts }: BlockHead): Uint8Array {
  const head = new DataView(new ArrayBuffer(blockHeadBytes(parts.length)));
  head.setInt32(Head.Tid, tid, true);
  head.setUint32(Head.Parts, parts.length, true);
  head.setUint32(Head.Events, events, true);
  head.setFloat64(Head.StartNs, startNs, true);
  head.setFloat64(Head.EndNs, endNs, true);
  for (const [row, part] of parts.entries()) {
    const at = blockHeadBytes(row);
    head.setInt32(at + Part.Cpu, part.cpu, true);
    head.setUint32(at + Part.Events, part.events, true);
    head.setFloat64(at + Part.StartNs, part.startNs, true);
  }
  return new Uint8Array(head.buffer);
}

/** Returns null if the block is invalid. */
export function readBlockHead(block: Uint8Array): BlockHead | null {
  if (block.length < HEAD_BYTES) return null;
  const view = new DataView(block.buffer, block.byteOffset, block.length);
  const [count, events] = [view.getUint32(Head.Parts, true), view.getUint32(Head.Events, true)];
  if (events > MAX_BLOCK_EVENTS || count > events || count === 0) return null;
  if (blockHeadBytes(count) + MIN_EVENT_BYTES * events > block.length) return null;
  const parts = Array.from({ length: count }, (_, row) => partAt(view, blockHeadBytes(row)));
  if (parts.reduce((sum, part) => sum + part.events, 0) !== events) return null;
  const [startNs, endNs] = [view.getFloat64(Head.StartNs, true), view.getFloat64(Head.EndNs, true)];
  if (![startNs, endNs, ...parts.map((part) => part.startNs)].every(Number.isSafeInteger)) return null;
  return { tid: view.getInt32(Head.Tid, true), events, startNs, endNs, parts };
}

function partAt(view: DataView, at: number): BlockPart {
  return {
    cpu: view.getInt32(at + Part.Cpu, true),
    events: view.getUint32(at + Part.Events, true),
    startNs: view.getFloat64(at + Part.StartNs, true),
  };
}

/** Where a file stores the blocks of a thread; plain data. */
export interface PackedThread {
  readonly tid: Tid;
  /** By CPU. */
  readonly lanes: readonly PackedLane[];
  /** One CPU after another, each in the order of its events. */
  readonly blocks: readonly PackedBlock[];
}

/**
 * What matters of a thread outside of the time that is asked about: events of each of its blocks. These have the events of
 * all CPUs in order.
 */
export interface PackedOutline {
  readonly tid: Tid;
  /** By block: how many there are. */
  readonly lengths: readonly number[];
  readonly site: Uint32Array;
  readonly timeNs: Float64Array;
  /** Where functions are to which control moved without an event: twice a site, one more for its target. */
  readonly jumps: readonly number[];
}

/** A lane of a thread in a file. */
export interface PackedLane {
  readonly cpu: number;
  readonly events: number;
}

export interface PackedBlock {
  /** Offset and length of its bytes in the file. */
  readonly offset: number;
  readonly bytes: number;
  /** Of these bytes, as stored. */
  readonly crc: number;
  /** Length after inflating; equal to `bytes` if the block is not deflated. */
  readonly inflatedBytes: number;
  readonly events: number;
  /** The earliest and the latest of its events. */
  readonly startNs: Nanoseconds;
  readonly endNs: Nanoseconds;
}

/** Limits the memory that reading a block needs. */
export const MAX_BLOCK_EVENTS = 64 * 1024;
/** A site takes up to five bytes, a time up to nine, and each event may come from a different CPU. */
export const MAX_BLOCK_BYTES = 2 ** 21;
export const MIN_EVENT_BYTES = 2;
/** A block that would shrink by a larger factor is not deflated, so that a small file cannot demand much memory. */
export const MAX_BLOCK_INFLATION = 64;
