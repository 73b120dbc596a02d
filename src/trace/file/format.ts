/**
 * Constants of the trace file format and its index, for writer and reader; docs/trace-format.md describes it.
 */

import {
  MAX_BLOCK_BYTES,
  MAX_BLOCK_EVENTS,
  MAX_BLOCK_INFLATION,
  MIN_EVENT_BYTES,
  type PackedBlock,
  type PackedLane,
  type PackedOutline,
  type PackedThread,
} from '../../codec/block-head.js';
import { beginsWith, latin1Bytes, viewOf } from '../../codec/bytes.js';
import { NumberReader, NumberWriter } from '../../codec/numbers.js';
import { crc32 } from '../../host/zip.js';
import { MAX_ID } from '../../model/limits.js';
import { NONE } from '../../model/units.js';

/** Mappings have offsets since version 2. A file without samples is of version 2, so that older programs read it. */
export const VERSION = 3;
export const VERSION_WITHOUT_SAMPLES = 2;

/** Like PNG's: a byte above 127, both kinds of line ends, and DOS's end of file, so that a transfer as text corrupts it. */
export const MAGIC = latin1Bytes('\x8fPTF\r\n\x1a\n');
export const END_MAGIC = latin1Bytes('\x8fEND\r\n\x1a\n');

/** Magic, format version, version of ptflame, and a checksum of these; the same in all versions of the format. */
export const HEAD_BYTES = 32;
export const PRODUCER_BYTES = 16;
/** Magic, offset of the index, size of the file, and a checksum of these. */
export const TRAILER_BYTES = 28;
/** Kind, coding, two zeros, stored and inflated size, checksum of the stored bytes, and a checksum of all this. */
export const FRAME_BYTES = 20;

/** There is one of each, except for blocks. Not all files have samples, after the side records, and outlines, after the blocks. */
export const FrameKind = {
  Meta: 1,
  Symbols: 2,
  Sites: 3,
  Side: 4,
  Block: 5,
  Index: 6,
  Samples: 7,
  Outlines: 8,
} as const;
export type FrameKind = (typeof FrameKind)[keyof typeof FrameKind];

export const Coding = { Stored: 0, Deflated: 1 } as const;

/** Frames that would shrink more are not deflated, so that a small file cannot make the reader allocate much memory. */
export const MAX_INFLATION = 32;
const MAX_SECTION_BYTES = 2 ** 30;

/** Recognizes a trace file by its first bytes. */
export function isTraceFile(first: Uint8Array): boolean {
  return beginsWith(first, MAGIC);
}

export interface FrameHead {
  readonly kind: number;
  readonly isDeflated: boolean;
  readonly storedBytes: number;
  readonly inflatedBytes: number;
  readonly crc: number;
}

export function frameHead({ kind, isDeflated, storedBytes, inflatedBytes, crc }: FrameHead): Uint8Array {
  const head = new Uint8Array(FRAME_BYTES);
  head.set([kind, isDeflated ? Coding.Deflated : Coding.Stored]);
  const view = viewOf(head);
  view.setUint32(4, storedBytes, true);
  view.setUint32(8, inflatedBytes, true);
  view.setUint32(12, crc, true);
  view.setUint32(16, crc32(head.subarray(0, 16)), true);
  return head;
}

/** Returns null if no frame begins there. */
export function readFrameHead(bytes: Uint8Array): FrameHead | null {
  const view = viewOf(bytes);
  if (bytes.length < FRAME_BYTES || view.getUint32(16, true) !== crc32(bytes.subarray(0, 16))) return null;
  const coding = view.getUint8(1);
  const head = {
    kind: view.getUint8(0),
    isDeflated: coding === Coding.Deflated,
    storedBytes: view.getUint32(4, true),
    inflatedBytes: view.getUint32(8, true),
    crc: view.getUint32(12, true),
  };
  return coding > Coding.Deflated || view.getUint16(2, true) !== 0 || !isBounded(head) ? null : head;
}

function isBounded({ kind, isDeflated, storedBytes, inflatedBytes }: FrameHead): boolean {
  if (inflatedBytes > (kind === FrameKind.Block ? MAX_BLOCK_BYTES : MAX_SECTION_BYTES)) return false;
  const most = kind === FrameKind.Block ? MAX_BLOCK_INFLATION : MAX_INFLATION;
  return isDeflated ? inflatedBytes <= most * storedBytes : inflatedBytes === storedBytes;
}

const MAX_CRC = 2 ** 32 - 1;

// Encodes and decodes the index: where the blocks of each thread are.

/** `threads`: by tid, their blocks in the order of the file. */
export function indexBytes(threads: readonly PackedThread[]): Uint8Array {
  const out = new NumberWriter();
  out.count(threads.length);
  let last = { offset: 0, startNs: 0 };
  for (const { tid, lanes, blocks } of threads) {
    out.near(tid, 0);
    out.count(lanes.length);
    for (const { cpu, events } of lanes) {
      out.count(cpu + 1);
      out.count(events);
    }
    out.count(blocks.length);
    for (const block of blocks) {
      writeBlock(out, block, last);
      last = { offset: block.offset + block.bytes, startNs: block.startNs };
    }
  }
  return out.view();
}

