/**
 * The files of this machine.
 */
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import type { OpenSymbolFile, SymbolFiles } from './symbol-files.js';

export const DISK_FILES: SymbolFiles = { open: openOnDisk };

function openOnDisk(path: string): OpenSymbolFile | null {
  const file = openFile(path);
  if (file === null) return null;
  const status = fstatSync(file);
  if (!status.isFile()) {
    closeSync(file);
    return null;
  }
  return { length: status.size, read: (at, length) => readPart(file, at, length), close: () => closeSync(file) };
}

/** Without waiting: a pipe of that name has no symbols. */
function openFile(path: string): number | null {
  try {
    return openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch {
    return null;
  }
}

function readPart(file: number, at: number, length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  let filled = 0;
  while (filled < length) {
    const count = readSync(file, bytes, filled, length - filled, at + filled);
    if (count === 0) break;
    filled += count;
  }
  return bytes.subarray(0, filled);
}
