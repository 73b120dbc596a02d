/**
 * The options of `ptflame values`.
 */
import * as z from 'zod';
import { flag, group } from '../../usage/flag.js';
import { memoize } from '../../usage/memoize.js';
import { answering, limit, reading, replaying, selection, windowed } from '../shared.js';
import { path } from '../values/values.js';

export const ValuesOptions = memoize(() =>
  z.object({
    field: path,
    inputs: z.array(path).min(1),
    ...group('Output', {
      by: flag(
        z.enum(['value', 'thread', 'function']).default('value'),
        'show a row for each value, thread, or function with what it called (needs an Intel PT trace)',
        { common: 'show a row for each of them' },
      ),
      step: flag(
        z.number('must be a number').positive('must be more than 0').optional(),
        'size of the ranges of the histogram (default: powers of two)',
        { formats: ['text', 'json'], common: 'size of the ranges of the histogram' },
      ),
      top: limit(
        20,
        'maximum number of rows; 0: all (JSON and CSV: all)',
        ['text'],
        'maximum number of rows, 0 for all',
      ),
      ...answering(),
    }),
    ...windowed(),
    ...selection(),
    ...replaying(),
    ...reading(),
  }),
);
export type ValuesOptions = z.infer<ReturnType<typeof ValuesOptions>>;
