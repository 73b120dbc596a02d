/**
 * Loads the symbols and the debug information of a binary from the first files that have them.
 */
import { hexText } from '../codec/bytes.js';
import { interruptibleNow } from '../host/turns.js';
import { type FunctionAround, functionBounds } from './bounds.js';
import { partOf, textAt } from './byte-source.js';
import { ByteReader, orNull } from './dwarf/byte-reader.js';
import { type OtherFiles, PACKAGE_INDEX } from './dwarf/reading.js';
import { buildIdOf, type ElfFile, readElf, sectionNamed } from './elf-file.js';
import {
  binaryPaths,
  DEBUG_ROOT,
  debugPaths,
  type OpenSymbolFile,
  pathsOfId,
  type SymbolFiles,
  type SymbolRoots,
} from './symbol-files.js';
import { buildSymbolTable, hasSymbols, type SymbolTable, type TableOptions } from './symbol-table.js';

interface OpenElf {
  readonly path: string;
  readonly elf: ElfFile;
  readonly buildId: string | null;
}

/** All opened files; closed when the table is built, which keeps copies of what it needs. */
interface Reader {
  readonly files: SymbolFiles;
  readonly opened: OpenSymbolFile[];
}

/** Returns the symbols of a binary; null: no file has them. `buildId` is the recorded one; null if unknown. */
export function loadBinary(
  path: string,
  buildId: string | null,
  files: SymbolFiles,
  roots: SymbolRoots,
  options: TableOptions,
): SymbolTable | null {
  return withReader(files, (reader) => {
    const { binary, debug } = findFiles(reader, path, buildId, roots);
    const symbols = debug ?? binary;
    return symbols && buildSymbolTable(symbols.elf, binary?.elf ?? symbols.elf, options);
  });
}

/** Finds functions by their bounds in the files that `loadBinary` reads. */
export function loadFunctions(
  path: string,
  buildId: string | null,
  files: SymbolFiles,
  roots: SymbolRoots,
): FunctionAround {
  return withReader(files, (reader) => {
    const { binary, debug } = findFiles(reader, path, buildId, roots);
    const symbols = debug ?? binary;
    return symbols === null ? () => null : functionBounds(symbols.elf, (binary ?? symbols).elf);
  });
}

/** Reads the files that `loadBinary` reads; null: there are none. */
export function readSymbols<T>(
  path: string,
  files: SymbolFiles,
  roots: SymbolRoots,
  read: (found: Pick<DebugInfo, 'elf' | 'runtime'>) => T,
): T | null {
  return withReader(files, (reader) => {
    const { binary, debug } = findFiles(reader, path, null, roots);
    return binary && read({ elf: (debug ?? binary).elf, runtime: binary.elf });
  });
}

/** Where lines of source code are, and where the rest is. */
export type DebugSection = '.debug_line' | '.debug_info';

/** Files whose names are told. */
const MAX_MISSING = 100;

/**
 * Finds the debug information of a binary: calls `find` with the first file that has this section, of those that `loadBinary`
 * reads. `onFound` receives the path of each package or file of dwz that it refers to and that is there.
 */
export function loadDebugInfo(
  path: string,
  buildId: string | null,
  files: SymbolFiles,
  roots: SymbolRoots,
  section: DebugSection,
  find: (found: DebugInfo) => void,
  onFound?: (path: string) => void,
): void {
  withReader(files, (reader) => {
    const { binary, debug } = findFiles(reader, path, buildId, roots);
    const found = [debug, binary].find((file) => file && sectionNamed(file.elf, section) !== null);
    if (!found) return;
    const missing = new Set<string>();
    const onMissing = (name: string) => {
      if (missing.size < MAX_MISSING) missing.add(name);
    };
    const place = { files, roots, binary: path, ...found, onMissing, onFound, opened: reader.opened };
    find({ path: found.path, elf: found.elf, runtime: (binary ?? found).elf, others: otherFiles(place), missing });
  });
}

/** The file with the debug information, and the binary that ran, which may be the same. */
export interface DebugInfo {
  readonly path: string;
  readonly elf: ElfFile;
  readonly runtime: ElfFile;
  /** The files that it refers to, and the names of those that were looked for in vain. */
  readonly others: OtherFiles;
  readonly missing: ReadonlySet<string>;
}

/** Returns the build id of a binary whose symbols are in no file; null: it has symbols, or its build id is unknown. */
export function buildIdWithoutSymbols(
  path: string,
  buildId: string | null,
  files: SymbolFiles,
  roots: SymbolRoots,
): string | null {
  return withReader(files, (reader) => {
    const { binary, debug } = findFiles(reader, path, buildId, roots);
    if (debug !== null || (binary !== null && hasSymbols(binary.elf))) return null;
    return buildId ?? binary?.buildId ?? null;
  });
}

/** A large file takes seconds, and a hostile one as long as it may. */
function withReader<T>(files: SymbolFiles, read: (reader: Reader) => T): T {
  const reader: Reader = { files, opened: [] };
  try {
    return interruptibleNow(() => read(reader));
  } finally {
    for (const file of reader.opened) file.close();
  }
}

interface FoundFiles {
  readonly binary: OpenElf | null;
  /** With debug symbols. */
  readonly debug: OpenElf | null;
}

function findFiles(reader: Reader, path: string, recordedId: string | null, roots: SymbolRoots): FoundFiles {
  const binary = firstOf(
    reader,
    binaryPaths(path, recordedId, roots),
    (id) => recordedId === null || id === recordedId,
  );
  const buildId = recordedId ?? binary?.buildId ?? null;
  const paths = debugPaths(path, binary?.elf ?? null, buildId, roots);
  const debug = firstOf(reader, paths, (id, elf) => hasSymbols(elf) && (buildId === null || id === buildId));
  return { binary, debug };
}

