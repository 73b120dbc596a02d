/**
 * Adds the symbols of an ELF table that perf uses, in order.
 */
import { viewOf, wordAt } from '../byte-source.js';
import { bytesOf, type ElfFile, type ElfSection, loadedSegments } from '../elf-file.js';
import type { NameSource, SymbolRows } from './symbol-rows.js';

export const SYMBOL_BYTES = 24;

const SymbolType = { Untyped: 0, Object: 1, Function: 2, IndirectFunction: 10 } as const;
const HIDDEN = 2;
const INTERNAL = 1;
/** Section numbers with a special meaning. */
const UNDEFINED = 0;
const ABSOLUTE = 0xfff1;

/** Which symbols of a section perf uses: functions and objects in all of them, labels only in code and data. */
const Uses = { Nothing: 0, Typed: 1, Labels: 2 } as const;

/** perf stops at the first symbol whose section is not in the file, and keeps the symbols before it. */
export type TableState = 'complete' | 'broken';

/** Calls `onRow` for each new row. `runtime` is the file that ran, `elf` the one with the symbols. */
export function addSymbols(
  rows: SymbolRows,
  elf: ElfFile,
  runtime: ElfFile,
  table: ElfSection,
  nameSource: NameSource,
  onRow: (row: number) => void,
): TableState {
  rows.setNames(nameSource, bytesOf(elf, elf.sections[table.link]));
  const symbols = viewOf(bytesOf(elf, table));
  const uses = runtime.sections.map(usesOf);
  const fileOffsetOf = fileOffsets(runtime);
  for (let at = 0; at + SYMBOL_BYTES <= symbols.byteLength; at += SYMBOL_BYTES) {
    const section = symbols.getUint16(at + 6, true);
    const needs = needsOf(symbols, at);
    if (needs === Uses.Nothing || section === UNDEFINED || section === ABSOLUTE) continue;
    if (section >= uses.length) return 'broken';
    if (uses[section] < needs) continue;
    const start = fileOffsetOf(wordAt(symbols, at + 8), section);
    const binding = symbols.getUint8(at + 4) >> 4;
    onRow(rows.add(start, wordAt(symbols, at + 16), symbols.getUint32(at, true), nameSource, binding));
  }
  return 'complete';
}

function usesOf({ name, isAllocated }: ElfSection, index: number): number {
  if (index === 0) return Uses.Nothing;
  if (name.includes('text') || name.includes('data')) return isAllocated ? Uses.Labels : Uses.Nothing;
  return isAllocated ? Uses.Typed : Uses.Nothing;
}

/** Returns which use of its section a symbol requires; nothing if perf never uses it. */
function needsOf(symbols: DataView, at: number): number {
  if (symbols.getUint32(at, true) === 0) return Uses.Nothing; // no name
  const type = symbols.getUint8(at + 4) & 0xf;
  if (type === SymbolType.Function || type === SymbolType.IndirectFunction || type === SymbolType.Object)
    return Uses.Typed;
  const visibility = symbols.getUint8(at + 5) & 3;
  const isVisible = visibility !== HIDDEN && visibility !== INTERNAL;
  return type === SymbolType.Untyped && isVisible ? Uses.Labels : Uses.Nothing;
}

/** Converts by the segment that holds the address, otherwise by the section of the symbol. */
function fileOffsets(elf: ElfFile): (address: number, section: number) => number {
  const { sections } = elf;
  const loaded = loadedSegments(elf);
  return (address, section) => {
    for (const segment of loaded)
      if (address >= segment.address && address < segment.address + segment.memoryLength)
        return address - segment.address + segment.offset;
    const { address: sectionAddress, offset } = sections[section];
    return address - sectionAddress + offset;
  };
}
