/**
 * What an ELF file says of itself: its build id, and the name of the file that holds its symbols.
 */
import { type FileHandle, open } from 'node:fs/promises';

export interface ElfFile {
  /** Hexadecimal; null if it has none. */
  readonly buildId: string | null;
  /** Of `.gnu_debuglink`; null if it has none. */
  readonly debugLink: string | null;
}

const MAGIC = 0x7f454c46;
const HEADER_BYTES = 64;
const CLASS_64 = 2;
const LITTLE_ENDIAN = 1;
const PT_NOTE = 4;
const NT_GNU_BUILD_ID = 3;
const SEGMENT_BYTES = 56;
const SECTION_BYTES = 64;
const MOST_ENTRIES = 1024;
const MOST_BYTES = 1024 * 1024;

/** null for what is no ELF file of 64 bits, or cannot be read. */
export async function readElf(path: string): Promise<ElfFile | null> {
  const file = await open(path).catch(() => null);
  if (file === null) return null;
  try {
    const header = await bytesAt(file, 0, HEADER_BYTES);
    const isElf = header.byteLength === HEADER_BYTES && header.getUint32(0) === MAGIC;
    if (!isElf || header.getUint8(4) !== CLASS_64 || header.getUint8(5) !== LITTLE_ENDIAN) return null;
    return { buildId: await readBuildId(file, header), debugLink: await readDebugLink(file, header) };
  } catch {
    return null;
  } finally {
    await file.close();
  }
}

async function readBuildId(file: FileHandle, header: DataView): Promise<string | null> {
  const count = Math.min(header.getUint16(56, true), MOST_ENTRIES);
  const segments = await bytesAt(file, numberAt(header, 32), count * SEGMENT_BYTES);
  for (let at = 0; at + SEGMENT_BYTES <= segments.byteLength; at += SEGMENT_BYTES) {
    if (segments.getUint32(at, true) !== PT_NOTE) continue;
    const buildId = buildIdIn(await bytesAt(file, numberAt(segments, at + 8), numberAt(segments, at + 32)));
    if (buildId !== null) return buildId;
  }
  return null;
}

/** Notes: the sizes of name and content, the type, then both, each filled up to four bytes. */
function buildIdIn(notes: DataView): string | null {
  for (let at = 0; at + 12 <= notes.byteLength; ) {
    const nameBytes = notes.getUint32(at, true);
    const contentBytes = notes.getUint32(at + 4, true);
    const content = at + 12 + filledUp(nameBytes);
    if (content + contentBytes > notes.byteLength) return null;
    if (notes.getUint32(at + 8, true) === NT_GNU_BUILD_ID && textAt(notes, at + 12, nameBytes) === 'GNU')
      return Buffer.from(notes.buffer, notes.byteOffset + content, contentBytes).toString('hex');
    at = content + filledUp(contentBytes);
  }
  return null;
}

async function readDebugLink(file: FileHandle, header: DataView): Promise<string | null> {
  const count = Math.min(header.getUint16(60, true), MOST_ENTRIES);
  const sections = await bytesAt(file, numberAt(header, 40), count * SECTION_BYTES);
  const namesAt = header.getUint16(62, true) * SECTION_BYTES;
  if (namesAt + SECTION_BYTES > sections.byteLength) return null;
  const names = await sectionAt(file, sections, namesAt);
  for (let at = 0; at + SECTION_BYTES <= sections.byteLength; at += SECTION_BYTES) {
    const name = sections.getUint32(at, true);
    if (name < names.byteLength && textAt(names, name, 32) === '.gnu_debuglink')
      return textAt(await sectionAt(file, sections, at), 0, 255);
  }
  return null;
}

function sectionAt(file: FileHandle, sections: DataView, at: number): Promise<DataView> {
  return bytesAt(file, numberAt(sections, at + 24), numberAt(sections, at + 32));
}

async function bytesAt(file: FileHandle, at: number, length: number): Promise<DataView> {
  const buffer = new Uint8Array(Math.min(length, MOST_BYTES));
  const { bytesRead } = await file.read(buffer, 0, buffer.length, at);
  return new DataView(buffer.buffer, 0, bytesRead);
}

function numberAt(view: DataView, at: number): number {
  return Number(view.getBigUint64(at, true));
}

/** Up to its zero. */
function textAt(view: DataView, at: number, mostBytes: number): string {
  const bytes = Buffer.from(view.buffer, view.byteOffset + at, Math.min(mostBytes, view.byteLength - at));
  const end = bytes.indexOf(0);
  return bytes.toString('latin1', 0, end === -1 ? bytes.length : end);
}

function filledUp(bytes: number): number {
  return (bytes + 3) & ~3;
}
