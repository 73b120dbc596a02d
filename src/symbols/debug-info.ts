/**
 * Asks the debug information of binaries about code of traces, if it is that of the binary that ran.
 */
import { loadZstd, type Zstd } from '../codec/zstd.js';
import { demangle } from './demangle/demangle.js';
import { DebugBudget, type LeftOut } from './dwarf/budget.js';
import type { DebugReading } from './dwarf/reading.js';
import { type ElfFile, loadedSegments } from './elf-file.js';
import type { FunctionsOptions } from './functions.js';
import { type DebugSection, loadDebugInfo } from './load-binary.js';
import type { PltNames } from './table/plt.js';
import { buildSymbolTable } from './table/symbol-table.js';

export interface DebugInfoOptions extends FunctionsOptions {
  /** Default: `perf-6.1`. */
  readonly pltNames?: PltNames;
  readonly reader?: DebugReader;
  /**
   * Called for each binary that was asked about, with what is to be said of its debug information, and with the names of other
   * files that it refers to and that were not found.
   */
  readonly onBinary?: (file: string, states: readonly DebugInfoState[], missing: readonly string[]) => void;
}

/** What reads the debug information of all binaries of a command. */
export interface DebugReader {
  readonly budget: DebugBudget;
  readonly zstd: Zstd | null;
}

/** `memoryBytes`: of the whole process. */
export async function debugReader(memoryBytes: number): Promise<DebugReader> {
  return { budget: new DebugBudget(memoryBytes), zstd: await loadZstd() };
}

/**
 * `absent`: there is no such section, or no file. `other`: the file is not the binary that ran. `missing`: a part is in a file that
 * was not found. Otherwise, parts were left out.
 */
export type DebugInfoState = 'read' | 'absent' | 'other' | 'missing' | LeftOut;

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
  find: (elf: ElfFile, addresses: Float64Array, reading: DebugReading) => readonly Found[],
  { files, roots, buildIdOf, pltNames = 'perf-6.1', reader, onBinary }: DebugInfoOptions,
  onFound: (row: number, found: Found) => void,
): void {
  const buildId = buildIdOf(file);
  const { budget, zstd } = reader ?? { budget: new DebugBudget(), zstd: null };
  let states: DebugInfoState[] = ['absent'];
  let missing: string[] = [];
  loadDebugInfo(file, buildId, files, roots, section, ({ elf, runtime, others, missing: names }) => {
    const addressOf = addresses(runtime);
    const isThere = buildId === null ? nameCheck(elf, runtime, pltNames) : () => true;
    const rows = [...code.keys()].filter((row) => isThere(code[row].fn));
    const known = rows.map((row) => ({ row, address: addressOf(code[row].offset) }));
    const wanted = known.filter(({ address }) => !Number.isNaN(address)).sort((a, b) => a.address - b.address);
    budget.begin(wanted.length);
    const asked = Float64Array.from(wanted, ({ address }) => address);
    const found = find(elf, asked, { budget, zstd, others });
    wanted.forEach(({ row }, at) => {
      onFound(row, found[at]);
    });
    missing = [...names].sort();
    states = [...budget.leftOut, ...(missing.length > 0 ? (['missing'] as const) : [])];
    if (states.length === 0) states.push(rows.length === 0 ? 'other' : 'read');
  });
  onBinary?.(file, states, missing);
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
