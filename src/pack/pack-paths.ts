/**
 * A pack is a tar archive, compressed by gzip: what is where in it.
 */

/** The first file: what the pack holds. */
export const MANIFEST = 'ptflame-pack.json';
export const PACK_PATHS = {
  /** A file, or the directory of `perf record --kcore`. */
  recording: 'recording',
  /** Files of the machine, by their paths below it. */
  root: 'root',
  /** What perf keeps by build id: the vdso. Beside --symfs it looks for it nowhere else. */
  buildIdCache: 'root/.debug',
  kallsyms: 'kallsyms',
} as const;
