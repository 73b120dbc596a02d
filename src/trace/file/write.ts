/**
 * Writes a trace file: first what all threads share, then their blocks, and last the index of the blocks.
 */

import {
  MAX_BLOCK_INFLATION,
  type PackedBlock,
  type PackedLane,
  type PackedOutline,
  type PackedThread,
} from '../../codec/block-head.js';
import { joined, latin1Bytes, viewOf } from '../../codec/bytes.js';
import { interruptible } from '../../host/turns.js';
import { crc32, deflateRaw } from '../../host/zip.js';
import type { Tid } from '../../model/units.js';
import { PTFLAME_VERSION } from '../../model/version.js';
import type { TraceContents } from './contents.js';
import { metaBytes } from './contents.js';
import {
  END_MAGIC,
  FRAME_BYTES,
  FrameKind,
  frameHead,
  HEAD_BYTES,
  indexBytes,
  MAGIC,
  MAX_INFLATION,
  outlineBytes,
  PRODUCER_BYTES,
  TRAILER_BYTES,
  VERSION,
  VERSION_WITHOUT_SAMPLES,
} from './format.js';
import { isEmpty, sampleBytes, sideBytes } from './records.js';
import { siteBytes, symbolBytes } from './sites.js';

export interface WrittenBlock extends Pick<PackedBlock, 'events' | 'startNs' | 'endNs'> {
  readonly data: Uint8Array;
}

export interface WrittenThread {
  readonly tid: Tid;
  readonly lanes: readonly PackedLane[];
  /** By time. */
  readonly blocks: Iterable<WrittenBlock>;
  /** Known before its blocks are; null: it has none. */
  readonly outline: PackedOutline | null;
}

/** `threads`: by tid; the blocks of a thread are requested once those before it are written. */
export async function* writeTraceFile(
  { meta, symbols, sites, side, samples }: TraceContents,
  threads: Iterable<WrittenThread> | AsyncIterable<WrittenThread>,
): AsyncGenerator<Uint8Array> {
  const head = await interruptible(() =>
    joined([
      fileHead(isEmpty(samples) ? VERSION_WITHOUT_SAMPLES : VERSION),
      frame(FrameKind.Meta, metaBytes(meta)),
      frame(FrameKind.Symbols, symbolBytes(symbols)),
      frame(FrameKind.Sites, siteBytes(sites)),
      frame(FrameKind.Side, sideBytes(side)),
      ...(isEmpty(samples) ? [] : [frame(FrameKind.Samples, sampleBytes(samples))]),
    ]),
  );
  yield head;
  let at = head.length;
  const index: PackedThread[] = [];
  const outlines: PackedOutline[] = [];
  for await (const { tid, lanes, blocks, outline } of threads) {
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
    if (outline !== null) outlines.push(outline);
  }
  if (outlines.length > 0) {
    const outlineFrame = frame(FrameKind.Outlines, outlineBytes(outlines));
    yield outlineFrame;
    at += outlineFrame.length;
  }
  const indexFrame = frame(FrameKind.Index, indexBytes(index));
  yield indexFrame;
  yield trailer(at, at + indexFrame.length + TRAILER_BYTES);
}

function fileHead(version: number): Uint8Array {
  const head = new Uint8Array(HEAD_BYTES);
  const view = viewOf(head);
  head.set(MAGIC);
  view.setUint32(MAGIC.length, version, true);
  head.set(latin1Bytes(PTFLAME_VERSION.slice(0, PRODUCER_BYTES)), MAGIC.length + 4);
  view.setUint32(HEAD_BYTES - 4, crc32(head.subarray(0, HEAD_BYTES - 4)), true);
  return head;
}

function trailer(indexAt: number, fileBytes: number): Uint8Array {
  const trailer = new Uint8Array(TRAILER_BYTES);
  const view = viewOf(trailer);
  trailer.set(END_MAGIC);
  view.setBigUint64(8, BigInt(indexAt), true);
  view.setBigUint64(16, BigInt(fileBytes), true);
  view.setUint32(TRAILER_BYTES - 4, crc32(trailer.subarray(0, TRAILER_BYTES - 4)), true);
  return trailer;
}

/** These frames are small compared to the events, and written once. */
const LEVEL = 9;

/** Encodes frames: their heads, and their contents, deflated where that pays. */
function frame(kind: FrameKind, plain: Uint8Array): Uint8Array {
  const deflated = deflateRaw(plain, { level: LEVEL });
  const isDeflated = deflated.length < plain.length && plain.length <= MAX_INFLATION * deflated.length;
  const stored = isDeflated ? deflated : plain;
  const [storedBytes, inflatedBytes] = [stored.length, plain.length];
  return joined([frameHead({ kind, isDeflated, storedBytes, inflatedBytes, crc: crc32(stored) }), stored]);
}

/** Blocks are read many times: they are deflated fast, and only if the ratio makes up for inflating them. */
const BLOCK_LEVEL = 1;
const MIN_BLOCK_INFLATION = 2;
/** Setting up zlib takes as long as some thousand events. */
const MIN_DEFLATED_BYTES = 4096;

/** Encodes a block of events: its head, and its bytes as stored in the file. */
function blockFrame(plain: Uint8Array): {
  readonly head: Uint8Array;
  readonly stored: Uint8Array;
  readonly crc: number;
} {
  const deflated = plain.length < MIN_DEFLATED_BYTES ? plain : deflateRaw(plain, { level: BLOCK_LEVEL });
  const times = plain.length / deflated.length;
  const isDeflated = times >= MIN_BLOCK_INFLATION && times <= MAX_BLOCK_INFLATION;
  const stored = isDeflated ? deflated : plain;
  const [storedBytes, inflatedBytes, crc] = [stored.length, plain.length, crc32(stored)];
  return { head: frameHead({ kind: FrameKind.Block, isDeflated, storedBytes, inflatedBytes, crc }), stored, crc };
}
