/**
 * Asks the debug information of binaries about code of traces, if it is that of the binary that ran.
 */
import { loadZstd, type Zstd } from '../codec/zstd.js';
import type { SourceLine } from '../model/symbol-table.js';
import { fileAddresses, fileOffsets } from './bounds.js';
import { demangle } from './demangle/demangle.js';
import { type InlineChain, inlineChains, inlinedInto } from './dwarf/inline-chains.js';
import { DebugBudget, type DebugReading, type LeftOut } from './dwarf/reading.js';
import { placesOfLine, sourceLines } from './dwarf/source-lines.js';
import { SplitUnits } from './dwarf/split-units.js';
import { DebugFile } from './dwarf/units.js';
import type { ElfFile } from './elf-file.js';
import { type FunctionsOptions, symbolsNamed } from './functions.js';
import { type DebugSection, loadDebugInfo, sharedLink } from './load-binary.js';
import type { SymbolFiles, SymbolRoots } from './symbol-files.js';
import { buildSymbolTable, type PltNames } from './symbol-table.js';

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
function askDebugInfo<Found>(
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
    const addressOf = fileAddresses(runtime);
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

/** Returns the line of source code at each place in a binary; null where unknown. */
export function codeLines(file: string, code: readonly TracedCode[], options: DebugInfoOptions): (SourceLine | null)[] {
  const lines = new Array<SourceLine | null>(code.length).fill(null);
  askDebugInfo(file, code, '.debug_line', sourceLines, options, (row, line) => {
    lines[row] = line;
  });
  return lines;
}

/** Returns the line at which each function of a binary begins in source code; null where unknown. */
export function functionLines(
  file: string,
  functions: readonly TracedFunction[],
  options: DebugInfoOptions,
): (SourceLine | null)[] {
  return codeLines(
    file,
    functions.map((fn) => ({ fn, offset: fn.offset })),
    options,
  );
}

/** Where the code of a line is in a binary. */
export interface LineCode {
  /** Offsets in the file, ascending. */
  readonly offsets: readonly number[];
  /** The next line that has code. */
  readonly nextLine: number | null;
}

/** `path`: of the source file, or the end of its path. Returns null if the binary's debug information does not have it. */
export function codeOfLine(
  binary: string,
  path: string,
  line: number,
  files: SymbolFiles,
  roots: SymbolRoots,
  { budget, zstd }: DebugReader,
): LineCode | null {
  let code: LineCode | null = null;
  loadDebugInfo(binary, null, files, roots, '.debug_line', ({ elf, runtime, others }) => {
    budget.begin(0);
    const { addresses, nextLine, isKnown } = placesOfLine(elf, path, line, { budget, zstd, others });
    if (isKnown) code = { offsets: addresses.map(fileOffsets(runtime)), nextLine };
  });
  return code;
}

/** Returns where the functions begin in the file that a function is inlined into. `wanted`: as for `BinaryNames.named`. */
export function functionsWithInlined(
  binary: string,
  wanted: string,
  files: SymbolFiles,
  roots: SymbolRoots,
  { budget, zstd }: DebugReader,
): readonly number[] {
  let offsets: readonly number[] = [];
  loadDebugInfo(binary, null, files, roots, '.debug_info', ({ elf, runtime, others }) => {
    budget.begin(0);
    const [word = ''] = /\w+(?=\W*$)/.exec(wanted.replace(/[(<].*/, '')) ?? [];
    const found = inlinedInto(elf, (name) => name.includes(word), { budget, zstd, others });
    const named = symbolsNamed([...found.keys()], wanted).flatMap((name) => [...(found.get(name) ?? [])]);
    offsets = [...new Set(named.map(fileOffsets(runtime)))].sort((a, b) => a - b);
  });
  return offsets;
}

/** Lists the files with debug information of a binary: its own, and those that this one refers to. */
interface ReferredFiles {
  /** Where they were found: the file with the debug information, which may be the binary, first. */
  readonly paths: readonly string[];
  /** Names of those that were not found. */
  readonly missing: readonly string[];
}

/** `buildId` is the recorded one; null if unknown. */
export function referredFiles(
  binary: string,
  buildId: string | null,
  files: SymbolFiles,
  roots: SymbolRoots,
  { budget, zstd }: DebugReader,
): ReferredFiles {
  const paths = new Set<string>();
  let names: ReadonlySet<string> = new Set();
  const onFound = (path: string) => void paths.add(path);
  const read = ({ path, elf, others, missing }: Parameters<Parameters<typeof loadDebugInfo>[5]>[0]) => {
    onFound(path);
    names = missing;
    let tried: string | null = null;
    const noting = {
      ...others,
      *split(name: string, directory: string) {
        for (const half of others.split(name, directory)) {
          tried = half.path;
          yield half;
        }
      },
    };
    budget.begin(0);
    const reading = { budget, zstd, others: noting };
    const file = new DebugFile(elf, reading);
    const split = new SplitUnits(reading);
    budget.orNull(() => file.shared);
    for (const unit of file.units) {
      tried = null; // it stays so for a unit in a package
      budget.orNull(() => split.find(unit, () => tried !== null && onFound(tried)));
    }
  };
  loadDebugInfo(binary, buildId, files, roots, '.debug_info', read, onFound);
  return { paths: [...paths], missing: [...names].sort() };
}

/** Returns the build id of the file that dwz moved debug information of a binary to, if it is not found; else null. */
export function missingSharedId(
  binary: string,
  buildId: string | null,
  files: SymbolFiles,
  roots: SymbolRoots,
): string | null {
  let id: string | null = null;
  loadDebugInfo(binary, buildId, files, roots, '.debug_info', ({ elf, others }) => {
    const link = sharedLink(elf);
    if (link !== null && others.shared() === null) ({ id } = link);
  });
  return id;
}
