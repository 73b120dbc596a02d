/**
 * The options of `ptflame demo`.
 */
import * as z from 'zod';
import { group } from '../usage/flag.js';
import { memoize } from '../usage/memoize.js';
import { general, outputs } from './shared.js';

export const DemoOptions = memoize(() =>
  z.object({
    ...group('Output', {
      output: outputs(
        'where to write (default: flame.html); may be repeated',
        'where to write; the ending of FILE selects the format',
      ),
    }),
    ...general(),
  }),
);
export type DemoOptions = z.infer<ReturnType<typeof DemoOptions>>;
