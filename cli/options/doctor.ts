/**
 * The options of `ptflame doctor`.
 */
import * as z from 'zod';
import { flag, group } from '../usage/flag.js';
import { memoize } from '../usage/memoize.js';
import { auxSize, general, perf } from './shared.js';
import { path } from './values/values.js';

export const DoctorOptions = memoize(() =>
  z.object({
    ...group('What to check', {
      auxSize,
      output: flag(path.default('perf.data'), 'where the recording would be written', { alias: 'o', value: 'FILE' }),
      perf,
    }),
    ...group('What to fix', {
      fix: flag(z.boolean().default(false), 'remove the probes that killed recordings left behind', { common: true }),
    }),
    ...group('Output', {
      json: flag(z.boolean().default(false), 'print JSON, for programs: docs/recording.md', {
        common: 'print JSON, for programs',
      }),
    }),
    ...general(),
  }),
);
export type DoctorOptions = z.infer<ReturnType<typeof DoctorOptions>>;