function writeBlock(
  out: NumberWriter,
  { offset, bytes, inflatedBytes, crc, events, startNs, endNs }: PackedBlock,
  last: { readonly offset: number; readonly startNs: number },
): void {
  out.count(offset - last.offset);
  out.count(bytes);
  out.count(inflatedBytes - bytes);
  out.count(crc);
  out.count(events);
  out.near(startNs, last.startNs);
  out.near(endNs, startNs);
}

/** The offsets that blocks may have, and the times that events may have. */
interface IndexBounds {
  readonly offset: number;
  readonly end: number;
  readonly startNs: number;
  readonly endNs: number;
}

export function readIndex(bytes: Uint8Array, bounds: IndexBounds): PackedThread[] {
  const reader = new IndexReader(bytes, bounds);
  return reader.read();
}

/** Its number, and that it has neither lanes nor blocks: only records, such as errors. */
const MIN_THREAD_BYTES = 3;

class IndexReader {
  private readonly input: NumberReader;
  private last = { offset: 0, startNs: 0 };
  private lastTid = NONE;

  constructor(
    bytes: Uint8Array,
    private readonly bounds: IndexBounds,
  ) {
    this.input = new NumberReader(bytes, 'its index');
  }

  read(): PackedThread[] {
    const threads = Array.from({ length: this.input.length(MIN_THREAD_BYTES) }, () => this.thread());
    this.input.end();
    return threads;
  }

  private thread(): PackedThread {
    const { input } = this;
    const tid = input.nearWithin(0, this.lastTid + 1, MAX_ID);
    this.lastTid = tid;
    let lastCpu = NONE - 1;
    const lanes = Array.from({ length: input.length(2) }, (): PackedLane => {
      lastCpu = input.countWithin(lastCpu + 2, MAX_ID) - 1;
      return { cpu: lastCpu, events: input.countWithin(1, Number.MAX_SAFE_INTEGER) };
    });
    const blocks = Array.from({ length: input.length(7) }, () => this.block());
    const sum = (rows: readonly { readonly events: number }[]) => rows.reduce((sum, { events }) => sum + events, 0);
    if (sum(lanes) !== sum(blocks)) throw input.fault(`has two event counts for thread ${tid}`);
    return { tid, lanes, blocks };
  }

  /** Blocks must not overlap, so that they cannot claim more bytes than the file has. */
  private block(): PackedBlock {
    const { input, bounds, last } = this;
    const offset = last.offset + input.count();
    const bytes = input.countWithin(1, MAX_BLOCK_BYTES);
    const most = Math.min(MAX_BLOCK_BYTES, MAX_BLOCK_INFLATION * bytes);
    const inflatedBytes = bytes + input.countWithin(0, most - bytes);
    const crc = input.countWithin(0, MAX_CRC);
    const events = input.countWithin(1, Math.min(MAX_BLOCK_EVENTS, inflatedBytes / MIN_EVENT_BYTES));
    const startNs = input.wholeNear(last.startNs);
    const endNs = input.wholeNear(startNs);
    if (offset < bounds.offset || offset + bytes > bounds.end) throw input.fault('has a block outside of the file');
    if (!(bounds.startNs <= startNs && startNs <= endNs && endNs <= bounds.endNs))
      throw input.fault('has a block outside of the recording');
    this.last = { offset: offset + bytes, startNs };
    return { offset, bytes, inflatedBytes, crc, events, startNs, endNs };
  }
}

// Encodes and decodes outlines.

/** `outlines`: by tid. */
export function outlineBytes(outlines: readonly PackedOutline[]): Uint8Array {
  const out = new NumberWriter();
  out.count(outlines.length);
  for (const { tid, lengths, site, timeNs, jumps } of outlines) {
    out.near(tid, 0);
    for (const counts of [jumps, lengths]) {
      out.count(counts.length);
      for (const count of counts) out.count(count);
    }
    for (let row = 0; row < site.length; row++) {
      out.near(site[row], site[row - 1] ?? 0);
      out.near(timeNs[row], timeNs[row - 1] ?? 0);
    }
  }
  return out.view();
}

/** Its number, and that it has neither jumps nor blocks. */
const MIN_OUTLINE_BYTES = 3;

/** `sites`: the number of sites; `threads`: of the index. */
export function readOutlines(bytes: Uint8Array, sites: number, threads: readonly PackedThread[]): PackedOutline[] {
  const input = new NumberReader(bytes, 'its outlines');
  const blocksOf = new Map(threads.map(({ tid, blocks }) => [tid, blocks]));
  const outlines = Array.from({ length: input.length(MIN_OUTLINE_BYTES) }, (): PackedOutline => {
    const tid = input.nearWithin(0, 0, MAX_ID);
    const blocks = blocksOf.get(tid) ?? [];
    const jumps = Array.from({ length: input.length() }, () => input.countWithin(0, 2 * sites - 1));
    if (input.count() !== blocks.length) throw input.fault(`do not have the blocks of thread ${tid}`);
    const lengths = blocks.map(({ events }) => input.countWithin(0, events));
    const length = lengths.reduce((sum, own) => sum + own, 0);
    input.expectRows(length * MIN_EVENT_BYTES);
    const [site, timeNs] = [new Uint32Array(length), new Float64Array(length)];
    for (let row = 0, lastSite = 0, lastNs = 0; row < length; row++) {
      site[row] = lastSite = input.nearWithin(lastSite, 0, sites - 1);
      timeNs[row] = lastNs = input.wholeNear(lastNs);
    }
    return { tid, lengths, site, timeNs, jumps };
  });
  input.end();
  return outlines;
}
