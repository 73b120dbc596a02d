/**
 * Finds which parts of a binary are in one function.
 *
 * Faster than `SymbolTable`, as no names are needed: nothing that has a name or a frame begins or ends within a range.
 */

import { viewOf } from '../codec/bytes.js';
import { countAtOrBelow } from '../model/columns.js';
import type { Address } from '../model/units.js';
import { wordAt } from './byte-source.js';
import { bytesOf, type ElfFile, loadedSegments, SectionType, sectionNamed, tableOfType } from './elf-file.js';

/** Offsets in the file. */
export interface OffsetRange {
  readonly start: number;
  readonly end: number; // exclusive
}

/** Returns the offsets around one that are in one function with it; null: unknown. */
export type FunctionAround = (offset: number) => OffsetRange | null;

/** `symbols`: the file with the symbols; `runtime`: the binary that ran, which may be the same. */
export function functionBounds(symbols: ElfFile, runtime: ElfFile): FunctionAround {
  const starts: number[] = [];
  const ends: number[] = [];
  const offsetOf = fileOffsets(runtime);
  const add = (address: Address, bytes: number) => {
    const offset = offsetOf(address);
    if (Number.isNaN(offset)) return;
    starts.push(offset);
    ends.push(offset + bytes);
  };
  eachSymbol(symbols, add);
  eachFrame(runtime, add);
  return rangesBetween(Float64Array.from(starts).sort(), Float64Array.from(ends).sort());
}

/** A symbol without a size ends where it starts: it is a bound, and nothing is in it. */
function rangesBetween(starts: Float64Array, ends: Float64Array): FunctionAround {
  return (offset) => {
    const [begun, ended] = [countAtOrBelow(starts, offset), countAtOrBelow(ends, offset)];
    if (begun <= ended) return null; // in none
    const start = Math.max(starts[begun - 1], ends[ended - 1] ?? 0);
    return { start, end: Math.min(starts[begun] ?? Number.POSITIVE_INFINITY, ends[ended]) };
  };
}

const SYMBOL_BYTES = 24;
const MAX_SYMBOL_TYPE = 2; // untyped, object, function
const INDIRECT_FUNCTION = 10;
const UNDEFINED = 0;
/** From here on, section numbers have special meanings. */
const RESERVED = 0xff00;

function eachSymbol(elf: ElfFile, onSymbol: (address: Address, bytes: number) => void): void {
  for (const type of [SectionType.SymbolTable, SectionType.DynamicSymbols]) {
    const table = viewOf(bytesOf(elf, tableOfType(elf, type)));
    for (let at = 0; at + SYMBOL_BYTES <= table.byteLength; at += SYMBOL_BYTES) {
      const type = table.getUint8(at + 4) & 0xf;
      const number = table.getUint16(at + 6, true);
      if (number === UNDEFINED || number >= RESERVED || (type > MAX_SYMBOL_TYPE && type !== INDIRECT_FUNCTION))
        continue;
      onSymbol(wordAt(table, at + 8), wordAt(table, at + 16));
    }
  }
}

/** Returns NaN for addresses that are not in the file. */
export function fileOffsets(elf: ElfFile): (address: Address) => number {
  const loaded = loadedSegments(elf);
  return (address) => {
    for (const { address: start, fileLength, offset } of loaded)
      if (address >= start && address < start + fileLength) return address - start + offset;
    return Number.NaN;
  };
}

/** Returns NaN for offsets that are not loaded. */
export function fileAddresses(elf: ElfFile): (offset: number) => Address {
  const loaded = loadedSegments(elf);
  return (offset) => {
    for (const { address, fileLength, offset: start } of loaded)
      if (offset >= start && offset < start + fileLength) return offset - start + address;
    return Number.NaN;
  };
}

/** Version 1; how the address of `.eh_frame`, the number of entries and the entries are encoded: as all linkers do. */
const HEADER = 0x01_1b_03_3b;
const HEADER_BYTES = 12;
/** Start of a function and its frame, both relative to the header. */
const ENTRY_BYTES = 8;
/** Length and CIE of a frame; start of the function, relative to itself; length of the function. */
const FRAME_BYTES = 16;
const FRAME_START_AT = 8;
const FRAME_LENGTH_AT = 12;
/** `.plt`, `.plt.got`, `.plt.sec`, `.plt.bnd`. */
const MAX_LINKAGE_TABLES = 8;

/**
 * Reads where the functions of a binary begin and how long they are from what its unwinder needs (`.eh_frame_hdr`, `.eh_frame`):
 * stripped binaries have that, too.
 *
 * Calls `onFrame` for each function. Linkage tables are none: they have one frame for all of their slots.
 */
function eachFrame(elf: ElfFile, onFrame: (address: Address, bytes: number) => void): void {
  const header = sectionNamed(elf, '.eh_frame_hdr');
  const section = sectionNamed(elf, '.eh_frame');
  const table = viewOf(bytesOf(elf, header));
  const frames = viewOf(bytesOf(elf, section));
  if (header === null || section === null || table.byteLength < HEADER_BYTES || table.getUint32(0) !== HEADER) return;
  const linkage = elf.sections.filter(({ name }) => name.startsWith('.plt')).slice(0, MAX_LINKAGE_TABLES);
  for (let entry = HEADER_BYTES; entry + ENTRY_BYTES <= table.byteLength; entry += ENTRY_BYTES) {
    const address = header.address + table.getInt32(entry, true);
    const at = header.address + table.getInt32(entry + 4, true) - section.address;
    if (at < 0 || at + FRAME_BYTES > frames.byteLength) continue;
    const start = section.address + at + FRAME_START_AT + frames.getInt32(at + FRAME_START_AT, true);
    const isLinkage = linkage.some((own) => own.address <= address && address < own.address + own.length);
    if (start === address && !isLinkage) onFrame(address, frames.getUint32(at + FRAME_LENGTH_AT, true));
  }
}
