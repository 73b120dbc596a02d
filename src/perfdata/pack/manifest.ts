/**
 * The manifest: the first file of a pack, which describes its contents.
 */
import * as z from 'zod';

export const Manifest = z.object({
  format: z.literal('ptflame-pack'),
  version: z.literal(1),
  /** File name of the recording. */
  name: z.string(),
  /** Files whose code cannot be decoded. */
  missing: z.array(z.object({ path: z.string(), why: z.enum(['missing', 'changed', 'unreadable']) })),
  hasKallsyms: z.boolean(),
});
export type Manifest = z.infer<typeof Manifest>;
