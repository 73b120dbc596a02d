/**
 * Finds the binaries of a recording, where perf looks for them.
 */
import type { Recording } from '../../perfdata/recording.js';
import { binaryPaths, DISK_FILES, type SymbolRoots, VDSO } from '../../symbols/symbol-files.js';

export interface FoundBinaries {
  /** Path by recorded path (bytes as latin1 characters), of those that can be read and decoded. */
  readonly paths: ReadonlyMap<string, string>;
  /** The recorded paths of those that have 32-bit code. */
  readonly narrow: readonly string[];
}

/**
 * As perf does: a copy with the recorded build id, else whatever has the recorded path now. `fetched`: by recorded path, instead
 * of both.
 */
export function findBinaries(
  { sideband, buildIds }: Recording,
  roots: SymbolRoots,
  fetched: ReadonlyMap<string, string> = new Map(),
): FoundBinaries {
  const buildIdOf = new Map(buildIds.map(({ file, buildId }) => [file, buildId]));
  const paths = new Map<string, string>();
  const narrow: string[] = [];
  for (const file of new Set(sideband.flatMap(({ record }) => (record.what === 'mmap' ? [record.file] : [])))) {
    if (!file.startsWith('/') && file !== VDSO) continue;
    const path = Buffer.from(file, 'latin1').toString();
    const copy = fetched.get(path);
    const found = firstReadable([...(copy ? [copy] : []), ...binaryPaths(path, buildIdOf.get(path) ?? null, roots)]);
    if (found?.isNarrow) narrow.push(path);
    else if (found) paths.set(file, found.path);
  }
  return { paths, narrow };
}

/** Bytes of an ELF file that tell how wide its addresses are. */
const HEAD_BYTES = 5;
const ELF = '\x7fELF';
const NARROW = 1;

function firstReadable(candidates: readonly string[]): { readonly path: string; readonly isNarrow: boolean } | null {
  for (const path of candidates) {
    const file = DISK_FILES.open(path);
    if (file === null) continue;
    const head = file.read(0, HEAD_BYTES);
    file.close();
    return { path, isNarrow: head[4] === NARROW && Buffer.from(head.subarray(0, 4)).toString('latin1') === ELF };
  }
  return null;
}
