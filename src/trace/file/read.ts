/**
 * Reads an open trace file, except for the blocks, of which it only returns where they are.
 */

import type { PackedBlock, PackedOutline, PackedThread } from '../../codec/block-head.js';
import { beginsWith, latin1Text, viewOf } from '../../codec/bytes.js';
import { FileFault, type FileKind, newerVersion, refusal } from '../../codec/file-fault.js';
import { crc32, inflateRaw } from '../../host/zip.js';
import { type PtflameError, systemReason } from '../../model/errors.js';
import { type OpenFile, readFully } from '../../model/open-file.js';
import { RECORD_SITES } from '../../model/trace/branch-sites.js';
import type { Tid } from '../../model/units.js';
import { PTFLAME_VERSION } from '../../model/version.js';
import { readMeta, type StoredSamples, type TraceContents } from './contents.js';
import {
  END_MAGIC,
  FRAME_BYTES,
  type FrameHead,
  FrameKind,
  HEAD_BYTES,
  isTraceFile,
  MAGIC,
  PRODUCER_BYTES,
  readFrameHead,
  readIndex,
  readOutlines,
  TRAILER_BYTES,
  VERSION,
  VERSION_WITHOUT_SAMPLES,
} from './format.js';
import { NO_SAMPLES, readSamples, readSide } from './records.js';
import { readSites, readSymbols } from './sites.js';

export interface StoredContents {
  readonly contents: TraceContents;
  /** By tid. */
  readonly threads: readonly PackedThread[];
  /** Reads the outlines, by tid. */
  readonly outlines: () => ReadonlyMap<Tid, PackedOutline>;
}

export const NO_OUTLINES: ReadonlyMap<Tid, PackedOutline> = new Map();

/** @throws FileFault */
export function readTraceFile(file: FileBytes): StoredContents {
  const { version, producer } = readHead(file);
  const { end: sideAt, ...common } = readCommon(file);
  const side = file.frame(sideAt, FrameKind.Side);
  const samples = version > VERSION_WITHOUT_SAMPLES ? file.frame(side.end, FrameKind.Samples) : null;
  const threads = readThreads(file, samples?.end ?? side.end, common.meta);
  const contents = { ...common, side: readSide(side.bytes, version), samples: samplesIn(samples?.bytes ?? null) };
  const outlines = () => readOutlinesOf(file, contents, threads);
  return { contents, threads, outlines: producer === PTFLAME_VERSION ? outlines : () => NO_OUTLINES };
}

/** They are between the last block and the index. Those of another version of ptflame may lack what this one needs. */
function readOutlinesOf(
  file: FileBytes,
  { sites }: TraceContents,
  threads: readonly PackedThread[],
): ReadonlyMap<Tid, PackedOutline> {
  const last = threads.findLast(({ blocks }) => blocks.length > 0)?.blocks.at(-1);
  const at = last && last.offset + last.bytes;
  if (at === undefined || at === readTrailer(file)) return NO_OUTLINES;
  const { bytes } = file.frame(at, FrameKind.Outlines);
  return new Map(readOutlines(bytes, sites.length + RECORD_SITES, threads).map((outline) => [outline.tid, outline]));
}

function samplesIn(bytes: Uint8Array | null): StoredSamples {
  return bytes === null ? NO_SAMPLES : readSamples(bytes);
}

/** Reads what all events depend on; also returns the offset where it ends. */
export function readCommon(file: FileBytes): Omit<TraceContents, 'side' | 'samples'> & { readonly end: number } {
  const meta = file.frame(HEAD_BYTES, FrameKind.Meta);
  const symbols = file.frame(meta.end, FrameKind.Symbols);
  const sites = file.frame(symbols.end, FrameKind.Sites);
  const symbolTable = readSymbols(symbols.bytes);
  return {
    meta: readMeta(meta.bytes),
    symbols: symbolTable,
    sites: readSites(sites.bytes, symbolTable.length),
    end: sites.end,
  };
}

/** Reads the index; no block may begin before `offset`. */
export function readThreads(
  file: FileBytes,
  offset: number,
  { startNs, endNs, counts, unwanted }: TraceContents['meta'],
): PackedThread[] {
  const indexAt = readTrailer(file);
  const index = file.frame(indexAt, FrameKind.Index);
  if (index.end !== file.sizeBytes - TRAILER_BYTES)
    throw new FileFault('damaged', 'its index does not end where it should');
  const threads = readIndex(index.bytes, { offset, end: indexAt, startNs, endNs });
  const events = threads.reduce((sum, { blocks }) => blocks.reduce((sum, block) => sum + block.events, sum), 0);
  if (events !== counts.events - unwanted)
    throw new FileFault('damaged', 'its index and its metadata count different events');
  return threads;
}

