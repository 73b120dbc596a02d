/**
 * A look at how a file begins, by which its kind is told.
 */
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';

const LOOKED_AT_BYTES = 4096;

/** Of a file, or of the one in a directory that `perf record --kcore` makes; none if they cannot be looked at. */
export function firstBytes(path: string): Uint8Array {
  try {
    const data = statSync(path).isDirectory() ? join(path, 'data') : path;
    if (!statSync(data).isFile()) return new Uint8Array(); // who opens a pipe waits for its writer, and who closes it ends him
    const fd = openSync(data, 'r');
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
