/**
 * Finds the binaries of a recording among dropped files: by build id, whatever their names, and by name only where the
 * recording has no build id.
 */
import type { NeededBinary } from '../messages.js';

export interface DroppedBinary {
  readonly name: string;
  /** null: it has none, or is no ELF file. */
  readonly buildId: string | null;
  /** Debug information alone has none. */
  readonly hasCode: boolean;
  readonly isNarrow: boolean;
}

export interface MappedFile {
  /** As recorded. */
  readonly path: string;
  /** null: not in the recording. */
  readonly buildId: string | null;
}

export interface MatchedBinaries<Binary> {
  readonly needed: readonly NeededBinary[];
  /** By the path where the decoder looks for it. */
  readonly at: ReadonlyMap<string, Binary>;
  readonly unused: readonly Binary[];
}

/** Where copies by build id are, as in perf's cache. */
export const CACHE = '.debug';

export function matchBinaries<Binary extends DroppedBinary>(
  mapped: readonly MappedFile[],
  dropped: readonly Binary[],
): MatchedBinaries<Binary> {
  const at = new Map<string, Binary>();
  const used = new Set<Binary>();
  const mount = (path: string, binary: Binary) => {
    at.set(path, binary);
    used.add(binary);
  };
  const needed = mapped.map(({ path, buildId }): NeededBinary => {
    const same = dropped.filter((own) => buildId !== null && own.buildId === buildId);
    const named = dropped.filter((own) => own.hasCode && own.name === path.slice(path.lastIndexOf('/') + 1));
    for (const own of same.filter(({ hasCode }) => !hasCode)) mount(cachedPath(own.buildId as string, 'debug'), own);
    const [binary] = buildId === null ? named : same.filter(({ hasCode }) => hasCode);
    if (binary === undefined) {
      const [other] = named;
      if (other === undefined) return { path, state: 'missing', wanted: buildId, found: null };
      used.add(other);
      return { path, state: 'other build', wanted: buildId, found: other.buildId };
    }
    mount(path, binary);
    return { path, state: binary.isNarrow ? '32-bit' : 'found', wanted: buildId, found: binary.buildId };
  });
  // debug information of files without a recorded build id, or by the build id that they have themselves
  const ids = new Set([...at.values()].map(({ buildId }) => buildId));
  for (const own of dropped)
    if (!own.hasCode && own.buildId !== null && ids.has(own.buildId)) mount(cachedPath(own.buildId, 'debug'), own);
  return { needed, at, unused: dropped.filter((own) => !used.has(own)) };
}

function cachedPath(buildId: string, kind: 'debug'): string {
  return `${CACHE}/.build-id/${buildId.slice(0, 2)}/${buildId.slice(2)}/${kind}`;
}
