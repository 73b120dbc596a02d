/**
 * Reads an open trace file: bytes at any offset, and frames, whose checksums are verified.
 */
import { fstatSync, readSync } from 'node:fs';
import { crc32, inflateRawSync } from 'node:zlib';
import type { PackedBlock } from '../../codec/block-head.js';
import { FileFault } from '../../codec/file-fault.js';
import { systemReason } from '../../model/errors.js';
import { FRAME_BYTES, type FrameHead, type FrameKind, readFrameHead } from './format.js';

const CHECKSUM_BYTES = 4;

export class FileBytes {
  readonly fd: number;
  readonly sizeBytes: number;

  constructor(fd: number) {
    this.fd = fd;
    this.sizeBytes = fstatSync(fd).size;
  }

  /** @throws FileFault if the file ends before */
  bytes(at: number, length: number): Buffer {
    if (at + length > this.sizeBytes) throw new FileFault('cut', `it has only ${this.sizeBytes} bytes`);
    const bytes = Buffer.alloc(length);
    for (let done = 0; done < length; ) {
      const count = this.read(bytes, done, at + done);
      if (count === 0) throw new FileFault('cut', 'it was truncated while it was read');
      done += count;
    }
    return bytes;
  }

  /** Whether the bytes end with the checksum of those before it. */
  isChecked(bytes: Buffer): boolean {
    const end = bytes.length - CHECKSUM_BYTES;
    return bytes.readUInt32LE(end) === crc32(bytes.subarray(0, end));
  }

  /** Returns null if no frame begins there, or the file ends within it. */
  frameHead(at: number): FrameHead | null {
    if (at + FRAME_BYTES > this.sizeBytes) return null;
    const head = readFrameHead(this.bytes(at, FRAME_BYTES));
    return head === null || at + FRAME_BYTES + head.storedBytes > this.sizeBytes ? null : head;
  }

  /** Returns the contents of a frame, and the offset of its end. @throws FileFault if no intact frame of that kind begins there */
  frame(at: number, kind: FrameKind): { readonly bytes: Buffer; readonly end: number } {
    const head = this.frameHead(at);
    if (head === null || head.kind !== kind)
      throw new FileFault('damaged', `no part of the expected kind begins at byte ${at}`);
    const stored = this.bytes(at + FRAME_BYTES, head.storedBytes);
    if (crc32(stored) !== head.crc) throw new FileFault('damaged', `the part at byte ${at} has a wrong checksum`);
    return {
      bytes: head.isDeflated ? inflated(stored, head.inflatedBytes, at) : stored,
      end: at + FRAME_BYTES + stored.length,
    };
  }

  /** Returns the contents of a block; null if it is damaged. */
  block({
    offset,
    bytes,
    inflatedBytes,
    crc,
  }: Pick<PackedBlock, 'offset' | 'bytes' | 'inflatedBytes' | 'crc'>): Buffer | null {
    if (offset + bytes > this.sizeBytes) return null;
    const stored = this.bytes(offset, bytes);
    if (crc32(stored) !== crc) return null;
    return inflatedBytes === bytes ? stored : inflatedOrNull(stored, inflatedBytes);
  }

  private read(bytes: Buffer, offset: number, position: number): number {
    try {
      return readSync(this.fd, bytes, offset, bytes.length - offset, position);
    } catch (cause) {
      throw new FileFault('unreadable', systemReason(cause));
    }
  }
}

function inflated(stored: Buffer, inflatedBytes: number, at: number): Buffer {
  const plain = inflatedOrNull(stored, inflatedBytes);
  if (plain !== null) return plain;
  throw new FileFault('damaged', `the part at byte ${at} cannot be inflated`);
}

function inflatedOrNull(stored: Buffer, inflatedBytes: number): Buffer | null {
  try {
    const plain = inflateRawSync(stored, { maxOutputLength: Math.max(inflatedBytes, 1) });
    return plain.length === inflatedBytes ? plain : null;
  } catch {
    return null;
  }
}
