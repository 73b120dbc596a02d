/**
 * The kernel that ran: a copy of its code, and of the names in it.
 */
import type { Address } from '../model/units.js';
import { partOf } from './byte-source.js';
import { loadedSegments, readElf } from './elf-file.js';
import { KernelSymbols } from './kallsyms.js';
import type { SymbolFiles } from './symbol-files.js';

/** Plain data. */
export interface KernelFiles {
  /** Its memory, as an ELF file (kcore). */
  readonly code: string;
  readonly symbols: string;
}

/** Memory of the kernel that has code. */
export interface KernelSegment {
  readonly start: Address;
  readonly length: number;
  /** Where its bytes are in the file. */
  readonly fileOffset: number;
}

/** Returns the copy that `perf record --kcore` put beside the data of a recording (`perf.data/data`); null: there is none. */
export function findKernel(data: string, files: SymbolFiles): KernelFiles | null {
  const folder = data.slice(0, data.lastIndexOf('/') + 1);
  const kernel = { code: `${folder}kcore_dir/kcore`, symbols: `${folder}kcore_dir/kallsyms` };
  const isThere = [kernel.code, kernel.symbols].every((path) => {
    const file = files.open(path);
    file?.close();
    return file !== null;
  });
  return isThere ? kernel : null;
}

/** Returns no segments of a file that is damaged. */
export function kernelSegments({ code }: KernelFiles, files: SymbolFiles): KernelSegment[] {
  const file = files.open(code);
  if (file === null) return [];
  try {
    const { elf } = readElf(file);
    const segments = elf === null ? [] : loadedSegments(elf);
    return segments
      .map(({ address, fileLength, offset }) => ({ start: address, length: fileLength, fileOffset: offset }))
      .filter(({ start, length }) => start < 0 && length > 0 && start + length <= 0);
  } finally {
    file.close();
  }
}

/** Returns no symbols of a file that cannot be read. */
export function kernelSymbols({ symbols }: KernelFiles, files: SymbolFiles): KernelSymbols {
  const file = files.open(symbols);
  if (file === null) return new KernelSymbols(new Uint8Array());
  try {
    return new KernelSymbols(partOf(file, 0, file.length));
  } finally {
    file.close();
  }
}
