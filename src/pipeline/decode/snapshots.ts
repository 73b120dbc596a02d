/**
 * Snapshots of a buffer that overwrites itself: each repeats what the one before has of it. As perf does, the repeated part is
 * found by the time stamps at synchronization points (PSB), and left out.
 */
import { closeSync, openSync, readSync } from 'node:fs';
import type { AuxBuffer } from '../../perfdata/recording.js';

/** A PSB in a buffer, and the time stamp in its PSB+. */
interface Psb {
  /** Offset in the buffer. */
  readonly at: number;
  readonly tick: bigint;
}

/** A buffer, and where its synchronization points are. */
interface Snapshot {
  readonly buffer: AuxBuffer;
  readonly psbs: readonly Psb[];
}

/** Bytes of trace that nobody has: more than the padding at the end of a buffer. */
const GAP_BYTES = 64;

/** Returns the buffers without what they repeat, at offsets that follow each other where nothing is missing between them. */
export function withoutOverlaps(path: string, buffers: readonly AuxBuffer[]): AuxBuffer[] {
  const fd = openSync(path, 'r');
  try {
    const last = new Map<string, { readonly snapshot: Snapshot; readonly end: number }>();
    return buffers.flatMap((buffer) => {
      const owner = `${buffer.cpu} ${buffer.tid}`;
      const snapshot = { buffer, psbs: psbsOf(fd, buffer) };
      const before = last.get(owner);
      const repeated = before === undefined ? null : repeatedBytes(before.snapshot, snapshot);
      const kept = buffer.sizeBytes - (repeated ?? 0);
      if (kept <= 0) return [];
      const auxOffset = before === undefined ? 0 : before.end + (repeated === null ? GAP_BYTES : 0);
      last.set(owner, { snapshot, end: auxOffset + kept });
      return [{ ...buffer, auxOffset, fileOffset: buffer.fileOffset + (repeated ?? 0), sizeBytes: kept }];
    });
  } finally {
    closeSync(fd);
  }
}

/** How many bytes at the beginning of a snapshot the one before has; null: none that they share is known. */
function repeatedBytes(before: Snapshot, { psbs }: Snapshot): number | null {
  const atOf = new Map(psbs.map(({ tick, at }) => [tick, at]));
  const shared = before.psbs.findLast(({ tick }) => atOf.has(tick));
  return shared === undefined ? null : (atOf.get(shared.tick) ?? 0) + before.buffer.sizeBytes - shared.at;
}

const PSB = Buffer.from('0282'.repeat(8), 'hex');
const TSC = 0x19;
/** A PSB+ with all of its packets. */
const PSB_PLUS_BYTES = 128;
const WINDOW_BYTES = 1 << 20;

function psbsOf(fd: number, { fileOffset, sizeBytes }: AuxBuffer): Psb[] {
  const psbs: Psb[] = [];
  const window = Buffer.alloc(WINDOW_BYTES + PSB_PLUS_BYTES);
  for (let start = 0; start < sizeBytes; start += WINDOW_BYTES) {
    const bytes = window.subarray(
      0,
      readSync(fd, window, 0, Math.min(window.length, sizeBytes - start), fileOffset + start),
    );
    for (let at = bytes.indexOf(PSB); at !== -1 && at < WINDOW_BYTES; at = bytes.indexOf(PSB, at + PSB.length)) {
      while (bytes.indexOf(PSB, at + 2) === at + 2) at += 2; // the end of other packets may look like its beginning
      const tick = tickOf(bytes.subarray(at + PSB.length));
      if (tick !== null) psbs.push({ at: start + at, tick });
    }
  }
  return psbs;
}

/** The time stamp comes first, after CYC packets and padding at most. */
function tickOf(bytes: Buffer): bigint | null {
  let at = 0;
  while (bytes[at] === 0 || ((bytes[at] ?? 0) & 3) === 3) at += bytes[at] === 0 ? 1 : cycBytes(bytes, at);
  return bytes[at] === TSC && at + 8 <= bytes.length ? bytes.readBigUInt64LE(at) >> 8n : null;
}

function cycBytes(bytes: Buffer, at: number): number {
  let size = 1;
  if (((bytes[at] ?? 0) & 4) !== 0) while ((bytes[at + size++] ?? 0) & 1);
  return size;
}
