/**
 * Reads parts of the debug sections of a binary. Compressed sections are inflated whole, others are read part by part: a
 * binary may have gigabytes of them.
 */
import { inflateSync } from 'node:zlib';
import { partOf, viewOf, wordAt } from '../elf/byte-source.js';
import { bytesOf, type ElfFile, type ElfSection, SectionType, sectionNamed } from '../elf/elf-file.js';
import { ByteReader, DwarfFault } from './byte-reader.js';

interface Section {
  readonly length: number; // bytes, inflated
  read(at: number, length: number): Uint8Array;
}

/** Kind, padding, size and alignment of what a compressed section contains. */
const COMPRESSION_HEADER_BYTES = 24;
const ZLIB = 1;
const MAX_INFLATED_BYTES = 2 ** 30;
/** Bytes of a section that are read at once where the length of what follows is not known. */
const WINDOW_BYTES = 4096;
/** Mangled names of templates are long. */
const MAX_TEXT_BYTES = 16 * 1024;
const NO_BYTES = new Uint8Array(0);
const NO_SECTION: Section = { length: 0, read: () => NO_BYTES };

export class DebugSections {
  private readonly elf: ElfFile;
  private readonly sections = new Map<string, Section>();
  private readonly wholes = new Map<string, Uint8Array>();

  constructor(elf: ElfFile) {
    this.elf = elf;
  }

  lengthOf(name: string): number {
    return this.section(name).length;
  }

  /** @throws DwarfFault if the section does not have so much */
  read(name: string, at: number, length: number): Uint8Array {
    const section = this.section(name);
    if (!(at >= 0 && length >= 0 && at + length <= section.length)) throw new DwarfFault(`${name} is too short`);
    return section.read(at, length);
  }

  /** Returns a reader of a part that ends after `bytes`, or with the section. */
  window(name: string, at: number, bytes = WINDOW_BYTES): ByteReader {
    return new ByteReader(this.read(name, at, Math.min(bytes, this.lengthOf(name) - at)));
  }

  /** Reads a text of at most `MAX_TEXT_BYTES`. */
  text(name: string, at: number): string {
    return this.window(name, at, MAX_TEXT_BYTES).text();
  }

  /** Reads a section whose entries have no known length. */
  whole(name: string): Uint8Array {
    let bytes = this.wholes.get(name);
    if (bytes === undefined) this.wholes.set(name, (bytes = this.read(name, 0, this.lengthOf(name))));
    return bytes;
  }

  private section(name: string): Section {
    const known = this.sections.get(name);
    if (known !== undefined) return known;
    const found = sectionNamed(this.elf, name);
    const opened = found === null || found.type === SectionType.NoBits ? NO_SECTION : this.open(found);
    this.sections.set(name, opened);
    return opened;
  }

  private open(section: ElfSection): Section {
    if (section.isCompressed) return inflated(bytesOf(this.elf, section));
    const { source } = this.elf;
    const length = Math.max(0, Math.min(section.length, source.length - section.offset));
    return { length, read: (at, bytes) => partOf(source, section.offset + at, bytes) };
  }
}

/** Returns whether a section can be inflated, if it is compressed. */
export function isReadable({ source }: ElfFile, { isCompressed, offset, length }: ElfSection): boolean {
  if (!isCompressed || length < COMPRESSION_HEADER_BYTES) return true;
  return viewOf(partOf(source, offset, COMPRESSION_HEADER_BYTES)).getUint32(0, true) === ZLIB;
}

function inflated(bytes: Uint8Array): Section {
  if (bytes.length < COMPRESSION_HEADER_BYTES) return NO_SECTION;
  const view = viewOf(bytes);
  const length = wordAt(view, 8);
  if (view.getUint32(0, true) !== ZLIB || !(length > 0 && length <= MAX_INFLATED_BYTES)) return NO_SECTION;
  try {
    const all = inflateSync(bytes.subarray(COMPRESSION_HEADER_BYTES), { maxOutputLength: length });
    return { length: all.length, read: (at, count) => all.subarray(at, at + count) };
  } catch {
    return NO_SECTION;
  }
}
