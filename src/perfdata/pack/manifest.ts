/**
 * What a pack has besides a recording and its binaries: the manifest, and what was recorded next to the recording.
 */
import * as z from 'zod';

/** The manifest: the first file of a pack, which describes its contents. */
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

/** Wakings of the whole machine and formats of events, next to a recording: the ends of their names, and how they begin. */
export const SIDE_FILES: Readonly<Record<string, RegExp>> = {
  '.wakes.data': /^(?:PERFILE2|2ELIFREP)/,
  '.formats': /^event [\w-]+:[\w-]+\n/,
};

/** The ends of all names next to a recording: also of notes of how it was made. */
export const BESIDE: readonly string[] = ['.ptflame.json', ...Object.keys(SIDE_FILES)];
