/**
 * Looks at the first packets of each CPU or thread for what the own decoder does not know and the settings do not show.
 */
import { closeSync, openSync, readSync } from 'node:fs';
import { unknownPackets } from '../../decode/unknown-packets.js';
import type { AuxBuffer, Recording } from '../../perfdata/recording.js';
import type { Unsupported } from './supported.js';

/** Holds several PSBs, each of which is followed by the mode of the CPU. */
const PEEK_BYTES = 64 * 1024;
const MAX_PEEKS = 256;

/** Returns what only perf can decode, or null. `path`: the file of the recording. */
export function unsupportedPackets({ buffers }: Recording, path: string): Unsupported | null {
  const first = new Map<string, AuxBuffer>();
  for (const buffer of buffers) {
    const owner = `${buffer.cpu} ${buffer.tid}`;
    if (buffer.sizeBytes > 0 && !first.has(owner) && first.size < MAX_PEEKS) first.set(owner, buffer);
  }
  const file = openSync(path, 'r');
  try {
    for (const { fileOffset, sizeBytes } of first.values()) {
      const bytes = new Uint8Array(Math.min(sizeBytes, PEEK_BYTES));
      const what = unknownPackets(bytes.subarray(0, readSync(file, bytes, 0, bytes.length, fileOffset)));
      if (what !== null) return { what, hasRest: true };
    }
  } finally {
    closeSync(file);
  }
  return null;
}
