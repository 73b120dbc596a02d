/**
 * The options of `ptflame fleet`.
 */
import * as z from 'zod';
import { flag, group } from '../usage/flag.js';
import { memoize } from '../usage/memoize.js';
import { answering, general, limit, matching, resources } from './shared.js';
import { path } from './values/values.js';

export const FleetOptions = memoize(() =>
  z.object({
    directory: path,
    ...group('Question', {
      compare: flag(z.enum(['build', 'host']).optional(), 'show what became slower from one build or host to another', {
        common: 'show what became slower from one to another',
        formerly: { by: null },
      }),
      from: flag(
        z.string().optional(),
        'with --compare: the build or host to start from (default: the older one of two)',
        {
          common: 'with --compare: the build or host to start from',
        },
      ),
      against: flag(z.string().optional(), 'with --compare: the build or host to compare with it', {
        common: 'with --compare: the one to compare with it',
      }),
      outliers: flag(z.boolean().default(false), 'show hosts on which a function is unlike the others of the build', {
        common: 'hosts on which a function is unlike the others',
      }),
      minShare: flag(
        z.number('must be a number').min(0, 'must be 0 or more').max(100, 'must be 100 or less').default(0.01),
        'with --compare and --outliers: leave out functions with less of the time, as rare calls vary by chance',
        { value: 'PERCENT' },
      ),
      sql: flag(z.string().optional(), 'run a SELECT on the tables and views of docs/fleet.md', {
        value: 'QUERY',
        common: 'run a SELECT on the tables of docs/fleet.md',
      }),
    }),
    ...matching(),
    ...group('Output', {
      top: limit(
        40,
        'maximum number of rows; 0: all (JSON and CSV: all)',
        ['text'],
        'maximum number of rows, 0 for all',
      ),
      ...answering(),
    }),
    ...resources(),
    ...general(),
  }),
);
export type FleetOptions = z.infer<ReturnType<typeof FleetOptions>>;
