/**
 * Writes a trace file: first what all threads share, then their blocks, and last the index of the blocks.
 */
import { crc32 } from 'node:zlib';
import type { PackedBlock, PackedLane, PackedThread } from '../../model/trace/packed-thread.js';
import type { Tid } from '../../model/units.js';
import { PTFLAME_VERSION } from '../../model/version.js';
import type { TraceContents } from './contents.js';
import {
  END_MAGIC,
  FRAME_BYTES,
  FrameKind,
  HEAD_BYTES,
  MAGIC,
  PRODUCER_BYTES,
  TRAILER_BYTES,
  VERSION,
  VERSION_WITHOUT_SAMPLES,
} from './format.js';
import { blockFrame, frame } from './frame.js';
import { indexBytes } from './index-section.js';
import { metaBytes } from './meta.js';
import { isEmpty, sampleBytes } from './samples.js';
import { sideBytes } from './side-records.js';
import { siteBytes } from './sites.js';
import { symbolBytes } from './symbols.js';

export interface WrittenBlock extends Pick<PackedBlock, 'events' | 'startNs' | 'endNs'> {
  readonly data: Uint8Array;
}

export interface WrittenThread {
  readonly tid: Tid;
  readonly lanes: readonly PackedLane[];
  /** By time. */
  readonly blocks: Iterable<WrittenBlock>;
}

/** `threads`: by tid; the blocks of a thread are requested once those before it are written. */
export async function* writeTraceFile(
  { meta, symbols, sites, side, samples }: TraceContents,
  threads: Iterable<WrittenThread> | AsyncIterable<WrittenThread>,
): AsyncGenerator<Uint8Array> {
  const head = Buffer.concat([
    fileHead(isEmpty(samples) ? VERSION_WITHOUT_SAMPLES : VERSION),
    frame(FrameKind.Meta, metaBytes(meta)),
    frame(FrameKind.Symbols, symbolBytes(symbols)),
    frame(FrameKind.Sites, siteBytes(sites)),
    frame(FrameKind.Side, sideBytes(side)),
    ...(isEmpty(samples) ? [] : [frame(FrameKind.Samples, sampleBytes(samples))]),
  ]);
  yield head;
  let at = head.length;
  const index: PackedThread[] = [];
  for await (const { tid, lanes, blocks } of threads) {
    const placed: PackedBlock[] = [];
    for (const { data, ...block } of blocks) {
      const { head, stored, crc } = blockFrame(data);
      yield head;
      yield stored;
      const [offset, bytes, inflatedBytes] = [at + FRAME_BYTES, stored.length, data.length];
      placed.push({ ...block, offset, bytes, inflatedBytes, crc });
      at = offset + bytes;
    }
    index.push({ tid, lanes, blocks: placed });
  }
  const indexFrame = frame(FrameKind.Index, indexBytes(index));
  yield indexFrame;
  yield trailer(at, at + indexFrame.length + TRAILER_BYTES);
}

function fileHead(version: number): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  MAGIC.copy(head);
  head.writeUInt32LE(version, MAGIC.length);
  head.write(PTFLAME_VERSION.slice(0, PRODUCER_BYTES), MAGIC.length + 4, 'latin1');
  head.writeUInt32LE(crc32(head.subarray(0, HEAD_BYTES - 4)), HEAD_BYTES - 4);
  return head;
}

function trailer(indexAt: number, fileBytes: number): Buffer {
  const trailer = Buffer.alloc(TRAILER_BYTES);
  END_MAGIC.copy(trailer);
  trailer.writeBigUInt64LE(BigInt(indexAt), 8);
  trailer.writeBigUInt64LE(BigInt(fileBytes), 16);
  trailer.writeUInt32LE(crc32(trailer.subarray(0, TRAILER_BYTES - 4)), TRAILER_BYTES - 4);
  return trailer;
}
