/**
 * Names an address of a recording as `perf script` does. The door of this room.
 */

import { closeSync, constants, fstatSync, openSync, readFileSync, readSync } from 'node:fs';
import { firstThat } from '../model/columns.js';
import type { SourceLine } from '../model/symbol-table.js';
import type { Mapping } from '../model/trace/trace-chunk.js';
import type { Address } from '../model/units.js';
import { partOf, sourceOf } from './byte-source.js';
import { VDSO } from './candidates.js';
import { askDebugInfo, type DebugInfoOptions, type TracedCode, type TracedFunction } from './debug-info.js';
import { demangle } from './demangle/demangle.js';
import { type InlineChain, inlineChains } from './dwarf/inline-chains.js';
import { sourceLines } from './dwarf/source-lines.js';
import { readElf, SectionType } from './elf-file.js';
import { buildIdOf } from './identity.js';
import { isJitDump, type JitDump, readJitDump } from './jitdump.js';
import { loadBinary } from './load-binary.js';
import { perfMapOf, readPerfMap } from './perf-map.js';
import type { OpenSymbolFile, SymbolFiles, SymbolRoots } from './symbol-files.js';
import type { PltNames } from './table/plt.js';
import type { Demangle } from './table/symbol-rows.js';
import type { SymbolTable } from './table/symbol-table.js';

/**
 * Finds the functions that compilers inlined at places in the code of binaries.
 *
 * Returns the names of the functions inlined at each place, outermost first; empty where there are none, or where they are unknown.
 */
export function inlinedFunctions(
  file: string,
  code: readonly TracedCode[],
  options: DebugInfoOptions,
): (readonly string[])[] {
  const names = new Array<readonly string[]>(code.length).fill([]);
  const demangled = new Map<string, string>();
  const chains = new Map<InlineChain, readonly string[]>(); // many places have the same one
  const plain = (name: string) => {
    const known = demangled.get(name) ?? demangle(name) ?? name;
    demangled.set(name, known);
    return known;
  };
  askDebugInfo(file, code, '.debug_info', inlineChains, options, (row, chain) => {
    let own = chains.get(chain);
    if (own === undefined) chains.set(chain, (own = chain.map(plain)));
    names[row] = own;
  });
  return names;
}

/** Opens files of this machine. */
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

/**
 * Checks that a downloaded file is a complete binary, and returns its build id.
 *
 * Returns null if the file is missing, not an x86-64 binary, incomplete, or without a build id.
 */
export function completeBuildId(path: string): string | null {
  const file = DISK_FILES.open(path);
  if (file === null) return null;
  try {
    const { elf } = readElf(file);
    if (elf === null || elf.sections.length === 0) return null;
    const isComplete = elf.sections.every(
      ({ type, offset, length }) => type === SectionType.NoBits || offset + length <= file.length,
    );
    return isComplete ? buildIdOf(elf) : null;
  } finally {
    file.close();
  }
}

/**
 * Finds where the functions of binaries begin in source code.
 *
 * Returns the line at which each function of a binary begins; null where unknown.
 */
export function functionLines(
  file: string,
  functions: readonly TracedFunction[],
  options: DebugInfoOptions,
): (SourceLine | null)[] {
  const lines = new Array<SourceLine | null>(functions.length).fill(null);
  const code = functions.map((fn) => ({ fn, offset: fn.offset }));
  askDebugInfo(file, code, '.debug_line', sourceLines, options, (row, line) => {
    lines[row] = line;
  });
  return lines;
}

export { type BinaryFunction, type BinaryNames, readNames } from './binary-names.js';
export { binaryPaths, VDSO } from './candidates.js';
export {
  type DebugInfoOptions,
  type DebugInfoState,
  type DebugReader,
  debugReader,
  type TracedCode,
  type TracedFunction,
} from './debug-info.js';
export { Functions } from './functions.js';
export {
  isJitDump,
  isJitDumpHeader,
  JIT_DUMP_HEADER_BYTES,
  type JitDump,
  type JitFunction,
  readJitDump,
} from './jitdump.js';
export { buildIdWithoutSymbols } from './load-binary.js';
export { missingSharedId, type ReferredFiles, referredFiles } from './referred-files.js';
export type { OpenSymbolFile, SymbolFiles, SymbolRoots } from './symbol-files.js';
export type { PltNames } from './table/plt.js';

