/**
 * Reads where the functions of a binary begin and how long they are from what its unwinder needs (`.eh_frame_hdr`, `.eh_frame`):
 * stripped binaries have that, too.
 */
import type { Address } from '../../model/units.js';
import { viewOf } from '../elf/byte-source.js';
import { bytesOf, type ElfFile, sectionNamed } from '../elf/elf-file.js';

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

/** Calls `onFrame` for each function. Linkage tables are none: they have one frame for all of their slots. */
export function eachFrame(elf: ElfFile, onFrame: (address: Address, bytes: number) => void): void {
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
