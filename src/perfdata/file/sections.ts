/**
 * Parts of the file: where they are, whether they are in it at all, and what they hold, piece by piece.
 */
import { type RecordingFile, readFully } from './file-window.js';

export interface Section {
  readonly offset: number;
  readonly sizeBytes: number;
}

export const SECTION_BYTES = 16;

/** Above 2^53 it is not exact, and out of any file. */
export function readU64(view: DataView, at: number): number {
  return view.getUint32(at + 4, true) * 2 ** 32 + view.getUint32(at, true);
}

export function readSection(view: DataView, at: number): Section {
  return { offset: readU64(view, at), sizeBytes: readU64(view, at + 8) };
}

/** No part that is read as a whole comes near it: a size that the file tells is not trusted. */
const MAX_BYTES = 32 * 1024 * 1024;

/** null if it is not all in the file, or too large to be what it should be. */
export async function loadSection(file: RecordingFile, section: Section): Promise<DataView | null> {
  const { offset, sizeBytes } = section;
  if (offset + sizeBytes > file.sizeBytes || sizeBytes > MAX_BYTES) return null;
  const bytes = await readFully(file, new Uint8Array(sizeBytes), offset);
  return bytes.length === sizeBytes ? new DataView(bytes.buffer) : null;
}

const UTF8 = new TextDecoder();

/** Takes values from a section one behind the other; a RangeError tells that there are no more. */
export class SectionReader {
  private readonly view: DataView;
  private at = 0;

  constructor(view: DataView) {
    this.view = view;
  }

  u32(): number {
    return this.view.getUint32(this.skip(4), true);
  }

  u64(): number {
    return readU64(this.view, this.skip(8));
  }

  bytes(count: number): DataView {
    const start = this.skip(count);
    return new DataView(this.view.buffer, this.view.byteOffset + start, count);
  }

  /** perf writes the length, padded, then the text and zeros up to it. */
  text(): string {
    return textOf(this.bytes(this.u32()));
  }

  private skip(count: number): number {
    this.at += count;
    return this.at - count;
  }
}

/** Up to its first zero. */
export function textOf(view: DataView): string {
  const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
  const end = bytes.indexOf(0);
  return UTF8.decode(end === -1 ? bytes : bytes.subarray(0, end));
}

export function hexOf(view: DataView): string {
  const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
