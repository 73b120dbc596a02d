/**
 * The options of `ptflame locks`.
 */
import * as z from 'zod';
import { flag, group } from '../../usage/flag.js';
import { memoize } from '../../usage/memoize.js';
import { answering, limit, reading, replaying, selection, windowed } from '../shared.js';
import { path } from '../values/values.js';

const address = z.string().regex(/^(0x)?[0-9a-f]+$/i, 'must be an address, such as 0x7f0012345678');

export const LocksOptions = memoize(() =>
  z.object({
    inputs: z.array(path).min(1),
    ...group('Output', {
      top: limit(
        20,
        'maximum number of rows of a table; 0: all (JSON and CSV: all)',
        ['text'],
        'maximum number of rows, 0 for all',
      ),
      slowest: limit(
        0,
        'show each of the N longest waits for locks, and for whom (not with --csv)',
        ['text', 'json'],
        'the N longest waits for locks, and for whom',
      ),
      ...answering(),
    }),
    ...group('Selection', {
      lock: flag(address.optional(), 'only the lock at this address', { value: 'ADDRESS', common: true }),
    }),
    ...windowed(),
    ...selection(),
    ...replaying(),
    ...reading(),
  }),
);
export type LocksOptions = z.infer<ReturnType<typeof LocksOptions>>;
