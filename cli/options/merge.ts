/**
 * The options of `ptflame merge`.
 */
import * as z from 'zod';
import { OWN_FORMATS } from '../output/formats.js';
import { flag, group } from '../usage/flag.js';
import { memoize } from '../usage/memoize.js';
import { RenderOptions } from './render.js';
import { general, outputs, resources } from './shared.js';
import { path } from './values/values.js';

/** Those that need no more than sums. */
export const MERGED_FORMATS = [...OWN_FORMATS, 'pprof'] as const;

export const MergeOptions = memoize(() => {
  const { title, icicle, width, minPx, annotate, minNs, maxFolded } = RenderOptions().shape;
  return z.object({
    inputs: z.array(path).min(1),
    ...group('Output', {
      output: outputs(
        'where to write; - is standard output (default); may be repeated',
        'where to write; the ending of FILE selects the format',
      ),
      format: flag(
        z.enum(MERGED_FORMATS).optional(),
        'format of all outputs (default: by the ending of FILE, else folded)',
      ),
      by: flag(z.enum(['comm', 'host', 'build']).default('comm'), 'what to keep apart; build: not known of profiles', {
        common: 'what to keep apart',
      }),
    }),
    ...{ title, icicle, width, minPx, annotate, minNs, maxFolded },
    ...resources(),
    ...general(),
  });
});
export type MergeOptions = z.infer<ReturnType<typeof MergeOptions>>;
