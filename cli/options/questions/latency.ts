/**
 * The options of `ptflame latency`.
 */
import * as z from 'zod';
import type { FunctionPattern } from '../../../src/profiles.js';
import { PtflameError } from '../../../src/text.js';
import { flag, group } from '../../usage/flag.js';
import { memoize } from '../../usage/memoize.js';
import { json, limit, outputs, reading, shown, srcline } from '../shared.js';
import { durations, expression, parseFunction } from '../values/question-values.js';
import { path } from '../values/values.js';

export const LatencyOptions = memoize(() =>
  z.object({
    function: path,
    inputs: z.array(path).min(1),
    ...group('Output', {
      slowest: limit(
        0,
        'show each of the N longest calls, compared with the average (not with --csv)',
        ['text', 'json'],
        'what was different in the N longest calls',
      ),
      byCaller: flag(z.boolean().default(false), 'repeat the tables for each caller (JSON always has the callers)', {
        formats: ['text', 'csv'],
        common: 'repeat the tables for each caller',
      }),
      top: limit(
        20,
        'maximum number of rows of a table; 0: all (JSON and CSV: all)',
        ['text'],
        'maximum number of rows, 0 for all',
      ),
      json,
      timeline: flag(
        z.boolean().default(false),
        'plot when calls began and how long they took: a dot for each, a heat map for more than 4,096',
        { formats: ['text', 'json'], common: 'plot when calls began and how long they took' },
      ),
      heatmap: flag(z.boolean().default(false), 'like --timeline, but as a heat map also for few calls', {
        formats: ['text', 'json'],
      }),
      output: outputs('write the plot as SVG, instead of printing it', 'write the plot as SVG'),
      csv: flag(z.boolean().default(false), 'print the callees (with --by-caller: by caller) as CSV', {
        common: 'print the callees as CSV',
      }),
    }),
    ...group('Selection', {
      regex: flag(z.boolean().default(false), 'FUNCTION is a regular expression; all matches are analyzed together'),
      latency: flag(durations.optional(), 'only calls of this duration, such as 1ms,10ms; either may be omitted', {
        value: 'MIN,MAX',
      }),
    }),
    ...srcline(),
    ...shown(),
    ...reading(),
  }),
);
export type LatencyOptions = z.infer<ReturnType<typeof LatencyOptions>>;

/** @throws PtflameError BAD_OPTION for an invalid regular expression */
export function latencyPattern({ function: text, regex: isRegex }: LatencyOptions): FunctionPattern {
  const pattern = isRegex ? expression(text) : parseFunction(text);
  if (pattern !== null) return pattern;
  throw new PtflameError('BAD_OPTION', `${text} is not a valid regular expression`, {
    hint: 'see ptflame latency --help',
  });
}
