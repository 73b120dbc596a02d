/**
 * Asks the debug information of binaries about code of traces, if it is that of the binary that ran.
 */
import { demangle } from '../demangle/demangle.js';
import { isReadable } from '../dwarf/sections.js';
import { type ElfFile, type ElfSection, loadedSegments, sectionNamed } from '../elf/elf-file.js';
import { type DebugSection, loadDebugInfo } from '../files/load-binary.js';
import type { PltNames } from '../table/plt.js';
import { buildSymbolTable } from '../table/symbol-table.js';
import type { FunctionsOptions } from './functions.js';

export interface DebugInfoOptions extends FunctionsOptions {
  /** Default: `perf-6.1`. */
  readonly pltNames?: PltNames;
  /** Called for each binary that was asked about. */
  readonly onBinary?: (file: string, state: DebugInfoState) => void;
}

/**
 * `absent`: there is no such section, or no file. `other`: the file is not the binary that ran. `compressed`: in a way that is not
 * known.
 */
export type DebugInfoState = 'read' | 'absent' | 'other' | 'compressed';

/** A function as a trace has it. */
export interface TracedFunction {
  readonly name: string;
  /** Of its first byte in the file. */
  readonly offset: number;
}

/** A place in the code of a binary, and the function that a trace has it in. */
export interface TracedCode {
  readonly fn: TracedFunction;
  /** Of the place in the file. */
  readonly offset: number;
}

/**
 * Calls `onFound` with the row of each place that the debug information has something about. `section`: where `find` looks for it,
 * by addresses of the file, ascending. If the recorded build id is not known, the file may be another one than ran: then only
 * functions count that it has at the same offset by the same name.
 */
export function askDebugInfo<Found>(
  file: string,
  code: readonly TracedCode[],
  section: DebugSection,
  find: (elf: ElfFile, addresses: Float64Array) => readonly Found[],
  { files, roots, buildIdOf, pltNames = 'perf-6.1', onBinary }: DebugInfoOptions,
  onFound: (row: number, found: Found) => void,
): void {
  const buildId = buildIdOf(file);
  let state: DebugInfoState = 'absent';
  loadDebugInfo(file, buildId, files, roots, section, ({ elf, runtime }) => {
    const addressOf = addresses(runtime);
    const isThere = buildId === null ? nameCheck(elf, runtime, pltNames) : () => true;
    const rows = [...code.keys()].filter((row) => isThere(code[row].fn));
    state =
      rows.length === 0 ? 'other' : isReadable(elf, sectionNamed(elf, section) as ElfSection) ? 'read' : 'compressed';
    const known = rows.map((row) => ({ row, address: addressOf(code[row].offset) }));
    const wanted = known.filter(({ address }) => !Number.isNaN(address)).sort((a, b) => a.address - b.address);
    const found = find(
      elf,
      Float64Array.from(wanted, ({ address }) => address),
    );
    wanted.forEach(({ row }, at) => {
      onFound(row, found[at]);
    });
  });
  onBinary?.(file, state);
}

/** Returns whether a binary has a function at its offset by its name. */
function nameCheck(elf: ElfFile, runtime: ElfFile, pltNames: PltNames): (traced: TracedFunction) => boolean {
  const table = buildSymbolTable(elf, runtime, { demangle, pltNames });
  return ({ name, offset }) => {
    const symbol = table.find(offset);
    return symbol !== null && symbol.start === offset && symbol.name === name;
  };
}

/** Returns a function from offsets in a binary to addresses; NaN for offsets that are not loaded. */
function addresses(elf: ElfFile): (offset: number) => number {
  const loaded = loadedSegments(elf);
  return (offset) => {
    for (const { address, fileLength, offset: start } of loaded)
      if (offset >= start && offset < start + fileLength) return offset - start + address;
    return Number.NaN;
  };
}
