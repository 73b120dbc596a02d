/**
 * Tells whole Parquet files from others by their first and last bytes; their contents are not read.
 */
import { closeSync, openSync, readSync, statSync } from 'node:fs';

export const FOREIGN = 'ptflame export did not write it';

const MAGIC = 'PAR1';
/** The length of the footer, and the magic. */
const TAIL_BYTES = MAGIC.length + 4;

/** Returns why a file is not a whole Parquet file; null: it is. Exports rename whole files, but copies of them may be cut off. */
export function whyNotWhole(path: string): string | null {
  try {
    const stats = statSync(path); // opening a pipe would wait for its writer
    return stats.isFile() ? whyNotFramed(path, stats.size) : FOREIGN;
  } catch (error) {
    return `it cannot be read: ${(error as NodeJS.ErrnoException).code}`;
  }
}

function whyNotFramed(path: string, size: number): string | null {
  const fd = openSync(path, 'r');
  try {
    if (bytesAt(fd, 0, MAGIC.length).toString('latin1') !== MAGIC) return FOREIGN;
    const tail = bytesAt(fd, Math.max(0, size - TAIL_BYTES), TAIL_BYTES);
    const isWhole =
      tail.toString('latin1', TAIL_BYTES - MAGIC.length) === MAGIC &&
      MAGIC.length + tail.readUInt32LE(0) + TAIL_BYTES <= size;
    return isWhole ? null : 'it is cut off: its end is missing';
  } finally {
    closeSync(fd);
  }
}

function bytesAt(fd: number, at: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  return bytes.subarray(0, readSync(fd, bytes, 0, length, at));
}
