/**
 * Paths in a pack, which is a tar archive compressed with gzip.
 */

/** The first file, which describes the contents. */
export const MANIFEST = 'ptflame-pack.json';
export const PACK_PATHS = {
  /** A file, or the directory that `perf record --kcore` writes. */
  recording: 'recording',
  /** Root of the packed binaries: each has its original path below it. */
  root: 'root',
  /** perf's cache by build id, for the vdso. With --symfs, perf looks for the vdso nowhere else. */
  buildIdCache: 'root/.debug',
  kallsyms: 'kallsyms',
} as const;
