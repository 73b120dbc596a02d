/**
 * The options of `ptflame report`.
 */
import * as z from 'zod';
import { flag, group } from '../usage/flag.js';
import { csv, json, matching, reading, shown } from './shared.js';
import { path } from './values.js';

export const ReportOptions = z.object({
  inputs: z.array(path).min(1),
  ...group('Output', {
    sort: flag(
      z.enum(['total', 'self', 'outside', 'calls', 'avg', 'max', 'p99', 'name']).default('total'),
      'what comes first',
    ),
    top: flag(
      z.number('is a number').int('is a whole number').min(0, 'is 0 or more').optional(),
      'how many functions; 0 is all (default: 40; JSON and CSV: all)',
    ),
    threads: flag(z.boolean().default(false), 'repeat the table for each thread'),
    json,
    csv,
  }),
  ...matching,
  ...shown,
  ...reading,
});
export type ReportOptions = z.infer<typeof ReportOptions>;
