/**
 * The options of `ptflame pack`.
 */
import * as z from 'zod';
import { flag, group } from '../usage/flag.js';
import { memoize } from '../usage/memoize.js';
import { decoding, general } from './shared.js';
import { path } from './values/values.js';

export const PackOptions = memoize(() =>
  z.object({
    recording: path,
    ...group('Output', { output: flag(path, 'where to write the pack', { alias: 'o', value: 'FILE', common: true }) }),
    symfs: decoding().symfs,
    kallsyms: decoding().kallsyms,
    ...general(),
  }),
);
export type PackOptions = z.infer<ReturnType<typeof PackOptions>>;
