/**
 * Builds minimal ELF files with a build id or a debug link.
 */

export interface ElfParts {
  readonly bits?: 32 | 64;
  /** Hexadecimal. */
  readonly buildId?: string;
  readonly debugLink?: string;
}

/** Builds a file with one note segment and, for a debug link, a section for the link and one for names. */
export function elfFile({ bits = 64, buildId, debugLink }: ElfParts): Buffer {
  const is64 = bits === 64;
  const word = (value: number) => number(is64 ? 8 : 4, value);
  const note = buildId === undefined ? Buffer.alloc(0) : noteOf(Buffer.from(buildId, 'hex'));
  const names = Buffer.from('\0.gnu_debuglink\0');
  const link = debugLink === undefined ? Buffer.alloc(0) : Buffer.from(`${debugLink}\0\0\0\0\0`);
  const noteAt = HEADER_BYTES + SEGMENT_BYTES;
  const [namesAt, linkAt] = [noteAt + note.length, noteAt + note.length + names.length];
  const sectionsAt = linkAt + link.length;
  const section = (name: number, at: number, length: number) =>
    is64
      ? Buffer.concat([number(4, name), Buffer.alloc(20), word(at), word(length), Buffer.alloc(24)])
      : Buffer.concat([number(4, name), Buffer.alloc(12), word(at), word(length), Buffer.alloc(16)]);
  const header = Buffer.alloc(HEADER_BYTES);
  header.set([0x7f, 0x45, 0x4c, 0x46, is64 ? 2 : 1, 1, 1]);
  Buffer.concat([word(HEADER_BYTES), word(sectionsAt)]).copy(header, is64 ? 32 : 28);
  const counts = [1, is64 ? 64 : 40, debugLink === undefined ? 0 : 2, 0];
  Buffer.concat(counts.map((count) => number(2, count))).copy(header, is64 ? 56 : 44);
  const segment = is64
    ? [number(4, PT_NOTE), number(4, 4), word(noteAt), word(0), word(0), word(note.length)]
    : [number(4, PT_NOTE), word(noteAt), word(0), word(0), word(note.length)];
  const segments = Buffer.concat([...segment, Buffer.alloc(SEGMENT_BYTES)]).subarray(0, SEGMENT_BYTES);
  const sections = [section(0, namesAt, names.length), section(1, linkAt, link.length)];
  return Buffer.concat([header, segments, note, names, link, ...sections]);
}

const HEADER_BYTES = 64;
const SEGMENT_BYTES = 56;
const PT_NOTE = 4;
const NT_GNU_BUILD_ID = 3;

function noteOf(buildId: Buffer): Buffer {
  const other = [number(4, 4), number(4, 4), number(4, 1), Buffer.from('Xen\0'), number(4, 7)];
  return Buffer.concat([
    ...other,
    number(4, 4),
    number(4, buildId.length),
    number(4, NT_GNU_BUILD_ID),
    Buffer.from('GNU\0'),
    buildId,
  ]);
}

function number(length: 2 | 4 | 8, value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes.subarray(0, length);
}
