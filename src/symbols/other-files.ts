/**
 * Finds the other files that debug information refers to: those of split units, and the one that dwz moved to what several files
 * have in common. A recorded path is looked for below the root of all paths, and beside the binary, where builds are copied.
 */

import { partOf, textAt } from './byte-source.js';
import { DEBUG_ROOT, pathsOfId } from './candidates.js';
import { ByteReader, orNull } from './dwarf/byte-reader.js';
import type { OtherFiles } from './dwarf/reading.js';
import { PACKAGE_INDEX } from './dwarf/sections.js';
import { type ElfFile, readElf, sectionNamed } from './elf-file.js';
import { buildIdOf, hexOf } from './identity.js';
import type { OpenSymbolFile, SymbolFiles, SymbolRoots } from './symbol-files.js';

export interface OtherFilesOptions {
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

export function otherFiles({
  files,
  roots,
  binary,
  elf,
  path,
  onMissing,
  onFound,
  opened,
}: OtherFilesOptions): OtherFiles {
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
  if (name !== '') return { name, id: hexOf(link.subarray(link.indexOf(0) + 1)) };
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
    return { name, id: hexOf(reader.bytes.subarray(at, at + length)) };
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