export interface SymbolizerOptions {
  readonly files: SymbolFiles;
  readonly roots: SymbolRoots;
  /** Returns the recorded build id of a binary, or null. */
  readonly buildIdOf: (file: string) => string | null;
  /** Default: `perf-6.1`. */
  readonly pltNames?: PltNames;
}

export type NamedAddress =
  | {
      readonly name: string;
      /** As perf prints it. */
      readonly file: string;
      /** Where the symbol begins: perf prints the distance from it as `+0x…`. */
      readonly start: Address;
    }
  | { readonly name: null; readonly file: string; readonly reason: UnnamedReason };

/** No symbol is at the address, or there are no symbols: the offset in the file is unknown, or the file cannot be read. */
export type UnnamedReason = 'no symbol there' | 'no symbols';

export class Symbolizer {
  private readonly options: SymbolizerOptions;
  private readonly tables = new Map<string, SymbolTable | null>();

  constructor(options: SymbolizerOptions) {
    this.options = options;
  }

  /** `mapping` contains the address. */
  nameOf(mapping: Mapping, address: Address): NamedAddress {
    const jit = perfMapOf(mapping.file, mapping.pid);
    const file = jit ?? mapping.file;
    // JIT code is looked up by address, code of files by its offset in the file
    const distance = jit === null ? mapping.start - mapping.fileOffset : 0;
    const table = this.tableOf(file, jit !== null);
    if (table === null || Number.isNaN(distance)) return { name: null, file, reason: 'no symbols' };
    const symbol = table.find(address - distance);
    if (symbol === null) return { name: null, file, reason: 'no symbol there' };
    return { name: symbol.name, file, start: symbol.start + distance };
  }

  private tableOf(file: string, isJit: boolean): SymbolTable | null {
    const known = this.tables.get(file);
    if (known !== undefined) return known;
    const loaded = isJit ? this.loadPerfMap(file) : isJitDump(file) ? this.loadJitDump(file) : this.load(file);
    this.tables.set(file, loaded);
    return loaded;
  }

  private load(file: string): SymbolTable | null {
    const { files, roots, buildIdOf, pltNames = 'perf-6.1' } = this.options;
    return loadBinary(file, buildIdOf(file), files, roots, { demangle, pltNames });
  }

  private loadJitDump(path: string): SymbolTable | null {
    const { files, roots } = this.options;
    const file = files.open(roots.root + path);
    const dump = file === null ? null : readJitDump(file);
    file?.close();
    return dump && jitDumpTable(dump, demangle);
  }

  private loadPerfMap(path: string): SymbolTable | null {
    const { files, roots } = this.options;
    const file = files.open(roots.root + path);
    if (file === null) return null;
    const bytes = partOf(file, 0, file.length);
    file.close();
    return readPerfMap(bytes);
  }
}

/** Finds the function whose code is at an offset of a jitdump. */
function jitDumpTable({ functions }: JitDump, demangle: Demangle): SymbolTable {
  const inOrder = [...functions].sort((a, b) => a.fileOffset - b.fileOffset); // moved functions are listed again
  return {
    length: functions.length,
    find(offset) {
      const own = inOrder[firstThat(0, inOrder.length, (at) => inOrder[at].fileOffset > offset) - 1];
      return own !== undefined && offset < own.fileOffset + own.length ? foundIn(own, demangle) : null;
    },
  };
}

function foundIn({ name, fileOffset, length }: JitDump['functions'][number], demangle: Demangle) {
  return { name: demangle(name) ?? name, start: fileOffset, end: fileOffset + length };
}
