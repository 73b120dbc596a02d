/**
 * Finds the files whose code is needed to decode a recording, and those with their symbols.
 */
import { access, constants, type FileHandle, open, stat } from 'node:fs/promises';
import { basename, dirname, join, normalize } from 'node:path';
import { viewOf } from '../../codec/bytes.js';
import { textAt } from '../../symbols/byte-source.js';
import { buildIdIn } from '../../symbols/elf-file.js';
import { mappedFiles } from '../mapped-files.js';
import type { Recording } from '../recording.js';

export interface NeededFile {
  /** Its path when it was recorded. */
  readonly path: string;
  /** Whether the file now at this path is the same, as far as can be checked, or another build, unreadable or missing. */
  readonly state: 'same' | 'changed' | 'unreadable' | 'missing';
  /** Build id of the recorded file; null: not in the recording. */
  readonly buildId: string | null;
}

const DELETED = ' (deleted)';
const DEBUG_FOLDER = '/usr/lib/debug';

/** Returns the files by path. `root`: directory of the files, as for perf's `--symfs`. */
export async function neededFiles(recording: Recording, root = '/'): Promise<NeededFile[]> {
  return Promise.all(mappedFiles(recording).map(({ path, buildId }) => neededFile(path, buildId, root)));
}

/** The kernel never writes ".." into a path, and appends " (deleted)" for deleted files. */
export function canBeFile(path: string): boolean {
  return !path.endsWith(DELETED) && path === normalize(path);
}

async function neededFile(path: string, buildId: string | null, root: string): Promise<NeededFile> {
  const file = { path, buildId };
  if (!canBeFile(path) || !(await isFile(join(root, path)))) return { ...file, state: 'missing' };
  if (!(await isReadable(join(root, path)))) return { ...file, state: 'unreadable' };
  const isOther = buildId !== null && (await readElf(join(root, path)))?.buildId !== buildId;
  return { ...file, state: isOther ? 'changed' : 'same' };
}

/** Where gdb and perf look for separate debug symbols. */
export function debugPaths(path: string, buildId: string | null, link: string | null): string[] {
  const byId = buildId && join(DEBUG_FOLDER, '.build-id', buildId.slice(0, 2), `${buildId.slice(2)}.debug`);
  const folder = dirname(path);
  const name = link === null ? null : basename(link); // it must be a name, not a path
  const byName = name ? [join(folder, '.debug', name), join(DEBUG_FOLDER, folder, name)] : [];
  return [...(byId ? [byId] : []), ...byName, join(DEBUG_FOLDER, `${path}.debug`)];
}

async function isReadable(path: string): Promise<boolean> {
  return access(path, constants.R_OK).then(
    () => true,
    () => false,
  );
}

async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (stats) => stats.isFile(),
    () => false,
  );
}

/** Reads the build id of an ELF file, and the name of the file with its debug symbols. */
export interface ElfFile {
  /** A core dump, not a binary. */
  readonly isCore: boolean;
  /** Hexadecimal; null if it has none. */
  readonly buildId: string | null;
  /** From `.gnu_debuglink`; null if it has none. */
  readonly debugLink: string | null;
}

/** A table entry: its size, and where in it the offset and the length of its part of the file are. */
interface Part {
  readonly bytes: number;
  readonly at: number;
  readonly length: number;
}

/** Offsets of the tables in the header, and of the fields in their entries. */
interface Layout {
  readonly wordBytes: 4 | 8;
  readonly segments: { readonly at: number; readonly count: number };
  readonly sections: { readonly at: number; readonly count: number; readonly names: number };
  readonly segment: Part;
  readonly section: Part;
}

/** For 32 and 64 bits. */
const LAYOUTS: Readonly<Record<number, Layout>> = {
  1: {
    wordBytes: 4,
    segments: { at: 28, count: 44 },
    sections: { at: 32, count: 48, names: 50 },
    segment: { bytes: 32, at: 4, length: 16 },
    section: { bytes: 40, at: 16, length: 20 },
  },
  2: {
    wordBytes: 8,
    segments: { at: 32, count: 56 },
    sections: { at: 40, count: 60, names: 62 },
    segment: { bytes: 56, at: 8, length: 32 },
    section: { bytes: 64, at: 24, length: 32 },
  },
};

