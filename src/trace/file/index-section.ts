/**
 * Encodes and decodes the index: where the blocks of each thread are.
 */

import {
  MAX_BLOCK_BYTES,
  MAX_BLOCK_EVENTS,
  MAX_BLOCK_INFLATION,
  MIN_EVENT_BYTES,
  type PackedBlock,
  type PackedLane,
  type PackedThread,
} from '../../codec/block-head.js';
import { NumberReader } from '../../codec/number-reader.js';
import { NumberWriter } from '../../codec/number-writer.js';
import { NONE } from '../../model/units.js';

const MAX_ID = 2 ** 31 - 1;
const MAX_CRC = 2 ** 32 - 1;

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
export interface IndexBounds {
  readonly offset: number;
  readonly end: number;
  readonly startNs: number;
  readonly endNs: number;
}

export function readIndex(bytes: Uint8Array, bounds: IndexBounds): PackedThread[] {
  const reader = new IndexReader(bytes, bounds);
  return reader.read();
}

class IndexReader {
  private readonly input: NumberReader;
  private readonly bounds: IndexBounds;
  private last = { offset: 0, startNs: 0 };
  private lastTid = NONE;

  constructor(bytes: Uint8Array, bounds: IndexBounds) {
    this.input = new NumberReader(bytes, 'its index');
    this.bounds = bounds;
  }

  read(): PackedThread[] {
    const threads = Array.from({ length: this.input.length(4) }, () => this.thread());
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
