/**
 * The options of `ptflame latency`.
 */
import * as z from 'zod';
import type { FunctionPattern } from '../../src/index.js';
import { PtflameError } from '../../src/text.js';
import { flag, group } from '../usage/flag.js';
import { durations, expression, parseFunction } from './question-values.js';
import { atMost, json, reading, shown } from './shared.js';
import { path } from './values.js';

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

/** @throws PtflameError BAD_OPTION for what is no regular expression */
export function patternOf({ function: text, regex: isRegex }: LatencyOptions): FunctionPattern {
  const pattern = isRegex ? expression(text) : parseFunction(text);
  if (pattern !== null) return pattern;
  throw new PtflameError('BAD_OPTION', `${text} is no regular expression`, { hint: 'see ptflame latency --help' });
}
