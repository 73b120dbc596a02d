/**
 * Finds which addresses are in one function.
 */
import type { Mapping } from '../model/trace/trace-chunk.js';
import type { Address } from '../model/units.js';
import type { FunctionAround } from './bounds.js';
import { isJitDump } from './jitdump.js';
import { loadFunctions } from './load-binary.js';
import type { SymbolFiles, SymbolRoots } from './symbol-files.js';

export interface AddressRange {
  readonly start: Address;
  /** The address after the last byte. */
  readonly end: Address;
}

export interface FunctionsOptions {
  readonly files: SymbolFiles;
  readonly roots: SymbolRoots;
  /** Returns the recorded build id of a binary, or null. */
  readonly buildIdOf: (file: string) => string | null;
}

export class Functions {
  private readonly options: FunctionsOptions;
  private readonly binaries = new Map<string, FunctionAround>();

  constructor(options: FunctionsOptions) {
    this.options = options;
  }

  /** Returns addresses around one that are in one function with it; null: unknown. `mapping` contains the address. */
  around({ file, start, length, fileOffset }: Mapping, address: Address): AddressRange | null {
    if (isJitDump(file)) return { start, end: start + length }; // each function is a mapping of its own
    const distance = start - fileOffset;
    const range = Number.isNaN(distance) ? null : this.functionsOf(file)(address - distance);
    return range && { start: range.start + distance, end: range.end + distance };
  }

  private functionsOf(file: string): FunctionAround {
    const known = this.binaries.get(file);
    if (known !== undefined) return known;
    const { files, roots, buildIdOf } = this.options;
    const functions = loadFunctions(file, buildIdOf(file), files, roots);
    this.binaries.set(file, functions);
    return functions;
  }
}
