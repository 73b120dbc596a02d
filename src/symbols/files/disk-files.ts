/**
 * Opens files of this machine.
 */
import { closeSync, constants, fstatSync, openSync, readFileSync, readSync } from 'node:fs';
import { sourceOf } from '../elf/byte-source.js';
import { VDSO } from './candidates.js';
import type { OpenSymbolFile, SymbolFiles } from './symbol-files.js';

export const DISK_FILES: SymbolFiles = { open: openOnDisk };

function openOnDisk(path: string): OpenSymbolFile | null {
  if (path === VDSO) return openOwnVdso();
  const file = openFile(path);
  if (file === null) return null;
  const status = fstatSync(file);
  if (!status.isFile()) {
    closeSync(file);
    return null;
  }
  return { length: status.size, read: (at, length) => readPart(file, at, length), close: () => closeSync(file) };
}

/** Opens without waiting, in case it is a pipe. */
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

const VDSO_LINE = /^([0-9a-f]+)-([0-9a-f]+) .*\[vdso\]$/m;

/** Reads our own memory, as perf does: the kernel maps the same code into every process. */
function openOwnVdso(): OpenSymbolFile | null {
  try {
    const [, start = '', end = ''] = VDSO_LINE.exec(readFileSync('/proc/self/maps', 'latin1')) ?? [];
    const memory = openSync('/proc/self/mem', constants.O_RDONLY);
    const at = Number.parseInt(start, 16);
    const bytes = readPart(memory, at, Number.parseInt(end, 16) - at);
    closeSync(memory);
    return { ...sourceOf(bytes), close: () => {} };
  } catch {
    return null;
  }
}
