/**
 * Reads the build id of an ELF file, and the name of the file with its debug symbols.
 */
import { decodeText, partOf, textAt, viewOf } from './byte-source.js';
import { bytesOf, type ElfFile, SectionType, SegmentType, sectionNamed } from './elf-file.js';

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

/** Each note: size of its name, size of its contents, type, then both, each padded to four bytes. */
function buildIdIn(notes: Uint8Array): string | null {
  const view = viewOf(notes);
  for (let at = 0; at + 12 <= notes.length; ) {
    const nameBytes = view.getUint32(at, true);
    const idBytes = view.getUint32(at + 4, true);
    const idAt = at + 12 + padded(nameBytes);
    if (idAt + idBytes > notes.length) return null;
    const isGnu = decodeText(notes.subarray(at + 12, at + 16)) === 'GNU\0';
    if (view.getUint32(at + 8, true) === NT_GNU_BUILD_ID && isGnu && idBytes <= MAX_BUILD_ID_BYTES)
      return hexOf(notes.subarray(idAt, idAt + idBytes));
    at = idAt + padded(idBytes);
  }
  return null;
}

/** Returns the file name in `.gnu_debuglink`, without a folder, or null. */
export function debugLinkOf(elf: ElfFile): string | null {
  const link = textAt(bytesOf(elf, sectionNamed(elf, '.gnu_debuglink')), 0);
  return link === '' || link.includes('/') ? null : link;
}

export function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Without bit operations: sizes up to 4 GiB must not wrap. */
function padded(bytes: number): number {
  return Math.ceil(bytes / 4) * 4;
}
