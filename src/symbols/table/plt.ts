/**
 * Names the slots of the PLT, the calls into other libraries, after the functions that they call.
 */
import type { Address } from '../../model/units.js';
import { viewOf, wordAt } from '../byte-source.js';
import { bytesOf, countEntries, type ElfFile, SectionType, sectionNamed, tableOfType } from '../elf-file.js';
import { SYMBOL_BYTES } from './elf-symbols.js';
import { Binding, NameSource, type SymbolRows } from './symbol-rows.js';

/**
 * `perf-6.1`: the slots of `.plt` alone, and a symbol without a size before them, usually `_init`, hides the first ones.
 * `all`: the slots of `.plt.sec` and `.plt.got`, too, as newer versions of perf do. If there is a `.plt.sec`, code calls only that.
 */
export type PltNames = 'perf-6.1' | 'all';

const RELOCATION_BYTES = 24;
const ENTRY_BYTES = 16;
const SHORT_ENTRY_BYTES = 8;
/** Sections of slots that only jump to the address in a word. */
const OTHER_SLOTS = ['.plt.sec', '.plt.got'];

export function addPlt(rows: SymbolRows, elf: ElfFile, style: PltNames, onRow: (row: number) => void): void {
  const dynamic = tableOfType(elf, SectionType.DynamicSymbols);
  if (dynamic === null) return;
  const symbols = viewOf(bytesOf(elf, dynamic));
  const names = bytesOf(elf, elf.sections[dynamic.link]);
  rows.setNames(NameSource.Plt, names);
  const add = (at: number, bytes: number, symbol: number) => {
    const entry = symbol * SYMBOL_BYTES;
    const nameAt = entry + SYMBOL_BYTES <= symbols.byteLength ? symbols.getUint32(entry, true) : names.length;
    onRow(rows.add(at, bytes, nameAt, NameSource.Plt, Binding.Global));
  };
  addMainSlots(elf, add);
  if (style === 'all') addOtherSlots(elf, add);
}

/** Returns the maximum number of rows. */
export function pltCapacity(elf: ElfFile): number {
  const slots = OTHER_SLOTS.map((name) => countEntries(elf, sectionNamed(elf, name), SHORT_ENTRY_BYTES));
  return slots.reduce((sum, count) => sum + count, countEntries(elf, sectionNamed(elf, '.rela.plt'), RELOCATION_BYTES));
}

type AddEntry = (at: number, bytes: number, symbol: number) => void;

/** Names slots in the order of the relocations, from the second one on. */
function addMainSlots(elf: ElfFile, add: AddEntry): void {
  const plt = sectionNamed(elf, '.plt');
  if (plt === null) return;
  const bytes = plt.entryBytes > 0 && plt.entryBytes <= plt.length ? plt.entryBytes : ENTRY_BYTES;
  let at = plt.offset;
  eachRelocation(elf, '.rela.plt', (_, symbol) => add((at += bytes), bytes, symbol));
}

interface Slot {
  readonly offset: number;
  readonly bytes: number;
  /** The address of the word that has the address of the function. */
  readonly word: Address;
}

/** The relocation of a slot's word has the name. A library can have many more relocations than slots. */
function addOtherSlots(elf: ElfFile, add: AddEntry): void {
  const slots = OTHER_SLOTS.flatMap((name) => slotsIn(elf, name));
  if (slots.length === 0) return;
  const symbolOf = new Map(slots.map(({ word }) => [word, 0]));
  for (const table of ['.rela.dyn', '.rela.plt'])
    eachRelocation(elf, table, (word, symbol) => {
      if (symbol !== 0 && symbolOf.has(word)) symbolOf.set(word, symbol);
    });
  for (const { offset, bytes, word } of slots) {
    const symbol = symbolOf.get(word) ?? 0;
    if (symbol !== 0) add(offset, bytes, symbol);
  }
}

function slotsIn(elf: ElfFile, name: string): Slot[] {
  const section = sectionNamed(elf, name);
  if (section === null) return [];
  const bytes = section.entryBytes === SHORT_ENTRY_BYTES ? SHORT_ENTRY_BYTES : ENTRY_BYTES;
  const code = bytesOf(elf, section);
  const slots: Slot[] = [];
  for (let at = 0; at + bytes <= code.length; at += bytes) {
    const word = wordJumpedBy(code.subarray(at, at + bytes), section.address + at);
    if (!Number.isNaN(word)) slots.push({ offset: section.offset + at, bytes, word });
  }
  return slots;
}

/** Returns the address of the word in `[endbr64] [bnd] jmp *word(%rip)`; NaN for other instructions. */
function wordJumpedBy(code: Uint8Array, address: Address): Address {
  const hasEndbr = code[0] === 0xf3 && code[1] === 0x0f && code[2] === 0x1e && code[3] === 0xfa;
  let at = hasEndbr ? 4 : 0;
  if (code[at] === 0xf2) at++;
  if (code[at] !== 0xff || code[at + 1] !== 0x25 || at + 6 > code.length) return Number.NaN;
  return address + at + 6 + viewOf(code).getInt32(at + 2, true);
}

/** A relocation has the address of a word, and the dynamic symbol whose address the word gets. */
function eachRelocation(elf: ElfFile, table: string, each: (word: Address, symbol: number) => void): void {
  const view = viewOf(bytesOf(elf, sectionNamed(elf, table)));
  for (let at = 0; at + RELOCATION_BYTES <= view.byteLength; at += RELOCATION_BYTES)
    each(wordAt(view, at), view.getUint32(at + 12, true));
}
