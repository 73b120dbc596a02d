/**
 * The kernel that ran: a copy of its code, and of the names in it.
 */
import { joined } from '../codec/bytes.js';
import type { Address } from '../model/units.js';
import type { ByteSource } from './byte-source.js';
import { buildIdIn, loadedSegments, readElf } from './elf-file.js';
import { KernelSymbols, MAX_KALLSYMS_BYTES, symbolAddress } from './kallsyms.js';
import type { SymbolFiles, SymbolRoots } from './symbol-files.js';

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

/** What a recording says about the kernel that ran. */
export interface RecordedKernel {
  readonly buildId: string | null;
  /** A symbol, and where it was; null: unknown. */
  readonly reference: { readonly name: string; readonly address: Address } | null;
}

/**
 * Finds the code and names of the kernel that ran, where perf looks for them: the copy that `perf record --kcore` put beside the
 * data (`perf.data/data`); the kernel that runs now, if it is the same; perf's copies (`perf buildid-cache --kcore`). Null: there
 * is none.
 */
export function findKernel(
  data: string,
  recorded: RecordedKernel,
  files: SymbolFiles,
  roots: SymbolRoots,
): KernelFiles | null {
  const beside = kernelIn(`${data.slice(0, data.lastIndexOf('/') + 1)}kcore_dir`);
  if (isThere(beside, files)) return beside;
  if (roots.root !== '' && roots.root !== '/') return null; // as perf does
  const candidates = [...(isRunning(recorded, files) ? [kernelIn('/proc')] : []), ...copies(recorded, files, roots)];
  return candidates.find((kernel) => isThere(kernel, files) && isSameKernel(kernel, recorded, files)) ?? null;
}

function kernelIn(folder: string): KernelFiles {
  return { code: `${folder}/kcore`, symbols: `${folder}/kallsyms` };
}

function isThere({ code, symbols }: KernelFiles, files: SymbolFiles): boolean {
  return [code, symbols].every((path) => {
    const file = files.open(path);
    file?.close();
    return file !== null;
  });
}

const NOTES = '/sys/kernel/notes';
const MAX_NOTES_BYTES = 64 * 1024;

/** As perf does: where the recording has no build id, the address alone decides. */
function isRunning({ buildId, reference }: RecordedKernel, files: SymbolFiles): boolean {
  if (buildId === null) return reference !== null;
  const file = files.open(NOTES);
  if (file === null) return false;
  try {
    return buildIdIn(bytesUpTo(file, MAX_NOTES_BYTES)) === buildId;
  } finally {
    file.close();
  }
}

function copies({ buildId }: RecordedKernel, files: SymbolFiles, { cache }: SymbolRoots): KernelFiles[] {
  if (cache === null || buildId === null) return [];
  const folder = `${cache}/[kernel.kcore]/${buildId}`;
  return (files.namesIn?.(folder) ?? []).map((name) => kernelIn(`${folder}/${name}`));
}

/** Each boot may put the kernel elsewhere. */
function isSameKernel({ symbols }: KernelFiles, { reference }: RecordedKernel, files: SymbolFiles): boolean {
  return reference === null || symbolAddress(textOf(symbols, files), reference.name) === reference.address;
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
  return new KernelSymbols(textOf(symbols, files));
}

function textOf(path: string, files: SymbolFiles): Uint8Array {
  const file = files.open(path);
  if (file === null) return new Uint8Array();
  try {
    return bytesUpTo(file, MAX_KALLSYMS_BYTES);
  } catch {
    return new Uint8Array();
  } finally {
    file.close();
  }
}

const PIECE_BYTES = 1024 * 1024;

/** Reads to the end of a file, whose length the kernel does not tell of its own ones. */
function bytesUpTo(file: ByteSource, maxBytes: number): Uint8Array {
  const pieces: Uint8Array[] = [];
  for (let at = 0; at < maxBytes; ) {
    const piece = file.read(at, Math.min(PIECE_BYTES, maxBytes - at));
    if (piece.length === 0) break;
    pieces.push(piece);
    at += piece.length;
  }
  return joined(pieces);
}
