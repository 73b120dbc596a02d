/**
 * Finds which parts of a binary are in one function.
 *
 * Faster than `SymbolTable`, as no names are needed: nothing that has a name or a frame begins or ends within a range.
 */
import { countAtOrBelow } from '../../model/columns.js';
import type { Address } from '../../model/units.js';
import { viewOf, wordAt } from '../elf/byte-source.js';
import { bytesOf, type ElfFile, loadedSegments, SectionType, tableOfType } from '../elf/elf-file.js';
import { eachFrame } from './frames.js';

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
