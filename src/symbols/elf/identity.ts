/**
 * An ELF file → what tells it from others, and the name of the file that holds its symbols.
 */
import { decodeText, partOf, textAt, viewOf } from './byte-source.js';
import { bytesOf, type ElfFile, SectionType, SegmentType, sectionNamed } from './elf-file.js';

const NT_GNU_BUILD_ID = 3;
/** Real ones have 20 bytes. */
const MAX_BUILD_ID_BYTES = 64;
const MAX_NOTE_BYTES = 1024 * 1024;

/** Hexadecimal; null if it has none. In sections too: those of debug symbols alone have no notes in their segments. */
export function buildIdOf(elf: ElfFile): string | null {
  const inSections = elf.sections.filter(({ type }) => type === SectionType.Note);
  const inSegments = elf.segments.filter(({ type }) => type === SegmentType.Note);
  const parts = [
    ...inSections.map(({ offset, length }) => ({ offset, length })),
    ...inSegments.map(({ offset, fileLength }) => ({ offset, length: fileLength })),
  ];
  for (const { offset, length } of parts) {
    const buildId = buildIdIn(partOf(elf.source, offset, Math.min(length, MAX_NOTE_BYTES)));
    if (buildId !== null) return buildId;
  }
  return null;
}

/** Notes: the sizes of name and content, the type, then both, each filled up to four bytes. */
function buildIdIn(notes: Uint8Array): string | null {
  const view = viewOf(notes);
  for (let at = 0; at + 12 <= notes.length; ) {
    const nameBytes = view.getUint32(at, true);
    const idBytes = view.getUint32(at + 4, true);
    const idAt = at + 12 + filledUp(nameBytes);
    if (idAt + idBytes > notes.length) return null;
    const isGnu = decodeText(notes.subarray(at + 12, at + 16)) === 'GNU\0';
    if (view.getUint32(at + 8, true) === NT_GNU_BUILD_ID && isGnu && idBytes <= MAX_BUILD_ID_BYTES)
      return hexOf(notes.subarray(idAt, idAt + idBytes));
    at = idAt + filledUp(idBytes);
  }
  return null;
}

/** Of `.gnu_debuglink`: a file name without folder; null if it has none. */
export function debugLinkOf(elf: ElfFile): string | null {
  const link = textAt(bytesOf(elf, sectionNamed(elf, '.gnu_debuglink')), 0);
  return link === '' || link.includes('/') ? null : link;
}

export function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Sizes of 4 GiB do not wrap. */
function filledUp(bytes: number): number {
  return Math.ceil(bytes / 4) * 4;
}
