/**
 * The options of `ptflame serve`.
 */
import * as z from 'zod';
import { flag, group } from '../usage/flag.js';
import { memoize } from '../usage/memoize.js';
import { general, replaying, resources } from './shared.js';
import { path } from './values/values.js';

export const ServeOptions = memoize(() =>
  z.object({
    trace: path,
    ...group('Server', {
      port: flag(
        z
          .number('must be a number')
          .int('must be a whole number')
          .min(0, 'must be 0 or more')
          .max(65_535, 'must be 65535 or less')
          .default(0),
        'port on 127.0.0.1 (default: any that is free)',
        { common: 'port on 127.0.0.1' },
      ),
      levels: flag(
        path.optional(),
        'where all calls are kept, so that the next start need not replay the trace (default: TRACE.levels)',
        { value: 'FILE', common: 'where to keep all calls (default: TRACE.levels)' },
      ),
    }),
    ...replaying(),
    ...resources(),
    ...general(),
  }),
);
export type ServeOptions = z.infer<ReturnType<typeof ServeOptions>>;
