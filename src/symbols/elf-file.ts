/**
 * Reads the sections and segments of an ELF file, or states reason it cannot.
 */
import { hexText, viewOf } from '../codec/bytes.js';
import type { Address } from '../model/units.js';
import { type ByteSource, decodeText, holds, partOf, textAt, wordAt } from './byte-source.js';

export interface ElfSection {
  readonly name: string;
  readonly type: number;
  readonly isAllocated: boolean;
  /** Its bytes begin with a header that says how they are compressed. */
  readonly isCompressed: boolean;
  readonly address: Address;
  readonly offset: number;
  readonly length: number; // bytes
  /** Number of the section that belongs to it: for symbols, their names. */
  readonly link: number;
  readonly entryBytes: number;
}

interface ElfSegment {
  readonly type: number;
  readonly address: Address;
  readonly offset: number;
  readonly fileLength: number; // bytes
  readonly memoryLength: number; // bytes
}

export interface ElfFile {
  readonly source: ByteSource;
  readonly type: number;
  readonly sections: readonly ElfSection[];
  readonly segments: readonly ElfSegment[];
}

type ElfReading = { readonly elf: ElfFile } | { readonly elf: null; readonly reason: string };

export const SectionType = { SymbolTable: 2, Note: 7, NoBits: 8, DynamicSymbols: 11 } as const;
const SegmentType = { Load: 1, Note: 4 } as const;

const MAGIC = 0x7f454c46;
const CLASS_AT = 4;
const BITS_64 = 2;
const LITTLE_ENDIAN = 1;
const X86_64 = 62;
const HEADER_BYTES = 64;
const SECTION_BYTES = 64;
const SEGMENT_BYTES = 56;
const SHF_ALLOC = 2;
const SHF_COMPRESSED = 0x800;
/** Binaries have some dozens; object files, one for each function. */
const MAX_SECTIONS = 65_536;
/** Linkers make four to ten, and each address of a symbol is looked for in all of them. */
const MAX_LOADED_SEGMENTS = 64;
/** In the header, a section number that does not fit: it is in the first section instead. */
const ELSEWHERE = 0xffff;

export function readElf(source: ByteSource): ElfReading {
  const header = viewOf(partOf(source, 0, HEADER_BYTES));
  const reason = refusalOf(header);
  if (reason !== null) return { elf: null, reason };
  return {
    elf: {
      source,
      type: header.getUint16(16, true),
      sections: readSections(source, header),
      segments: readSegments(source, header),
    },
  };
}

function refusalOf(header: DataView): string | null {
  if (header.byteLength < HEADER_BYTES || header.getUint32(0) !== MAGIC) return 'not an ELF file';
  if (header.getUint8(CLASS_AT) !== BITS_64) return 'a 32-bit binary';
  if (header.getUint8(CLASS_AT + 1) !== LITTLE_ENDIAN || header.getUint16(18, true) !== X86_64)
    return 'not an x86-64 binary';
  return null;
}

function readSections(source: ByteSource, header: DataView): ElfSection[] {
  const at = wordAt(header, 40);
  const first = viewOf(partOf(source, at, SECTION_BYTES));
  if (first.byteLength === 0 || header.getUint16(58, true) !== SECTION_BYTES) return [];
  const count = header.getUint16(60, true) || wordAt(first, 32);
  const table = viewOf(partOf(source, at, Math.min(count, MAX_SECTIONS) * SECTION_BYTES));
  const names = header.getUint16(62, true);
  const namesAt = (names === ELSEWHERE ? first.getUint32(40, true) : names) * SECTION_BYTES;
  const hasNames = namesAt + SECTION_BYTES <= table.byteLength;
  const nameBytes = hasNames
    ? partOf(source, wordAt(table, namesAt + 24), wordAt(table, namesAt + 32))
    : new Uint8Array(0);
  const sections: ElfSection[] = [];
  for (let entry = 0; entry < table.byteLength; entry += SECTION_BYTES)
    sections.push(sectionAt(table, entry, nameBytes));
  return sections;
}

function sectionAt(table: DataView, at: number, names: Uint8Array): ElfSection {
  return {
    name: sectionName(names, table.getUint32(at, true)),
    type: table.getUint32(at + 4, true),
    isAllocated: (table.getUint32(at + 8, true) & SHF_ALLOC) !== 0,
    isCompressed: (table.getUint32(at + 8, true) & SHF_COMPRESSED) !== 0,
    address: wordAt(table, at + 16),
    offset: wordAt(table, at + 24),
    length: wordAt(table, at + 32),
    link: table.getUint32(at + 40, true),
    entryBytes: wordAt(table, at + 56),
  };
}

/** Bounds all names together by the number of sections. */
const MAX_SECTION_NAME_BYTES = 255;

