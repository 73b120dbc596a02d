/**
 * The options of `ptflame diff`.
 */
import * as z from 'zod';
import { flag, group } from '../usage/flag.js';
import { memoize } from '../usage/memoize.js';
import { csv, json, limit, matching, reading, shown } from './shared.js';
import { path } from './values/values.js';

export const DiffOptions = memoize(() =>
  z.object({
    before: path,
    after: path,
    ...group('Output', {
      sort: flag(z.enum(['self', 'total', 'calls', 'avg']).default('self'), 'sort by the change of this column'),
      top: limit(40, 'maximum number of functions; 0: all (JSON and CSV: all)', ['text']),
      json,
      csv,
    }),
    ...matching(),
    ...shown(),
    ...reading(),
  }),
);
export type DiffOptions = z.infer<ReturnType<typeof DiffOptions>>;
