/**
 * The first file of a pack: what it holds. A pack is a tar archive, compressed by gzip.
 */
import * as z from 'zod';

export const MANIFEST = 'ptflame-pack.json';
export const PACKED = {
  /** A file, or the directory of `perf record --kcore`. */
  recording: 'recording',
  /** Files of the machine, by their paths below it. */
  root: 'root',
  /** What perf keeps by build id: the vdso. Beside --symfs it looks for it nowhere else. */
  buildIdCache: 'root/.debug',
  kallsyms: 'kallsyms',
} as const;

export const Manifest = z.object({
  format: z.literal('ptflame-pack'),
  version: z.literal(1),
  /** What the recording was called. */
  name: z.string(),
  /** Files whose code cannot be decoded. */
  missing: z.array(z.object({ path: z.string(), why: z.enum(['missing', 'changed', 'unreadable']) })),
  hasKallsyms: z.boolean(),
});
export type Manifest = z.infer<typeof Manifest>;