function sectionName(names: Uint8Array, at: number): string {
  return textAt(names.subarray(at, at + MAX_SECTION_NAME_BYTES), 0);
}

function readSegments(source: ByteSource, header: DataView): ElfSegment[] {
  if (header.getUint16(54, true) !== SEGMENT_BYTES) return [];
  const table = viewOf(partOf(source, wordAt(header, 32), header.getUint16(56, true) * SEGMENT_BYTES));
  const segments: ElfSegment[] = [];
  for (let at = 0; at < table.byteLength; at += SEGMENT_BYTES)
    segments.push({
      type: table.getUint32(at, true),
      offset: wordAt(table, at + 8),
      address: wordAt(table, at + 16),
      fileLength: wordAt(table, at + 32),
      memoryLength: wordAt(table, at + 40),
    });
  return segments;
}

/** The segments that are mapped into memory. */
export function loadedSegments({ segments }: ElfFile): ElfSegment[] {
  return segments.filter(({ type }) => type === SegmentType.Load).slice(0, MAX_LOADED_SEGMENTS);
}

/** Returns the table of a type; no linker makes two. */
export function tableOfType({ sections }: ElfFile, wanted: number): ElfSection | null {
  return sections.find(({ type }) => type === wanted) ?? null;
}

export function sectionNamed(elf: ElfFile, name: string): ElfSection | null {
  return elf.sections.find((section) => section.name === name) ?? null;
}

/** Returns the number of entries of a table that are in the file. */
export function countEntries({ source }: ElfFile, section: ElfSection | null | undefined, entryBytes: number): number {
  if (section === null || section === undefined || !holds(source, section.offset, section.length)) return 0;
  return section.type === SectionType.NoBits ? 0 : Math.floor(section.length / entryBytes);
}

/** Returns no bytes if the section has none in the file, or if the file ends before it. */
export function bytesOf(elf: ElfFile, section: ElfSection | null | undefined): Uint8Array {
  if (section === null || section === undefined || section.type === SectionType.NoBits) return new Uint8Array(0);
  return partOf(elf.source, section.offset, section.length);
}

// Reads the build id of an ELF file, and the name of the file with its debug symbols.

const NT_GNU_BUILD_ID = 3;
/** Real ones have 20 bytes. */
const MAX_BUILD_ID_BYTES = 64;
/** Of all notes together; headers may name the same bytes again and again. Real binaries have some hundred. */
const MAX_NOTE_BYTES = 1024 * 1024;

/** Returns it in hexadecimal, or null. Searches sections, too: debug files have no notes in their segments. */
export function buildIdOf(elf: ElfFile): string | null {
  const inSections = elf.sections.filter(({ type }) => type === SectionType.Note);
  const inSegments = elf.segments.filter(({ type }) => type === SegmentType.Note);
  const parts = [
    ...inSections.map(({ offset, length }) => ({ offset, length })),
    ...inSegments.map(({ offset, fileLength }) => ({ offset, length: fileLength })),
  ];
  let left = MAX_NOTE_BYTES;
  for (const { offset, length } of parts) {
    const bytes = Math.min(length, left);
    const buildId = buildIdIn(partOf(elf.source, offset, bytes));
    if (buildId !== null) return buildId;
    left -= bytes;
    if (left <= 0) break;
  }
  return null;
}

/** Returns the build id in an ELF file's notes, or null. Each note: size of its name, size of its contents, type, then both, each padded to four bytes. */
export function buildIdIn(notes: Uint8Array): string | null {
  const view = viewOf(notes);
  for (let at = 0; at + 12 <= notes.length; ) {
    const nameBytes = view.getUint32(at, true);
    const idBytes = view.getUint32(at + 4, true);
    const idAt = at + 12 + padded(nameBytes);
    if (idAt + idBytes > notes.length) return null;
    const isGnu = decodeText(notes.subarray(at + 12, at + 16)) === 'GNU\0';
    if (view.getUint32(at + 8, true) === NT_GNU_BUILD_ID && isGnu && idBytes <= MAX_BUILD_ID_BYTES)
      return hexText(notes.subarray(idAt, idAt + idBytes));
    at = idAt + padded(idBytes);
  }
  return null;
}

/** Returns the file name in `.gnu_debuglink`, without a folder, or null. */
export function debugLinkOf(elf: ElfFile): string | null {
  const link = textAt(bytesOf(elf, sectionNamed(elf, '.gnu_debuglink')), 0);
  return link === '' || link.includes('/') ? null : link;
}

/** Without bit operations: sizes up to 4 GiB must not wrap. */
function padded(bytes: number): number {
  return Math.ceil(bytes / 4) * 4;
}
