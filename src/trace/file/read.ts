/**
 * Reads an open trace file, except for the blocks, of which it only returns where they are.
 */

import type { PackedThread } from '../../codec/block-head.js';
import { FileFault, newerVersion } from '../../codec/file-fault.js';
import type { StoredSamples, TraceContents } from './contents.js';
import type { FileBytes } from './file-bytes.js';
import {
  END_MAGIC,
  FrameKind,
  HEAD_BYTES,
  isTraceFile,
  MAGIC,
  PRODUCER_BYTES,
  TRAILER_BYTES,
  VERSION,
  VERSION_WITHOUT_SAMPLES,
} from './format.js';
import { readIndex } from './index-section.js';
import { readMeta } from './meta.js';
import { NO_SAMPLES, readSamples } from './samples.js';
import { readSide } from './side-records.js';
import { readSites } from './sites.js';
import { readSymbols } from './symbols.js';

export interface StoredContents {
  readonly contents: TraceContents;
  /** By tid. */
  readonly threads: readonly PackedThread[];
}

/** @throws FileFault */
export function readTraceFile(file: FileBytes): StoredContents {
  const version = readHead(file);
  const { end: sideAt, ...common } = readCommon(file);
  const side = file.frame(sideAt, FrameKind.Side);
  const samples = version > VERSION_WITHOUT_SAMPLES ? file.frame(side.end, FrameKind.Samples) : null;
  const threads = readThreads(file, samples?.end ?? side.end, common.meta);
  const contents = { ...common, side: readSide(side.bytes, version), samples: samplesIn(samples?.bytes ?? null) };
  return { contents, threads };
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

/** Returns the version of the format. */
export function readHead(file: FileBytes): number {
  const head = file.bytes(0, HEAD_BYTES);
  if (!isTraceFile(head)) throw new FileFault('damaged', 'it does not begin like one');
  if (!file.isChecked(head)) throw new FileFault('damaged', 'its head has a wrong checksum');
  const version = head.readUInt32LE(MAGIC.length);
  const producer = head.toString('latin1', MAGIC.length + 4, MAGIC.length + 4 + PRODUCER_BYTES).replace(/\0+$/, '');
  if (version < 1) throw new FileFault('damaged', 'its version is invalid');
  if (version > VERSION) throw newerVersion(version, VERSION, producer);
  return version;
}

/** Returns the offset of the index. */
function readTrailer(file: FileBytes): number {
  const trailer = file.bytes(Math.max(HEAD_BYTES, file.sizeBytes - TRAILER_BYTES), TRAILER_BYTES);
  if (!END_MAGIC.equals(trailer.subarray(0, END_MAGIC.length)) || !file.isChecked(trailer))
    throw new FileFault('cut', 'its last bytes are not those of a trace file');
  const fileBytes = Number(trailer.readBigUInt64LE(16));
  if (fileBytes !== file.sizeBytes) throw new FileFault('cut', `it has ${file.sizeBytes} bytes, not ${fileBytes}`);
  return Number(trailer.readBigUInt64LE(8));
}
