/**
 * The options of `ptflame info`.
 */
import * as z from 'zod';
import { flag, group } from '../usage/flag.js';
import { memoize } from '../usage/memoize.js';
import { decoding, general, outputs, symfs } from './shared.js';
import { path } from './values/values.js';

export const InfoOptions = memoize(() =>
  z.object({
    file: path,
    ...group('Output', {
      output: outputs('write FILE.txt or .json instead of printing; may be repeated'),
      json: flag(z.boolean().default(false), 'print JSON, for programs: docs/perf-data.md', {
        common: 'print JSON, for programs',
      }),
    }),
    ...group('Input', { symfs, wakes: decoding().wakes }),
    ...general(),
  }),
);
export type InfoOptions = z.infer<ReturnType<typeof InfoOptions>>;
