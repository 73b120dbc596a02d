/**
 * Lists the files that may have the symbols of a binary, in the order in which perf tries them.
 */

import type { ElfFile } from './elf-file.js';
import { debugLinkOf } from './identity.js';
import type { SymbolRoots } from './symbol-files.js';

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
