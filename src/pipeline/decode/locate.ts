/**
 * Names the addresses of code images as perf names them.
 */
import type { FunctionAt } from '../../decode/code-pages.js';
import { codeAt, type Image, type MappedCode } from '../../decode/images.js';
import type { Mapping } from '../../model/trace/trace-chunk.js';
import type { Address } from '../../model/units.js';
import type { MadeSymbol } from '../../perfdata/recording.js';
import { Functions } from '../../symbols/functions.js';
import { KERNEL_FILE, type KernelSymbol, type KernelSymbols } from '../../symbols/kallsyms.js';
import { type KernelFiles, kernelSymbols } from '../../symbols/kernel-files.js';
import { type SymbolFileRefs, type SymbolRoots, symbolFiles } from '../../symbols/symbol-files.js';
import type { PltNames } from '../../symbols/symbol-table.js';
import { Symbolizer, type SymbolizerOptions } from '../../symbols/symbolizer.js';

/** The symbol at an address. */
export interface Located {
  /** Null: no symbol is there. */
  readonly name: string | null;
  readonly file: string;
  /** Where the symbol begins; NaN without one. */
  readonly start: Address;
}

/** Returns the symbol at an address of an image; null: nothing is mapped there. */
export type Locate = (image: Image, address: Address) => Located | null;

export interface LocateOptions {
  readonly files: SymbolFileRefs;
  readonly roots: SymbolRoots;
  readonly pltNames?: PltNames;
  /** Build ids by recorded path. */
  readonly buildIds: ReadonlyMap<string, string>;
  /** Default: the kernel is not traced, or unknown. */
  readonly kernel?: KernelFiles | null;
  /** Names of what the kernel made while it ran. Default: nothing. */
  readonly kernelSymbols?: readonly MadeSymbol[];
}

const END_OF_TIME = 2n ** 64n - 1n;

export function locator(options: LocateOptions): Locate {
  const symbolizer = new Symbolizer(symbolizerOptions(options));
  const kernel = kernelNames(options);
  return (image, address) => {
    if (address < 0) return kernel(address);
    const code = codeAt(image, address, END_OF_TIME);
    if (code === null) return null;
    const found = symbolizer.nameOf(toMapping(image, code), address);
    return found.name === null ? { name: null, file: found.file, start: Number.NaN } : found;
  };
}

/** Finds functions as the decoder wants them. */
export function functionLocator(options: LocateOptions): FunctionAt {
  const functions = new Functions(symbolizerOptions(options));
  const kernel = kernelSymbolAt(options);
  return (image, address) => {
    if (address < 0) return kernel(address);
    const code = codeAt(image, address, END_OF_TIME);
    return code && functions.around(toMapping(image, code), address);
  };
}

function kernelNames(options: LocateOptions): (address: Address) => Located | null {
  const symbolAt = kernelSymbolAt(options);
  return (address) => symbolAt(address) ?? { name: null, file: KERNEL_FILE, start: Number.NaN };
}

/** They are read when the first address is asked for. */
function kernelSymbolAt({
  kernel = null,
  kernelSymbols: made = [],
  files,
}: LocateOptions): (address: Address) => KernelSymbol | null {
  let symbols: KernelSymbols | null = null;
  return (address) => {
    if (kernel === null) return null;
    const found = made.findLast(({ start, end }) => start <= address && address < end);
    if (found !== undefined) return { ...found, file: found.name }; // as perf prints it
    symbols ??= kernelSymbols(kernel, symbolFiles(files));
    return symbols.at(address);
  };
}

function symbolizerOptions({ files, roots, pltNames = 'perf-6.1', buildIds }: LocateOptions): SymbolizerOptions {
  return { files: symbolFiles(files), roots, pltNames, buildIdOf: (file) => buildIds.get(file) ?? null };
}

function toMapping({ pid }: Image, { start, end, fileOffset, file }: MappedCode): Mapping {
  return { pid, timeNs: 0, start, length: end - start, fileOffset, file };
}