/** Returns the version of the format, and that of ptflame. */
export function readHead(file: FileBytes): { readonly version: number; readonly producer: string } {
  const head = file.bytes(0, HEAD_BYTES);
  if (!isTraceFile(head)) throw new FileFault('damaged', 'it does not begin like one');
  if (!file.isChecked(head)) throw new FileFault('damaged', 'its head has a wrong checksum');
  const version = viewOf(head).getUint32(MAGIC.length, true);
  const producer = latin1Text(head, MAGIC.length + 4, MAGIC.length + 4 + PRODUCER_BYTES).replace(/\0+$/, '');
  if (version < 1) throw new FileFault('damaged', 'its version is invalid');
  if (version > VERSION) throw newerVersion(version, VERSION, producer);
  return { version, producer };
}

/** Returns the offset of the index. */
function readTrailer(file: FileBytes): number {
  const trailer = file.bytes(Math.max(HEAD_BYTES, file.sizeBytes - TRAILER_BYTES), TRAILER_BYTES);
  if (!beginsWith(trailer, END_MAGIC) || !file.isChecked(trailer))
    throw new FileFault('cut', 'its last bytes are not those of a trace file');
  const fileBytes = Number(viewOf(trailer).getBigUint64(16, true));
  if (fileBytes !== file.sizeBytes) throw new FileFault('cut', `it has ${file.sizeBytes} bytes, not ${fileBytes}`);
  return Number(viewOf(trailer).getBigUint64(8, true));
}

const CHECKSUM_BYTES = 4;

/** Reads an open trace file: bytes at any offset, and frames, whose checksums are verified. */
export class FileBytes {
  readonly sizeBytes: number;

  constructor(private readonly file: OpenFile) {
    this.sizeBytes = file.sizeBytes;
  }

  /** @throws FileFault if the file ends before */
  bytes(at: number, length: number): Uint8Array {
    if (at + length > this.sizeBytes) throw new FileFault('cut', `it has only ${this.sizeBytes} bytes`);
    const bytes = new Uint8Array(length);
    if (this.read(bytes, at) < length) throw new FileFault('cut', 'it was truncated while it was read');
    return bytes;
  }

  /** Whether the bytes end with the checksum of those before it. */
  isChecked(bytes: Uint8Array): boolean {
    const end = bytes.length - CHECKSUM_BYTES;
    return viewOf(bytes).getUint32(end, true) === crc32(bytes.subarray(0, end));
  }

  /** Returns null if no frame begins there, or the file ends within it. */
  frameHead(at: number): FrameHead | null {
    if (at + FRAME_BYTES > this.sizeBytes) return null;
    const head = readFrameHead(this.bytes(at, FRAME_BYTES));
    return head === null || at + FRAME_BYTES + head.storedBytes > this.sizeBytes ? null : head;
  }

  /** Returns the contents of a frame, and the offset of its end. @throws FileFault if no intact frame of that kind begins there */
  frame(at: number, kind: FrameKind): { readonly bytes: Uint8Array; readonly end: number } {
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
  }: Pick<PackedBlock, 'offset' | 'bytes' | 'inflatedBytes' | 'crc'>): Uint8Array | null {
    if (offset + bytes > this.sizeBytes) return null;
    const stored = this.bytes(offset, bytes);
    if (crc32(stored) !== crc) return null;
    return inflatedBytes === bytes ? stored : inflatedOrNull(stored, inflatedBytes);
  }

  private read(bytes: Uint8Array, position: number): number {
    try {
      return readFully(this.file, bytes, position);
    } catch (cause) {
      throw new FileFault('unreadable', systemReason(cause));
    }
  }
}

function inflated(stored: Uint8Array, inflatedBytes: number, at: number): Uint8Array {
  const plain = inflatedOrNull(stored, inflatedBytes);
  if (plain !== null) return plain;
  throw new FileFault('damaged', `the part at byte ${at} cannot be inflated`);
}

function inflatedOrNull(stored: Uint8Array, inflatedBytes: number): Uint8Array | null {
  const plain = inflateRaw(stored, inflatedBytes);
  return plain?.length === inflatedBytes ? plain : null;
}

const RECREATE = 'import it again: ptflame import INPUT… -o FILE.ptf';

const TRACE_FILE: FileKind = {
  kind: 'trace file',
  damaged: 'TRACE_FILE_DAMAGED',
  recreate: `${RECREATE}; or read what is left of it with --salvage`,
};

// Turns a fault of a trace file into an error for the user.

/** `isSalvaged`: salvaging was tried already, so it is not suggested. */
export function traceFileRefusal(
  fault: Pick<FileFault, 'code' | 'message'>,
  name: string,
  { isSalvaged }: { readonly isSalvaged: boolean },
): PtflameError {
  return refusal(fault, name, isSalvaged ? { ...TRACE_FILE, recreate: RECREATE } : TRACE_FILE);
}
