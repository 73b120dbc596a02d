/**
 * The options of `ptflame report`.
 */
import * as z from 'zod';
import { flag, group } from '../../usage/flag.js';
import { memoize } from '../../usage/memoize.js';
import { answering, inline, matching, reading, shown, srcline } from '../shared.js';
import { path } from '../values/values.js';

export const ReportOptions = memoize(() =>
  z.object({
    inputs: z.array(path).min(1),
    ...group('Output', {
      sort: flag(
        z.enum(['total', 'self', 'outside', 'calls', 'avg', 'max', 'p99', 'name']).default('total'),
        'sort by this column',
        { common: true },
      ),
      top: flag(
        z.number('must be a number').int('must be a whole number').min(0, 'must be 0 or more').optional(),
        'maximum number of functions; 0: all (default: 40; JSON and CSV: all)',
        { common: 'maximum number of functions, 0 for all' },
      ),
      by: flag(z.enum(['none', 'thread']).default('none'), 'repeat the table for each thread', {
        common: true,
        formerly: { threads: 'thread' },
      }),
      ...answering(),
    }),
    ...srcline(),
    ...inline(),
    ...matching(),
    ...shown(),
    ...reading(),
  }),
);
export type ReportOptions = z.infer<ReturnType<typeof ReportOptions>>;
