/**
 * An address in a recording → the name that `perf script` prints for it. The door of this room.
 */
import type { Mapping } from '../model/trace/trace-chunk.js';
import type { Address } from '../model/units.js';
import { demangle } from './demangle/demangle.js';
import { partOf } from './elf/byte-source.js';
import { type LoadedBinary, loadBinary } from './files/load-binary.js';
import type { SymbolFiles, SymbolPlaces } from './files/symbol-files.js';
import { perfMapOf, readPerfMap } from './jit/perf-map.js';
import type { PltNames } from './table/plt.js';

export { DISK_FILES } from './files/disk-files.js';
export type { OpenSymbolFile, SymbolFiles, SymbolPlaces } from './files/symbol-files.js';
export { mappingAt } from './mapping-at.js';
export type { PltNames } from './table/plt.js';

export interface SymbolizerOptions {
  readonly files: SymbolFiles;
  readonly places: SymbolPlaces;
  /** What the recording says of the file that ran; null if nothing. */
  readonly buildIdOf: (file: string) => string | null;
  /** Which perf's names of calls into libraries; a recording of today is mostly read by 6.1. */
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
  | { readonly name: null; readonly file: string; readonly why: UnnamedReason };

/**
 * No symbol holds the address, or there are none: nobody knows the place in the file, or it cannot be read, for the reason
 * in `Symbolizer.problems`.
 */
export type UnnamedReason = 'no symbol there' | 'no symbols';

/** A file whose symbols could not be read, or of which only those are known that others call. */
export interface SymbolProblem {
  readonly file: string;
  readonly why: string;
}

export class Symbolizer {
  private readonly options: SymbolizerOptions;
  private readonly binaries = new Map<string, LoadedBinary>();

  constructor(options: SymbolizerOptions) {
    this.options = options;
  }

  /** `mapping` is the one that the address lies in, see `mappingAt`. */
  nameOf(mapping: Mapping, address: Address): NamedAddress {
    const jit = perfMapOf(mapping.file, mapping.pid);
    const file = jit ?? mapping.file;
    // Code made at run time is named by address, that of files by its place in the file.
    const distance = jit === null ? mapping.start - mapping.fileOffset : 0;
    const { table } = this.binaryOf(file, jit !== null);
    if (table === null || Number.isNaN(distance)) return { name: null, file, why: 'no symbols' };
    const symbol = table.find(address - distance);
    if (symbol === null) return { name: null, file, why: 'no symbol there' };
    return { name: symbol.name, file, start: symbol.start + distance };
  }

  /** Of the files asked for so far, by name. */
  problems(): SymbolProblem[] {
    const problems: SymbolProblem[] = [];
    for (const [file, binary] of this.binaries) {
      if (binary.table === null) problems.push({ file, why: binary.why });
      else if (!binary.isComplete) problems.push({ file, why: 'it names only what others call' });
    }
    return problems.sort((one, other) => (one.file < other.file ? -1 : 1));
  }

  private binaryOf(file: string, isJit: boolean): LoadedBinary {
    const known = this.binaries.get(file);
    if (known !== undefined) return known;
    const loaded = isJit ? this.loadPerfMap(file) : this.load(file);
    this.binaries.set(file, loaded);
    return loaded;
  }

  private load(file: string): LoadedBinary {
    const { files, places, buildIdOf, pltNames = 'until-6.2' } = this.options;
    return loadBinary(file, buildIdOf(file), files, places, { demangle, pltNames });
  }

  private loadPerfMap(path: string): LoadedBinary {
    const { files, places } = this.options;
    const file = files.open(places.root + path);
    if (file === null) return { table: null, why: 'its program left no names' };
    const bytes = partOf(file, 0, file.length);
    file.close();
    return { table: readPerfMap(bytes), from: path, isComplete: true };
  }
}
