/**
 * A look at how a file begins, by which its kind is told.
 */
import { closeSync, constants, openSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';

const LOOKED_AT_BYTES = 4096;

/** Of a file, or of the one in a directory that `perf record --kcore` makes; none if they cannot be looked at. */
export function firstBytes(path: string): Uint8Array {
  try {
    const stats = statSync(path);
    if (!stats.isFile() && !stats.isDirectory()) return new Uint8Array();
    const fd = openSync(stats.isDirectory() ? join(path, 'data') : path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const bytes = new Uint8Array(LOOKED_AT_BYTES);
      return bytes.subarray(0, readSync(fd, bytes, 0, bytes.length, 0));
    } finally {
      closeSync(fd);
    }
  } catch {
    return new Uint8Array();
  }
}
