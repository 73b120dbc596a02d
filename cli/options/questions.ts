/**
 * The flags of the commands that answer questions: `report`, `latency`, `stacks` and `diff`.
 */
import * as z from 'zod';
import type { FunctionPattern } from '../../src/index.js';
import { PtflameError } from '../../src/text.js';
import { flag, group } from '../usage/flag.js';
import { decoding, filters, general, path, regex, replaying, resources, selection } from './shared.js';
import { durations, expression, moment, parseFunction } from './values.js';

/** What of which trace is looked at, and how. */
const shown = { ...selection, ...filters, ...replaying };
const reading = { ...decoding, ...resources, ...general };

const json = flag(z.boolean().default(false), 'print JSON, for programs: docs/answers.md');
const csv = flag(z.boolean().default(false), 'print comma-separated values, for spreadsheets');
const match = flag(regex.optional(), 'only functions whose name matches', { value: 'REGEX' });
const matching = group('What is shown', { match });
const atMost = (most: number, description: string, formats: readonly string[]) =>
  flag(z.number('is a number').int('is a whole number').min(0, 'is 0 or more').default(most), description, { formats });

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

export const LatencyOptions = z.object({
  function: path,
  inputs: z.array(path).min(1),
  ...group('Output', {
    slowest: atMost(0, 'show the N longest calls one by one, beside the average call (not with --csv)', [
      'text',
      'json',
    ]),
    byCaller: flag(z.boolean().default(false), 'repeat it for each caller (JSON always has the callers)', {
      formats: ['text', 'csv'],
    }),
    top: atMost(20, 'how many rows a table has (JSON and CSV have all)', ['text']),
    json,
    csv: flag(z.boolean().default(false), 'print what was called (by each caller, with --by-caller) as CSV'),
  }),
  ...group('What is shown', {
    regex: flag(z.boolean().default(false), 'FUNCTION is a regular expression; take all that it matches together'),
    latency: flag(durations.optional(), 'only calls that took so long, such as 1ms,10ms; one bound may be left out', {
      value: 'MIN,MAX',
    }),
  }),
  ...shown,
  ...reading,
});
export type LatencyOptions = z.infer<typeof LatencyOptions>;

export const StacksOptions = z.object({
  inputs: z.array(path).min(1),
  ...group('What is shown', {
    at: flag(moment, "when: +10ms from the start, or a time on perf's clock", { value: 'TIME' }),
  }),
  ...group('Output', { json }),
  ...selection,
  ...replaying,
  ...reading,
});
export type StacksOptions = z.infer<typeof StacksOptions>;

export const DiffOptions = z.object({
  before: path,
  after: path,
  ...group('Output', {
    sort: flag(z.enum(['self', 'total', 'calls', 'avg']).default('self'), 'whose change comes first'),
    top: atMost(40, 'how many functions; 0 is all (JSON and CSV have all)', ['text']),
    json,
    csv,
  }),
  ...matching,
  ...shown,
  ...reading,
});
export type DiffOptions = z.infer<typeof DiffOptions>;

/** @throws PtflameError BAD_OPTION for what is no regular expression */
export function patternOf({ function: text, regex: isRegex }: LatencyOptions): FunctionPattern {
  const pattern = isRegex ? expression(text) : parseFunction(text);
  if (pattern !== null) return pattern;
  throw new PtflameError('BAD_OPTION', `${text} is no regular expression`, { hint: 'see ptflame latency --help' });
}
