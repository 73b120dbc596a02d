/**
 * Looks at the first packets of each CPU or thread for what the own decoder does not know and the settings do not show.
 */
import { closeSync, openSync, readSync } from 'node:fs';
import { unknownKinds } from '../../decode/unknown-packets.js';
import type { Recording } from '../../perfdata/recording.js';
import type { Unsupported } from './supported.js';

/** Holds several PSBs, each of which is followed by the mode of the CPU. */
const PEEK_BYTES = 64 * 1024;
const MAX_PEEKS = 256;

/**
 * Returns what only perf can decode, or null. What is there at all is there more than once: a single one is a flipped bit, which
 * must neither refuse a recording nor hand it to a perf that crashes on it. `path`: the file of the recording.
 */
export function unsupportedPackets({ buffers }: Recording, path: string): Unsupported | null {
  const left = new Map<string, number>();
  const seen = new Set<string>();
  const file = openSync(path, 'r');
  try {
    for (const { cpu, tid, fileOffset, sizeBytes } of buffers) {
      const owner = `${cpu} ${tid}`;
      const ownBytes = left.get(owner) ?? (left.size < MAX_PEEKS ? PEEK_BYTES : 0);
      const bytes = new Uint8Array(Math.min(sizeBytes, ownBytes));
      if (bytes.length === 0) continue;
      left.set(owner, ownBytes - bytes.length);
      for (const what of unknownKinds(bytes.subarray(0, readSync(file, bytes, 0, bytes.length, fileOffset)))) {
        if (seen.has(what)) return { what, hasRest: true };
        seen.add(what);
      }
    }
  } finally {
    closeSync(file);
  }
  return null;
}
