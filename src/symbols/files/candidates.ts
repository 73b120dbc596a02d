/**
 * A binary → the files that may have its symbols, in the order in which perf tries them.
 */

import type { ElfFile } from '../elf/elf-file.js';
import { debugLinkOf } from '../elf/identity.js';
import type { SymbolPlaces } from './symbol-files.js';

/** Code that the kernel lends to each process: its name stands for no path. */
export const VDSO = '[vdso]';
const DEBUG_ROOT = '/usr/lib/debug';

/** Where the binary itself may be: perf keeps copies of what it recorded. */
export function binaryPaths(path: string, buildId: string | null, places: SymbolPlaces): string[] {
  if (path === VDSO) return [...cachedPaths(buildId, places, 'vdso'), VDSO];
  return [...cachedPaths(buildId, places, 'elf'), places.root + path];
}

/** Where its symbols may be, besides the binary. `binary` is null if it is gone. */
export function debugPaths(
  path: string,
  binary: ElfFile | null,
  buildId: string | null,
  places: SymbolPlaces,
): string[] {
  const { root } = places;
  const link = binary === null ? null : debugLinkOf(binary);
  const folder = path.slice(0, path.lastIndexOf('/'));
  return [
    ...(link === null ? [] : linkedPaths(folder, link).map((linked) => root + linked)),
    ...cachedPaths(buildId, places, 'debug'),
    `${root}${DEBUG_ROOT}${path}.debug`,
    `${root}${DEBUG_ROOT}${path}`,
    ...(buildId === null ? [] : [`${root}${DEBUG_ROOT}/.build-id/${idPath(buildId)}.debug`]),
  ];
}

function linkedPaths(folder: string, link: string): string[] {
  return [`${folder}/${link}`, `${folder}/.debug/${link}`, `${DEBUG_ROOT}${folder}/${link}`];
}

/** `~/.debug/.build-id/xx/yyyy` is a folder with the file in it; that of an old perf is the file. */
function cachedPaths(buildId: string | null, { cache }: SymbolPlaces, kind: 'elf' | 'debug' | 'vdso'): string[] {
  if (cache === null || buildId === null) return [];
  const entry = `${cache}/.build-id/${idPath(buildId)}`;
  return kind === 'elf' ? [`${entry}/elf`, entry] : [`${entry}/${kind}`];
}

function idPath(buildId: string): string {
  return `${buildId.slice(0, 2)}/${buildId.slice(2)}`;
}
