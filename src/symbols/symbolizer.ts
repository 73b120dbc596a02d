/**
 * Names an address of a recording as `perf script` does. The door of this room.
 */
import type { Mapping } from '../model/trace/trace-chunk.js';
import type { Address } from '../model/units.js';
import { demangle } from './demangle/demangle.js';
import { partOf } from './elf/byte-source.js';
import { loadBinary } from './files/load-binary.js';
import type { SymbolFiles, SymbolRoots } from './files/symbol-files.js';
import { isJitDump, readJitDump } from './jit/jitdump.js';
import { jitDumpTable } from './jit/jitdump-table.js';
import { perfMapOf, readPerfMap } from './jit/perf-map.js';
import type { PltNames } from './table/plt.js';
import type { SymbolTable } from './table/symbol-table.js';

export { binaryPaths, VDSO } from './files/candidates.js';
export { completeBuildId } from './files/complete-build-id.js';
export { DISK_FILES } from './files/disk-files.js';
export { buildIdWithoutSymbols } from './files/load-binary.js';
export type { OpenSymbolFile, SymbolFiles, SymbolRoots } from './files/symbol-files.js';
export { type BinaryFunction, type BinaryNames, readNames } from './functions/binary-names.js';
export {
  type DebugInfoOptions,
  type DebugInfoState,
  debugReader,
  type TracedCode,
  type TracedFunction,
} from './functions/debug-info.js';
export { functionLines } from './functions/function-lines.js';
export { Functions } from './functions/functions.js';
export { inlinedFunctions } from './functions/inlined-functions.js';
export {
  isJitDump,
  isJitDumpHeader,
  JIT_DUMP_HEADER_BYTES,
  type JitDump,
  type JitFunction,
  readJitDump,
} from './jit/jitdump.js';
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
