/**
 * Encodes frames: their heads, and their contents, deflated where that pays.
 */
import { constants, crc32, deflateRawSync } from 'node:zlib';
import { MAX_BLOCK_INFLATION } from '../../model/trace/packed-thread.js';
import { FrameKind, frameHead, MAX_INFLATION } from './format.js';

/** These frames are small compared to the events, and written once. */
const LEVEL = constants.Z_BEST_COMPRESSION;

export function frame(kind: FrameKind, plain: Uint8Array): Buffer {
  const deflated = deflateRawSync(plain, { level: LEVEL });
  const isDeflated = deflated.length < plain.length && plain.length <= MAX_INFLATION * deflated.length;
  const stored = isDeflated ? deflated : plain;
  const [storedBytes, inflatedBytes] = [stored.length, plain.length];
  return Buffer.concat([frameHead({ kind, isDeflated, storedBytes, inflatedBytes, crc: crc32(stored) }), stored]);
}

/** Blocks are read many times: they are deflated fast, and only if the ratio makes up for inflating them. */
const BLOCK_LEVEL = 1;
const MIN_BLOCK_INFLATION = 2;
/** Setting up zlib takes as long as some thousand events. */
const MIN_DEFLATED_BYTES = 4096;

/** Encodes a block of events: its head, and its bytes as stored in the file. */
export function blockFrame(plain: Uint8Array): {
  readonly head: Buffer;
  readonly stored: Uint8Array;
  readonly crc: number;
} {
  const deflated = plain.length < MIN_DEFLATED_BYTES ? plain : deflateRawSync(plain, { level: BLOCK_LEVEL });
  const times = plain.length / deflated.length;
  const isDeflated = times >= MIN_BLOCK_INFLATION && times <= MAX_BLOCK_INFLATION;
  const stored = isDeflated ? deflated : plain;
  const [storedBytes, inflatedBytes, crc] = [stored.length, plain.length, crc32(stored)];
  return { head: frameHead({ kind: FrameKind.Block, isDeflated, storedBytes, inflatedBytes, crc }), stored, crc };
}
