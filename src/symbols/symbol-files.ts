/**
 * Where symbols are read from: the files of this machine, or those of a test; and where perf looks for them.
 */
import { namesIn, openIfFile, openRef, ownVdso } from '../host/files.js';
import { type FileRef, type OpenFile, readFully } from '../model/open-file.js';
import { type ByteSource, sourceOf } from './byte-source.js';
import { buildIdOf, debugLinkOf, type ElfFile, readElf, SectionType } from './elf-file.js';

export interface SymbolFiles {
  /** Returns null if the file does not exist or cannot be read. The caller closes it. */
  open(path: string): OpenSymbolFile | null;
  /** Returns the names in a folder, in order; none if it cannot be read. Absent: folders are not known. */
  namesIn?(folder: string): string[];
}

export interface OpenSymbolFile extends ByteSource {
  close(): void;
}

/** Where to look for symbols. */
export interface SymbolRoots {
  /** Prefix of every path (`--symfs`); empty for none. */
  readonly root: string;
  /** perf's copies of binaries by build id (`~/.debug`); null for none. */
  readonly cache: string | null;
  /** Files of debuginfod, by build id; null for none. */
  readonly debuginfod?: string | null;
}

/** Files by their path; null: those of this machine. Plain data. */
export type SymbolFileRefs = ReadonlyMap<string, FileRef> | null;

/** Returns the same files in any thread. */
export function symbolFiles(refs: SymbolFileRefs): SymbolFiles {
  if (refs === null) return DISK_FILES;
  return {
    open: (path) => {
      const ref = refs.get(path);
      return ref === undefined ? null : sourceOfFile(openRef(ref));
    },
  };
}

/** Opens files of this machine. */
export const DISK_FILES: SymbolFiles = {
  open: (path) => {
    if (path === VDSO) return openOwnVdso();
    const file = openIfFile(path);
    return file && sourceOfFile(file, () => file.close());
  },
  namesIn,
};

export function sourceOfFile(file: OpenFile, close = () => {}): OpenSymbolFile {
  const read = (at: number, length: number) => {
    const bytes = new Uint8Array(length);
    return bytes.subarray(0, readFully(file, bytes, at));
  };
  return { length: file.sizeBytes, read, close };
}

/** As perf does: the kernel maps the same code into every process. */
function openOwnVdso(): OpenSymbolFile | null {
  const bytes = ownVdso();
  return bytes && { ...sourceOf(bytes), close: () => {} };
}

/**
 * Checks that a downloaded file is a complete binary, and returns its build id.
 *
 * Returns null if the file is missing, not an x86-64 binary, incomplete, or without a build id.
 */
export function completeBuildId(path: string, files: SymbolFiles): string | null {
  const file = files.open(path);
  if (file === null) return null;
  try {
    const { elf } = readElf(file);
    if (elf === null || elf.sections.length === 0) return null;
    const isComplete = elf.sections.every(
      ({ type, offset, length }) => type === SectionType.NoBits || offset + length <= file.length,
    );
    return isComplete ? buildIdOf(elf) : null;
  } finally {
    file.close();
  }
}

// Which files may have the symbols of a binary, in the order in which perf tries them.

/** Code that the kernel maps into each process: not a path. */
export const VDSO = '[vdso]';
/** Where distributions install debug information. */
export const DEBUG_ROOT = '/usr/lib/debug';

/** Returns where the binary itself may be: perf keeps copies of recorded binaries. */
export function binaryPaths(path: string, buildId: string | null, roots: SymbolRoots): string[] {
  if (path === VDSO) return vdsoPaths(buildId, roots);
  const recorded = CLIMBING.test(path) ? [] : [roots.root + path];
  return [...cachedPaths(buildId, roots, 'elf'), ...recorded, ...debuginfodPaths(buildId, roots, 'executable')];
}

/** The kernel never records such a path; it could lead out of the root. */
const CLIMBING = /(?:^|\/)\.\.(?:\/|$)/;

/** As perf does: this machine's own only if nothing says which one it was. */
function vdsoPaths(buildId: string | null, roots: SymbolRoots): string[] {
  if (buildId !== null) return cachedPaths(buildId, roots, 'vdso');
  return roots.root === '' || roots.root === '/' ? [VDSO] : [];
}

/** Returns where else its symbols may be. `binary` is null if it is missing. */
export function debugPaths(path: string, binary: ElfFile | null, buildId: string | null, roots: SymbolRoots): string[] {
  const { root } = roots;
  const link = binary === null ? null : debugLinkOf(binary);
  const folder = path.slice(0, path.lastIndexOf('/'));
  return [
    ...(link === null ? [] : linkedPaths(folder, link).map((linked) => root + linked)),
    ...cachedPaths(buildId, roots, 'debug'),
    `${root}${DEBUG_ROOT}${path}.debug`,
    `${root}${DEBUG_ROOT}${path}`,
    ...installedPaths(buildId, roots),
  ];
}

/** Returns where a file with debug information may be that is known by its build id alone. */
export function pathsOfId(buildId: string, roots: SymbolRoots): string[] {
  return [...cachedPaths(buildId, roots, 'debug'), ...installedPaths(buildId, roots)];
}

function installedPaths(buildId: string | null, roots: SymbolRoots): string[] {
  if (buildId === null) return [];
  const installed = `${roots.root}${DEBUG_ROOT}/.build-id/${idPath(buildId)}.debug`;
  return [installed, ...debuginfodPaths(buildId, roots, 'debuginfo')];
}

function linkedPaths(folder: string, link: string): string[] {
  return [`${folder}/${link}`, `${folder}/.debug/${link}`, `${DEBUG_ROOT}${folder}/${link}`];
}

function debuginfodPaths(buildId: string | null, { debuginfod = null }: SymbolRoots, kind: string): string[] {
  return debuginfod === null || buildId === null ? [] : [`${debuginfod}/${buildId}/${kind}`];
}

/** `~/.debug/.build-id/xx/yyyy` is a folder that contains the file; with an old perf it is the file. */
function cachedPaths(buildId: string | null, { cache }: SymbolRoots, kind: 'elf' | 'debug' | 'vdso'): string[] {
  if (cache === null || buildId === null) return [];
  const entry = `${cache}/.build-id/${idPath(buildId)}`;
  return kind === 'elf' ? [`${entry}/elf`, entry] : [`${entry}/${kind}`];
}

function idPath(buildId: string): string {
  return `${buildId.slice(0, 2)}/${buildId.slice(2)}`;
}
