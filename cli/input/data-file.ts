/**
 * The file of a recording, and how it begins, by which its kind is told.
 */
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Beside a recording: what it was made with. */
export function notesPath(recording: string): string {
  return `${recording}.ptflame.json`;
}

const HEAD_BYTES = 4096;

/** Of a directory that `perf record --kcore` makes, the one in it. */
export function dataFilePath(path: string): string {
  return statSync(path).isDirectory() ? join(path, 'data') : path;
}

/** None if they cannot be looked at. */
export function firstBytes(path: string): Uint8Array {
  try {
    const data = dataFilePath(path);
    if (!statSync(data).isFile()) return new Uint8Array(); // who opens a pipe waits for its writer, and who closes it ends him
    const fd = openSync(data, 'r');
    try {
      const bytes = new Uint8Array(HEAD_BYTES);
      return bytes.subarray(0, readSync(fd, bytes, 0, bytes.length, 0));
    } finally {
      closeSync(fd);
    }
  } catch {
    return new Uint8Array();
  }
}
