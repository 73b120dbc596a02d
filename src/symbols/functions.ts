/**
 * The functions of a binary: which addresses are in one, and which names it has.
 */

import { viewOf } from '../codec/bytes.js';
import type { Mapping } from '../model/trace/trace-chunk.js';
import type { Address } from '../model/units.js';
import { type FunctionAround, fileAddresses, fileOffsets, type OffsetRange } from './bounds.js';
import { tableName, wordAt } from './byte-source.js';
import { demangle } from './demangle/demangle.js';
import { demangleWithParameters } from './demangle/itanium.js';
import { bytesOf, type ElfFile, SectionType, tableOfType } from './elf-file.js';
import { isJitDump } from './jitdump.js';
import { type DebugInfo, loadFunctions, readSymbols } from './load-binary.js';
import type { SymbolFiles, SymbolRoots } from './symbol-files.js';
import { SYMBOL_BYTES } from './symbol-table.js';

interface AddressRange {
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
  private readonly binaries = new Map<string, FunctionAround>();

  constructor(private readonly options: FunctionsOptions) {}

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

/**
 * Finds the functions of a binary by name, as the linker or as people write it: `_ZN2ns5Queue4pushEP3Job`, `Queue::push`.
 */
export interface BinaryFunction {
  /** With parameters, if it is mangled with them. */
  readonly name: string;
  /** As the linker writes it. */
  readonly symbol: string;
  readonly isMangled: boolean;
  /** Where its code is in the file. No bytes: its size is unknown. */
  readonly start: number;
  readonly end: number; // exclusive
}

export interface BinaryNames {
  /** Go moves stacks. */
  readonly isGo: boolean;
  /** Its code is C++ or Rust, whose exceptions and panics unwind stacks. */
  readonly unwinds: boolean;
  /**
   * Returns the functions with this symbol; or else with this name; or else with a name that ends with it, from a `::` on.
   * Parameters and arguments of templates may be left out.
   */
  named(wanted: string): BinaryFunction[];
  /** All names, without parameters. */
  names(): string[];
  /** Returns where the code is in the file that a compiler moved out of a function because it is unlikely to run. */
  coldPartsOf(symbol: string): OffsetRange[];
  /** Returns the name of the function that begins at an offset of the file. */
  nameAt(offset: number): string | null;
  /** Returns the symbol of the function that begins at an offset of the file. */
  symbolAt(offset: number): string | null;
  /** Returns where an address, as `nm` prints them, is in the file; NaN: elsewhere. */
  offsetOf(address: Address): number;
  /** Returns the address, as `nm` prints them, of an offset of the file; NaN: it is not loaded. */
  addressOf(offset: number): Address;
}

/** A binary and the file with its symbols, without recorded copies. Null: it is no x86-64 binary, or cannot be read. */
export function readNames(path: string, files: SymbolFiles, roots: SymbolRoots): BinaryNames | null {
  return readSymbols(path, files, roots, namesOf);
}

interface Row {
  readonly symbol: string;
  readonly start: number;
  readonly end: number;
}

function namesOf({ elf, runtime }: Pick<DebugInfo, 'elf' | 'runtime'>): BinaryNames {
  const rows: Row[] = [];
  let isMangled = false;
  const isKnown = new Set<string>();
  const onSymbol = (symbol: string, start: number, bytes: number) => {
    isMangled ||= UNWINDING.test(symbol);
    const key = `${start} ${symbol}`;
    if (Number.isNaN(start) || isKnown.has(key)) return;
    isKnown.add(key);
    rows.push({ symbol, start, end: start + bytes });
  };
  for (const file of new Set([elf, runtime]))
    for (const type of [SectionType.SymbolTable, SectionType.DynamicSymbols]) eachSymbol(file, runtime, type, onSymbol);
  const isGo = runtime.sections.some(({ name }) => GO_SECTION.test(name));
  const symbolAt = (offset: number) => rows.find(({ start }) => start === offset)?.symbol ?? null;
  const hasTables = runtime.sections.some(({ name }) => name === '.gcc_except_table');
  return {
    isGo,
    unwinds: !isGo && (isMangled || (hasTables && rows.length === 0)),
    named: (wanted) => functionsNamed(rows, wanted, isGo),
    coldPartsOf: (symbol) => {
      const isUnique = rows.filter((row) => row.symbol === symbol).length === 1;
      return isUnique ? rows.filter((row) => row.symbol.replace(COLD, '') === symbol && COLD.test(row.symbol)) : [];
    },
    names: () => rows.filter(({ symbol }) => !COLD.test(symbol)).map(({ symbol }) => demangle(symbol) ?? symbol),
    symbolAt,
    nameAt: (offset) => {
      const symbol = symbolAt(offset);
      return symbol && (demangle(symbol) ?? symbol);
    },
    offsetOf: fileOffsets(runtime),
    addressOf: fileAddresses(runtime),
  };
}

const GO_SECTION = /^\.go\.|^\.note\.go\.|\.?gopclntab$/;
const UNWINDING = /^_Z|^_R|^__cxa_throw$|^__gxx_personality_v0$|^rust_eh_personality$/;
/** Code that compilers move out of a function: no call ends there. */
const COLD = /\.cold(?:\.\d+)?$/;

const FUNCTION = 2;
const INDIRECT_FUNCTION = 10;
const UNDEFINED = 0;
/** Names may share their bytes: no table of a linker reads them more often. */
const NAME_USES = 4;

/** `start`: where it is in the file; NaN: elsewhere. */
type OnSymbol = (symbol: string, start: number, bytes: number) => void;

function eachSymbol(elf: ElfFile, runtime: ElfFile, type: number, onSymbol: OnSymbol): void {
  const section = tableOfType(elf, type);
  if (section === null) return;
  const table = viewOf(bytesOf(elf, section));
  const strings = bytesOf(elf, elf.sections[section.link]);
  const offsetOf = fileOffsets(runtime);
  let budget = NAME_USES * strings.length;
  for (let at = 0; at + SYMBOL_BYTES <= table.byteLength && budget >= 0; at += SYMBOL_BYTES) {
    const kind = table.getUint8(at + 4) & 0xf;
    const isDefined = table.getUint16(at + 6, true) !== UNDEFINED;
    if (isDefined && kind !== FUNCTION && kind !== INDIRECT_FUNCTION) continue;
    const symbol = tableName(strings, table.getUint32(at, true)).replace(/@.*/, '');
    budget -= symbol.length;
    if (symbol !== '')
      onSymbol(symbol, isDefined ? offsetOf(wordAt(table, at + 8)) : Number.NaN, wordAt(table, at + 16));
  }
}

function functionsNamed(rows: readonly Row[], wanted: string, isGo: boolean): BinaryFunction[] {
  const entries = rows.filter(({ symbol }) => !COLD.test(symbol));
  const exact = entries.filter(({ symbol }) => symbol === wanted);
  const found = exact.length > 0 ? exact : byName(entries, wanted, isGo);
  const atStarts = new Map(found.toReversed().map((row) => [row.start, row])); // aliases are one function
  return [...atStarts.values()].sort((a, b) => a.start - b.start).map((row) => ({ ...row, ...nameOf(row.symbol) }));
}

/** Returns those of some symbols that a name means, by the rules of `BinaryNames.named`. */
export function symbolsNamed(symbols: readonly string[], wanted: string): string[] {
  const rows = symbols.map((symbol, row) => ({ symbol, start: row, end: row }));
  return functionsNamed(rows, wanted, false).map(({ symbol }) => symbol);
}

function nameOf(symbol: string): Pick<BinaryFunction, 'name' | 'isMangled'> {
  const name = demangleWithParameters(symbol) ?? demangle(symbol);
  return { name: name ?? symbol, isMangled: name !== null };
}

function byName(rows: readonly Row[], wanted: string, isGo: boolean): Row[] {
  const sought = squeezed(wanted);
  const word = /[A-Za-z_]\w*(?=\W*$)/.exec(sought.replace(/[(<].*/, ''))?.[0] ?? '';
  const isRare = /^\w+$/.test(word) && !sought.includes('operator');
  const ends: Row[] = [];
  const wholes: Row[] = [];
  for (const row of rows) {
    if (isRare && !row.symbol.includes(word)) continue; // most; demangling takes long
    const names = spellings(row.symbol, sought);
    if (names.includes(sought)) wholes.push(row);
    else if (names.some((name) => isEnd(sought, name, isGo))) ends.push(row);
  }
  return wholes.length > 0 ? wholes : ends;
}

/** The names that a function may be written as: with what is written of parameters and arguments of templates. */
function spellings(symbol: string, sought: string): string[] {
  const full = sought.includes('(') ? demangleWithParameters(symbol) : null;
  const short = demangle(symbol) ?? symbol;
  const bare = sought.includes('<') ? short : withoutTemplateArgs(short);
  return [...new Set([short, bare, ...(full === null ? [] : [full])])].map(squeezed);
}

/** Blanks count only between words. */
function squeezed(name: string): string {
  return name.replace(/\s*([^\w\s])\s*/g, '$1').trim();
}

const INNERMOST_ARGS = /(?<!operator|operator<|operator-)<[^<>]*>/g;

function withoutTemplateArgs(name: string): string {
  let rest = name;
  for (let before = ''; before !== rest; ) {
    before = rest;
    rest = rest.replace(INNERMOST_ARGS, '');
  }
  return rest;
}

function isEnd(sought: string, name: string, isGo: boolean): boolean {
  if (!name.endsWith(sought)) return false;
  const before = name.slice(0, -sought.length);
  if (before.endsWith('::') || (isGo && /[./]$/.test(before))) return true;
  return sought.includes('(') && /^\w[^(]* $/.test(before); // what a template returns
}