const MAGIC = 0x7f454c46;
const TYPE_AT = 16;
const CORE = 4;
const HEADER_BYTES = 64;
const LITTLE_ENDIAN = 1;
const PT_NOTE = 4;
const MAX_ENTRIES = 1024;
const MAX_BYTES = 1024 * 1024;
const MAX_SECTION_NAME_BYTES = 32;
/** Headers may name the same bytes again and again. */
const MAX_NOTE_SEGMENTS = 16;

/** Returns null if it is not a little-endian ELF file, or cannot be read. */
export async function readElf(path: string): Promise<ElfFile | null> {
  const file = await open(path).catch(() => null);
  if (file === null) return null;
  try {
    return await readOpenElf(file);
  } finally {
    await file.close();
  }
}

/** Reads an open file, and leaves it open. */
export async function readOpenElf(file: FileHandle): Promise<ElfFile | null> {
  try {
    const header = viewOf(await bytesAt(file, 0, HEADER_BYTES));
    const isElf = header.byteLength === HEADER_BYTES && header.getUint32(0) === MAGIC;
    const layout = isElf && header.getUint8(5) === LITTLE_ENDIAN ? LAYOUTS[header.getUint8(4)] : undefined;
    if (layout === undefined) return null;
    return {
      isCore: header.getUint16(TYPE_AT, true) === CORE,
      buildId: await readBuildId(file, header, layout),
      debugLink: await readDebugLink(file, header, layout),
    };
  } catch {
    return null;
  }
}

async function readBuildId(file: FileHandle, header: DataView, layout: Layout): Promise<string | null> {
  const { segments: table, segment, wordBytes } = layout;
  const count = Math.min(header.getUint16(table.count, true), MAX_ENTRIES);
  const segments = viewOf(await bytesAt(file, wordAt(header, table.at, wordBytes), count * segment.bytes));
  let notes = 0;
  for (let at = 0; at + segment.bytes <= segments.byteLength && notes < MAX_NOTE_SEGMENTS; at += segment.bytes) {
    if (segments.getUint32(at, true) !== PT_NOTE) continue;
    notes++;
    const buildId = buildIdIn(await partAt(file, segments, at, segment, wordBytes));
    if (buildId !== null) return buildId;
  }
  return null;
}

async function readDebugLink(file: FileHandle, header: DataView, layout: Layout): Promise<string | null> {
  const { sections: table, section, wordBytes } = layout;
  const count = Math.min(header.getUint16(table.count, true), MAX_ENTRIES);
  const sections = viewOf(await bytesAt(file, wordAt(header, table.at, wordBytes), count * section.bytes));
  const namesAt = header.getUint16(table.names, true) * section.bytes;
  if (namesAt + section.bytes > sections.byteLength) return null;
  const names = await partAt(file, sections, namesAt, section, wordBytes);
  for (let at = 0; at + section.bytes <= sections.byteLength; at += section.bytes) {
    const name = sections.getUint32(at, true);
    if (textAt(names.subarray(name, name + MAX_SECTION_NAME_BYTES), 0) === '.gnu_debuglink')
      return textAt(await partAt(file, sections, at, section, wordBytes), 0);
  }
  return null;
}

/** Reads the part of the file that a table entry describes. */
function partAt(file: FileHandle, table: DataView, entry: number, { at, length }: Part, wordBytes: 4 | 8) {
  return bytesAt(file, wordAt(table, entry + at, wordBytes), wordAt(table, entry + length, wordBytes));
}

async function bytesAt(file: FileHandle, at: number, length: number): Promise<Uint8Array> {
  const buffer = new Uint8Array(Math.min(length, MAX_BYTES));
  const { bytesRead } = await file.read(buffer, 0, buffer.length, at);
  return buffer.subarray(0, bytesRead);
}

function wordAt(view: DataView, at: number, bytes: 4 | 8): number {
  return bytes === 4 ? view.getUint32(at, true) : Number(view.getBigUint64(at, true));
}
