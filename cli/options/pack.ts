/**
 * The options of `ptflame pack`.
 */
import * as z from 'zod';
import { flag, group } from '../usage/flag.js';
import { decoding, general } from './shared.js';
import { path } from './values/values.js';

export const PackOptions = z.object({
  recording: path,
  ...group('Output', { output: flag(path, 'where to write the pack', { alias: 'o', value: 'FILE' }) }),
  symfs: decoding.symfs,
  kallsyms: decoding.kallsyms,
  ...general,
});
export type PackOptions = z.infer<typeof PackOptions>;