type IsWanted = (buildId: string | null, elf: ElfFile) => boolean;

function firstOf(reader: Reader, paths: readonly string[], isWanted: IsWanted): OpenElf | null {
  for (const path of paths) {
    const file = reader.files.open(path);
    if (file === null) continue;
    reader.opened.push(file);
    const { elf } = readElf(file);
    if (elf === null) continue;
    const buildId = buildIdOf(elf);
    if (isWanted(buildId, elf)) return { path, elf, buildId };
  }
  return null;
}

/**
 * Finds the other files that debug information refers to: those of split units, and the one that dwz moved to what several files
 * have in common. A recorded path is looked for below the root of all paths, and beside the binary, where builds are copied.
 */
interface OtherFilesOptions {
  readonly files: SymbolFiles;
  readonly roots: SymbolRoots;
  /** As recorded. */
  readonly binary: string;
  /** The file with the debug information, and where it was found. */
  readonly elf: ElfFile;
  readonly path: string;
  readonly onMissing: (name: string) => void;
  /** Called with the path of a package or a file of dwz. */
  readonly onFound?: ((path: string) => void) | undefined;
  /** Files that stay open until the binary is done. */
  readonly opened: OpenSymbolFile[];
}

/** Where distributions install what dwz made. */
const DWZ = '/.dwz/';
/** The names of files in debug information are short. */
const MAX_LINK_BYTES = 4096;

function otherFiles({ files, roots, binary, elf, path, onMissing, onFound, opened }: OtherFilesOptions): OtherFiles {
  const { root } = roots;
  const folders = unique([folderOf(path), root + folderOf(binary)]);
  const open = (at: string) => {
    const file = files.open(at);
    if (file === null) return null;
    const { elf: found } = readElf(file);
    if (found === null) file.close();
    return found && { file, elf: found };
  };
  const firstOf = (paths: readonly string[], isWanted: (elf: ElfFile) => boolean): ElfFile | null => {
    for (const at of unique(paths)) {
      const found = open(at);
      if (found === null) continue;
      opened.push(found.file);
      if (!isWanted(found.elf)) continue;
      onFound?.(at);
      return found.elf;
    }
    return null;
  };
  return {
    miss: onMissing,
    package: () =>
      firstOf(
        [path, path.replace(/\.debug$/, ''), root + binary, `${root}${DEBUG_ROOT}${binary}`].map((of) => `${of}.dwp`),
        (found) => sectionNamed(found, PACKAGE_INDEX) !== null,
      ),
    *split(name, directory) {
      const recorded = within('/', `${directory}/${name}`, name);
      const beside = folders.flatMap((folder) => [within(folder, name, ''), within(folder, baseOf(name), '')]);
      for (const at of unique([root + recorded, ...beside, `${root}${DEBUG_ROOT}${recorded}`])) {
        const found = open(at);
        if (found === null) continue;
        try {
          yield { path: at, elf: found.elf };
        } finally {
          found.file.close();
        }
      }
    },
    shared: () => {
      const link = sharedLink(elf);
      if (link === null) return null;
      const { name, id } = link;
      const place = path.startsWith(root) ? folderOf(path.slice(root.length)) : '/';
      const recorded = root + within('/', `${place}/${name}`, name);
      const beside = folders.map((folder) => `${folder}/${baseOf(name)}`);
      const installed = name.includes(DWZ) ? name.slice(name.indexOf(DWZ)) : DWZ + baseOf(name);
      const inDebugRoot = root + within(DEBUG_ROOT, installed, '');
      const found = firstOf([recorded, ...beside, inDebugRoot, ...pathsOfId(id, roots)], (other) => idOf(other) === id);
      if (found === null) onMissing(name);
      return found;
    },
  };
}

/** The file that dwz made, which others have in common, and its build id. */
export function sharedLink(elf: ElfFile): { readonly name: string; readonly id: string } | null {
  const link = linkBytes(elf, '.gnu_debugaltlink');
  const name = textAt(link, 0);
  if (name !== '') return { name, id: hexText(link.subarray(link.indexOf(0) + 1)) };
  return supplement(elf);
}

/** Version, whether the file is the one in common, its name, and its id (DWARF 5, 7.3.6). */
function supplement(elf: ElfFile): { readonly name: string; readonly id: string } | null {
  return orNull(() => {
    const reader = new ByteReader(linkBytes(elf, '.debug_sup'));
    reader.skip(3);
    const name = reader.text();
    const length = reader.uleb();
    const at = reader.skip(length);
    return { name, id: hexText(reader.bytes.subarray(at, at + length)) };
  });
}

function idOf(elf: ElfFile): string | null {
  return supplement(elf)?.id ?? buildIdOf(elf);
}

function linkBytes(elf: ElfFile, section: string): Uint8Array {
  const found = sectionNamed(elf, section);
  return found === null ? new Uint8Array(0) : partOf(elf.source, found.offset, Math.min(found.length, MAX_LINK_BYTES));
}

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/'));
}

function baseOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** Returns a path in a folder; one that climbs does not leave it. `absolute`: used instead if it begins with a slash. */
function within(folder: string, path: string, absolute: string): string {
  const parts: string[] = [];
  for (const part of (absolute.startsWith('/') ? absolute : path).split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return `${folder === '/' ? '' : folder}/${parts.join('/')}`;
}

function unique(paths: readonly string[]): string[] {
  return [...new Set(paths)];
}
