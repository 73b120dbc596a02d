/**
 * Builds small x86-64 ELF files of sections, symbols and segments.
 */
export interface SectionParts {
  readonly name: string;
  readonly type?: number;
  readonly isAllocated?: boolean;
  readonly isCompressed?: boolean;
  readonly address?: number;
  readonly bytes: Uint8Array;
  readonly link?: number;
  readonly entryBytes?: number;
}

export interface SymbolParts {
  readonly name: string;
  readonly value: number;
  readonly size?: number;
  readonly type?: keyof typeof TYPES;
  readonly binding?: keyof typeof BINDINGS;
  readonly visibility?: keyof typeof VISIBILITIES;
  /** Number of its section; 1 is `.text`. */
  readonly section?: number;
}

export interface ProgramParts {
  readonly symbols?: readonly SymbolParts[];
  readonly dynamic?: readonly SymbolParts[];
  readonly buildId?: string;
  readonly debugLink?: string;
  readonly more?: readonly SectionParts[];
}

const TYPES = { untyped: 0, object: 1, function: 2, section: 3, indirect: 10 } as const;
const BINDINGS = { local: 0, global: 1, weak: 2, unique: 10 } as const;
const VISIBILITIES = { default: 0, internal: 1, hidden: 2, protected: 3 } as const;

/** Where `.text` of `program` is, in the file and in memory; it has 16 KiB. */
export const TEXT_OFFSET = 0x1000;
export const TEXT_ADDRESS = 0x401000;
const TEXT_BYTES = 0x4000;

/** `.text` is section 1, `.data` section 2, `.comment` section 3, which is not in memory. */
export function program({ symbols, dynamic, buildId, debugLink, more = [] }: ProgramParts): Uint8Array {
  const sections: SectionParts[] = [
    { name: '.text', isAllocated: true, address: TEXT_ADDRESS, bytes: new Uint8Array(TEXT_BYTES) },
    { name: '.data', isAllocated: true, address: TEXT_ADDRESS + TEXT_BYTES, bytes: new Uint8Array(TEXT_BYTES) },
    { name: '.comment', bytes: new Uint8Array(16) },
  ];
  const addTable = (name: string, type: number, all: readonly SymbolParts[]) => {
    const strings = stringTable(all.map((symbol) => symbol.name));
    sections.push({ name, type, bytes: symbolBytes(all, strings), link: sections.length + 2, entryBytes: 24 });
    sections.push({ name: `${name}.names`, type: 3, bytes: strings.bytes });
  };
  if (symbols !== undefined) addTable('.symtab', 2, symbols);
  if (dynamic !== undefined) addTable('.dynsym', 11, dynamic);
  if (buildId !== undefined) sections.push({ name: '.note.gnu.build-id', type: 7, bytes: noteOf(buildId) });
  if (debugLink !== undefined) sections.push({ name: '.gnu_debuglink', bytes: Buffer.from(`${debugLink}\0\0\0\0\0`) });
  return elfFile([...sections, ...more]);
}

/** One loaded segment has all allocated sections, from the second page of the file on. */
export function elfFile(parts: readonly SectionParts[]): Uint8Array {
  const names = stringTable([...parts.map(({ name }) => name), '.shstrtab']);
  const sections = [...parts, { name: '.shstrtab', type: 3, bytes: names.bytes }];
  const bodies: Uint8Array[] = [];
  const headers = [Buffer.alloc(64)];
  let at = TEXT_OFFSET;
  sections.forEach(({ name, type = 1, isAllocated = false, isCompressed = false, address = 0, bytes, ...rest }) => {
    const { link = 0, entryBytes = 0 } = rest;
    const flags = (isAllocated ? 2 : 0) + (isCompressed ? 0x800 : 0);
    headers.push(
      Buffer.concat([
        ...[number(4, names.at(name)), number(4, type), number(8, flags), number(8, address), number(8, at)],
        ...[number(8, bytes.length), number(4, link), number(4, 0), number(8, 1), number(8, entryBytes)],
      ]),
    );
    bodies.push(bytes);
    at += bytes.length;
  });
  const counts = [64, 56, 1, 64, sections.length + 1, sections.length].map((count) => number(2, count));
  const header = Buffer.concat([
    ...[Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0]), number(2, 3), number(2, 62)],
    ...[number(4, 1), number(8, 0), number(8, 64), number(8, at), number(4, 0), ...counts],
  ]);
  const inMemory = parts.filter(({ isAllocated }) => isAllocated).reduce((sum, { bytes }) => sum + bytes.length, 0);
  const segment = [1, 5].map((value) => number(4, value));
  const range = [TEXT_OFFSET, TEXT_ADDRESS, TEXT_ADDRESS, inMemory, inMemory, 0x1000].map((value) => number(8, value));
  const start = Buffer.concat([header, ...segment, ...range]);
  return new Uint8Array(Buffer.concat([start, Buffer.alloc(TEXT_OFFSET - start.length), ...bodies, ...headers]));
}

interface Strings {
  readonly bytes: Uint8Array;
  readonly at: (text: string) => number;
}

function stringTable(texts: readonly string[]): Strings {
  const places = new Map<string, number>([['', 0]]);
  let all = '\0';
  for (const text of texts) {
    if (places.has(text)) continue;
    places.set(text, Buffer.byteLength(all));
    all += `${text}\0`;
  }
  return { bytes: Buffer.from(all), at: (text) => places.get(text) ?? 0 };
}

function symbolBytes(symbols: readonly SymbolParts[], names: Strings): Uint8Array {
  const rows = symbols.map(({ name, value, size = 0, section = 1, ...rest }) => {
    const { type = 'function', binding = 'global', visibility = 'default' } = rest;
    const info = [(BINDINGS[binding] << 4) | TYPES[type], VISIBILITIES[visibility]].map((byte) => number(1, byte));
    return Buffer.concat([number(4, names.at(name)), ...info, number(2, section), number(8, value), number(8, size)]);
  });
  return Buffer.concat([Buffer.alloc(24), ...rows]);
}

function noteOf(buildId: string): Uint8Array {
  const id = Buffer.from(buildId, 'hex');
  return Buffer.concat([number(4, 4), number(4, id.length), number(4, 3), Buffer.from('GNU\0'), id]);
}

export function number(length: 1 | 2 | 4 | 8, value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes.subarray(0, length);
}
