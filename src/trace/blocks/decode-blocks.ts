/**
 * Decodes the blocks of a file into the lanes of a thread, and rejects invalid blocks.
 */
import { readSync } from 'node:fs';
import { crc32, inflateRawSync } from 'node:zlib';
import {
  blockHeadBytes,
  MAX_BLOCK_BYTES,
  type PackedBlock,
  type PackedLane,
  type PackedThread,
  readBlockHead,
} from '../../codec/block-head.js';
import { SEVEN_BITS as MORE } from '../../codec/byte-writer.js';
import { systemReason } from '../../model/errors.js';
import { RECORD_SITES } from '../../model/trace/branch-sites.js';
import type { Nanoseconds } from '../../model/units.js';
import type { PackedFile } from '../event-memory.js';
import type { EventRows, Lane } from '../lanes/lane-rows.js';
import { BlockFault } from './block-fault.js';
import { FAR_TIME, FIRST_EXPECTED } from './event-code.js';

/** Shift of the fifth and last byte that a number may have. */
const LAST_SHIFT = 28;

/** Decodes the lanes of a thread into `rows`. @throws BlockFault */
export function decodeLanes({ lanes, blocks, tid }: PackedThread, file: PackedFile, rows: EventRows): Lane[] {
  const cursors = cursorsOf(lanes);
  const unpacker = new BlockDecoder(file, rows);
  for (const block of blocks) unpacker.unpack(block, tid, cursors);
  return [...cursors.values()].map(({ cpu, start, row, end }) => {
    if (row !== end) throw new BlockFault(`thread ${tid} has fewer events than its index states`);
    const [site, timeNs] = [rows.site.subarray(start, end), rows.timeNs.subarray(start, end)];
    return { cpu, length: end - start, site, timeNs };
  });
}

/** The row for the next event of a CPU. */
interface Cursor {
  readonly cpu: number;
  readonly start: number;
  readonly end: number;
  row: number;
}

function cursorsOf(lanes: readonly PackedLane[]): Map<number, Cursor> {
  let start = 0;
  return new Map(
    lanes.map(({ cpu, events }) => {
      const cursor = { cpu, start, end: start + events, row: start };
      start += events;
      return [cpu, cursor];
    }),
  );
}

/** Reused: a worker reads one block at a time. */
let buffer = Buffer.alloc(0);

/** Reads and checks a block. Valid until the next one is read. @throws BlockFault */
function readBlock(fd: number, { offset, bytes, inflatedBytes, crc }: PackedBlock): Buffer {
  if (bytes > MAX_BLOCK_BYTES) throw new BlockFault(`the block at byte ${offset} is too long`);
  if (buffer.length < bytes) buffer = Buffer.alloc(bytes);
  const block = buffer.subarray(0, bytes);
  for (let at = 0; at < bytes; ) {
    const count = readSome(fd, block.subarray(at), offset + at);
    if (count === 0) throw new BlockFault(`the block at byte ${offset} ends in the middle`);
    at += count;
  }
  if (crc32(block) !== crc) throw new BlockFault(`the block at byte ${offset} has a wrong checksum`);
  return inflatedBytes === bytes ? block : inflate(block, inflatedBytes, offset);
}

function readSome(fd: number, into: Buffer, position: number): number {
  try {
    return readSync(fd, into, 0, into.length, position);
  } catch (cause) {
    throw new BlockFault(`the block at byte ${position} cannot be read: ${systemReason(cause)}`);
  }
}

function inflate(block: Buffer, inflatedBytes: number, offset: number): Buffer {
  try {
    const inflated = inflateRawSync(block, { chunkSize: Math.max(inflatedBytes, 64), maxOutputLength: inflatedBytes });
    if (inflated.length === inflatedBytes) return inflated;
  } catch {
    // reported below
  }
  throw new BlockFault(`the block at byte ${offset} cannot be inflated`);
}

class BlockDecoder {
  private readonly file: PackedFile;
  private readonly site: Uint32Array;
  private readonly timeNs: Float64Array;
  /** Of the current block. */
  private bytes: Buffer = buffer;
  private at = 0;
  private startNs = 0;
  private endNs = 0;

  constructor(file: PackedFile, { site, timeNs }: EventRows) {
    this.file = file;
    this.site = site;
    this.timeNs = timeNs;
  }

  unpack(block: PackedBlock, tid: number, cursors: ReadonlyMap<number, Cursor>): void {
    const bytes = readBlock(this.file.fd, block);
    const head = readBlockHead(bytes);
    if (head === null || head.tid !== tid || head.events !== block.events) throw invalidBlock(block);
    Object.assign(this, { bytes, at: blockHeadBytes(head.parts.length), startNs: block.startNs, endNs: block.endNs });
    for (const { cpu, events, startNs } of head.parts) {
      const cursor = cursors.get(cpu);
      if (cursor === undefined || events > cursor.end - cursor.row) throw invalidBlock(block);
      if (!this.unpackPart(cursor.row, cursor.row + events, startNs)) throw invalidBlock(block);
      cursor.row += events;
    }
    if (this.at !== bytes.length) throw invalidBlock(block);
  }

  /**
   * Decodes a part. Returns false if it is invalid. Steps are never negative, so only the first time and absolute times
   * can be too early, and only the last time before an absolute one too late. Reads past the end of the block are
   * harmless: the caller notices that the block does not end at its last event.
   */
  private unpackPart(startRow: number, endRow: number, partStartNs: Nanoseconds): boolean {
    const { bytes, site, timeNs, startNs, endNs } = this;
    const { expected } = this.file;
    const sites = expected.length;
    let { at } = this;
    let lastNs = partStartNs;
    let next = FIRST_EXPECTED;
    if (!(lastNs >= startNs)) return false;
    for (let row = startRow; row < endRow; row++) {
      let ahead = bytes[at];
      let step = bytes[at + 1];
      if ((ahead | step) < MORE && step !== FAR_TIME) at += 2;
      else {
        ahead = bytes[at++];
        for (let shift = 7, more = ahead & MORE; more !== 0 && shift <= LAST_SHIFT; shift += 7) {
          more = bytes[at] & MORE;
          ahead = (ahead & ~(-1 << shift)) | ((bytes[at++] & ~MORE) << shift);
        }
        step = bytes[at++];
        for (let shift = 7, more = step & MORE; more !== 0 && shift <= LAST_SHIFT; shift += 7) {
          more = bytes[at] & MORE;
          step = (step & ~(-1 << shift)) | ((bytes[at++] & ~MORE) << shift);
        }
        if (step === FAR_TIME) {
          if (!(lastNs <= endNs) || at + 8 > bytes.length) return false;
          lastNs = bytes.readDoubleLE(at);
          at += 8;
          step = 1;
          if (!(lastNs >= startNs && Number.isSafeInteger(lastNs))) return false;
        }
        if (!(step > 0 && ahead >= 0)) return false;
      }
      next += ahead;
      if (next >= sites && (next -= sites) >= sites) return false;
      lastNs += step - 1;
      site[row] = next + RECORD_SITES;
      timeNs[row] = lastNs;
      next = expected[next];
    }
    this.at = at;
    return lastNs <= endNs;
  }
}

function invalidBlock({ offset }: PackedBlock): BlockFault {
  return new BlockFault(`the block at byte ${offset} holds impossible events`);
}
