/**
 * A symbol table of an ELF file → the rows that perf takes of it, in its order.
 */
import { viewOf, wordAt } from '../elf/byte-source.js';
import { bytesOf, type ElfFile, type ElfSection, SegmentType } from '../elf/elf-file.js';
import type { NameSource, SymbolRows } from './symbol-rows.js';

export const SYMBOL_BYTES = 24;

const SymbolType = { Untyped: 0, Object: 1, Function: 2, IndirectFunction: 10 } as const;
const HIDDEN = 2;
const INTERNAL = 1;
/** Sections that a symbol may name and no file has. */
const UNDEFINED = 0;
const ABSOLUTE = 0xfff1;

/** What may be taken of a section: perf looks for functions everywhere, for labels only among code and data. */
const Takes = { Nothing: 0, Typed: 1, Labels: 2 } as const;

/** perf gives up a table at the first symbol whose section is not in the file; what came before it stays. */
export type TableState = 'whole' | 'broken';

/** Calls `taken` for each new row. `runtime` is the file that ran, `elf` the one whose symbols are read. */
export function takeSymbols(
  rows: SymbolRows,
  elf: ElfFile,
  runtime: ElfFile,
  table: ElfSection,
  nameSource: NameSource,
  taken: (row: number) => void,
): TableState {
  rows.setNames(nameSource, bytesOf(elf, elf.sections[table.link]));
  const symbols = viewOf(bytesOf(elf, table));
  const takes = runtime.sections.map(takesOf);
  const fileOffsetOf = fileOffsets(runtime);
  for (let at = 0; at + SYMBOL_BYTES <= symbols.byteLength; at += SYMBOL_BYTES) {
    const section = symbols.getUint16(at + 6, true);
    const needs = needsOf(symbols, at);
    if (needs === Takes.Nothing || section === UNDEFINED || section === ABSOLUTE) continue;
    if (section >= takes.length) return 'broken';
    if (takes[section] < needs) continue;
    const start = fileOffsetOf(wordAt(symbols, at + 8), section);
    const binding = symbols.getUint8(at + 4) >> 4;
    taken(rows.add(start, wordAt(symbols, at + 16), symbols.getUint32(at, true), nameSource, binding));
  }
  return 'whole';
}

function takesOf({ name, isAllocated }: ElfSection, index: number): number {
  if (index === 0) return Takes.Nothing;
  if (name.includes('text') || name.includes('data')) return isAllocated ? Takes.Labels : Takes.Nothing;
  return isAllocated ? Takes.Typed : Takes.Nothing;
}

/** What a section must take for the symbol to be taken; nothing if no section is enough. */
function needsOf(symbols: DataView, at: number): number {
  if (symbols.getUint32(at, true) === 0) return Takes.Nothing; // it has no name
  const type = symbols.getUint8(at + 4) & 0xf;
  if (type === SymbolType.Function || type === SymbolType.IndirectFunction || type === SymbolType.Object)
    return Takes.Typed;
  const visibility = symbols.getUint8(at + 5) & 3;
  const isSeen = visibility !== HIDDEN && visibility !== INTERNAL;
  return type === SymbolType.Untyped && isSeen ? Takes.Labels : Takes.Nothing;
}

/** By the segment that holds the address, else by the section of the symbol. */
function fileOffsets({ segments, sections }: ElfFile): (address: number, section: number) => number {
  const loaded = segments.filter(({ type }) => type === SegmentType.Load);
  return (address, section) => {
    for (const segment of loaded)
      if (address >= segment.address && address < segment.address + segment.memoryLength)
        return address - segment.address + segment.offset;
    const { address: sectionAddress, offset } = sections[section];
    return address - sectionAddress + offset;
  };
}
