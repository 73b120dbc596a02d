/**
 * Finds where the functions of binaries begin in source code.
 */

import type { SourceLine } from '../../model/names/symbol-table.js';
import { demangle } from '../demangle/demangle.js';
import { sourceLines } from '../dwarf/source-lines.js';
import { type ElfFile, SegmentType } from '../elf/elf-file.js';
import { loadLines } from '../files/load-binary.js';
import type { PltNames } from '../table/plt.js';
import { buildSymbolTable } from '../table/symbol-table.js';
import type { FunctionsOptions } from './functions.js';

/** A function as a trace has it. */
export interface TracedFunction {
  readonly name: string;
  /** Of its first byte in the file. */
  readonly offset: number;
}

export interface FunctionLinesOptions extends FunctionsOptions {
  /** Default: `perf-6.1`. */
  readonly pltNames?: PltNames;
}

/**
 * Returns the line at which each function of a binary begins; null where unknown. If the recorded build id is not known, the file may
 * be another one than ran: then only functions count that it has at the same offset by the same name.
 */
export function functionLines(
  file: string,
  functions: readonly TracedFunction[],
  { files, roots, buildIdOf, pltNames = 'perf-6.1' }: FunctionLinesOptions,
): (SourceLine | null)[] {
  const buildId = buildIdOf(file);
  const lines = new Array<SourceLine | null>(functions.length).fill(null);
  loadLines(file, buildId, files, roots, ({ elf, runtime }) => {
    const addressOf = addresses(runtime);
    const isThere = buildId === null ? nameCheck(elf, runtime, pltNames) : () => true;
    const rows = [...functions.keys()].filter((row) => isThere(functions[row]));
    const known = rows.map((row) => ({ row, address: addressOf(functions[row].offset) }));
    const wanted = known.filter(({ address }) => !Number.isNaN(address)).sort((a, b) => a.address - b.address);
    const found = sourceLines(
      elf,
      Float64Array.from(wanted, ({ address }) => address),
    );
    wanted.forEach(({ row }, at) => {
      lines[row] = found[at];
    });
  });
  return lines;
}

function nameCheck(elf: ElfFile, runtime: ElfFile, pltNames: PltNames): (traced: TracedFunction) => boolean {
  const table = buildSymbolTable(elf, runtime, { demangle, pltNames });
  return ({ name, offset }) => {
    const symbol = table.find(offset);
    return symbol !== null && symbol.start === offset && symbol.name === name;
  };
}

/** Returns NaN for offsets that are not loaded. */
function addresses({ segments }: ElfFile): (offset: number) => number {
  const loaded = segments.filter(({ type }) => type === SegmentType.Load);
  return (offset) => {
    for (const { address, fileLength, offset: start } of loaded)
      if (offset >= start && offset < start + fileLength) return offset - start + address;
    return Number.NaN;
  };
}
