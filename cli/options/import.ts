/**
 * The options of `ptflame import`.
 */
import * as z from 'zod';
import { flag, group } from '../usage/flag.js';
import { memoize } from '../usage/memoize.js';
import { decoding, general, resources, selection } from './shared.js';
import { path } from './values/values.js';

export const ImportOptions = memoize(() =>
  z.object({
    inputs: z.array(path).min(1),
    ...group('Output', {
      output: flag(path, 'where to write the trace; - is standard output', {
        alias: 'o',
        value: 'FILE',
        common: 'where to write the trace',
      }),
    }),
    ...selection(),
    ...decoding(),
    ...resources(),
    ...general(),
  }),
);
export type ImportOptions = z.infer<ReturnType<typeof ImportOptions>>;
