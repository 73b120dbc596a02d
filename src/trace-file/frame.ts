/**
 * A part of a file to bytes: its head, and what it holds, deflated where that pays.
 */
import { constants, crc32, deflateRawSync } from 'node:zlib';
import { type FrameKind, frameHead, MOST_DEFLATED } from './format.js';

/** These parts are small beside the events, and written once. */
const LEVEL = constants.Z_BEST_COMPRESSION;

export function frame(kind: FrameKind, plain: Uint8Array): Buffer {
  const deflated = deflateRawSync(plain, { level: LEVEL });
  const isDeflated = deflated.length < plain.length && plain.length <= MOST_DEFLATED * deflated.length;
  const stored = isDeflated ? deflated : plain;
  const [storedBytes, plainBytes] = [stored.length, plain.length];
  return Buffer.concat([frameHead({ kind, isDeflated, storedBytes, plainBytes, crc: crc32(stored) }), stored]);
}

/** Of a block, whose bytes follow as they are. */
export function blockHead(kind: FrameKind, bytes: number, crc: number): Buffer {
  return frameHead({ kind, isDeflated: false, storedBytes: bytes, plainBytes: bytes, crc });
}
