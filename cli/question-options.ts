/**
 * The flags of the commands that answer questions: `report`, `latency`, `stacks` and `diff`.
 */
import * as z from 'zod';
import { decoding, filters, flag, path, quiet, regex, replaying, resources, selection } from './options.js';
import { durations, moment } from './question-flags.js';

/** What of which trace is looked at, and how. */
const trace = { ...selection, ...filters, ...replaying, ...decoding, ...resources, quiet };

const json = flag(z.boolean().default(false), 'as JSON, for programs: docs/answers.md');
const csv = flag(z.boolean().default(false), 'as comma-separated values, for spreadsheets');
const matchHelp = 'only functions that this regular expression finds';
const match = flag(regex.optional(), matchHelp);
const atMost = (most: number, description: string) =>
  flag(z.number('is a number').int('is a whole number').min(0, 'is 0 or more').default(most), description);

export const ReportOptions = z.object({
  inputs: z.array(path).min(1),
  sort: flag(
    z.enum(['total', 'self', 'outside', 'calls', 'avg', 'max', 'p99', 'name']).default('total'),
    'what comes first',
  ),
  top: flag(
    z.number('is a number').int('is a whole number').min(0, 'is 0 or more').optional(),
    'how many functions; 0: all (default: 40, and all of them as JSON or CSV)',
  ),
  match,
  threads: flag(z.boolean().default(false), 'the same for each thread'),
  json,
  csv,
  ...trace,
});
export type ReportOptions = z.infer<typeof ReportOptions>;

export const LatencyOptions = z.object({
  function: path,
  inputs: z.array(path).min(1),
  regex: flag(z.boolean().default(false), 'FUNCTION is a regular expression; all that it finds are taken together'),
  latency: flag(durations.optional(), 'only calls that took MIN,MAX, as 1ms,10ms; one of the two may be left out'),
  slowest: atMost(0, 'tell of so many of the longest calls one by one, beside the average call'),
  byCaller: flag(z.boolean().default(false), 'the same for each caller'),
  top: atMost(20, 'how many rows of a table'),
  json,
  csv: flag(z.boolean().default(false), 'children (of each caller, with --by-caller) as comma-separated values'),
  ...trace,
});
export type LatencyOptions = z.infer<typeof LatencyOptions>;

export const StacksOptions = z.object({
  inputs: z.array(path).min(1),
  at: flag(moment, "when: +10ms from the start, or on perf's clock"),
  json,
  ...selection,
  ...replaying,
  ...decoding,
  ...resources,
  quiet,
});
export type StacksOptions = z.infer<typeof StacksOptions>;

export const DiffOptions = z.object({
  before: path,
  after: path,
  sort: flag(z.enum(['self', 'total', 'calls', 'avg']).default('self'), 'whose change comes first'),
  top: atMost(40, 'how many functions; 0: all'),
  match,
  json,
  csv,
  ...trace,
});
export type DiffOptions = z.infer<typeof DiffOptions>;
