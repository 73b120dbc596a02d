/**
 * The options of `ptflame latency`.
 */
import * as z from 'zod';
import { PtflameError } from '../../../src/model/errors.js';
import type { FunctionPattern } from '../../../src/pipeline/replay/find-functions.js';
import { type AnswerFormat, answerFormats } from '../../output/answer-files.js';
import { flag, group } from '../../usage/flag.js';
import { memoize } from '../../usage/memoize.js';
import { answering, limit, outputs, reading, regexFlag, shown, srcline } from '../shared.js';
import { durations, expression, parseFunction } from '../values/question-values.js';
import { path } from '../values/values.js';

const PLOTS = ['text', 'json', 'svg'];

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
      by: flag(
        z.enum(['none', 'caller']).default('none'),
        'repeat the tables for each caller (JSON always has the callers)',
        { formats: ['text', 'csv'], common: 'repeat the tables for each caller', formerly: { 'by-caller': 'caller' } },
      ),
      top: limit(
        20,
        'maximum number of rows of a table; 0: all (JSON and CSV: all)',
        ['text'],
        'maximum number of rows, 0 for all',
      ),
      timeline: flag(
        z.boolean().default(false),
        'plot when calls began and how long they took: a dot for each, a heat map for more than 4,096',
        { formats: PLOTS, common: 'plot when calls began and how long they took' },
      ),
      heatmap: flag(z.boolean().default(false), 'like --timeline, but as a heat map also for few calls', {
        formats: PLOTS,
      }),
      ...answering(),
      output: outputs(
        'write FILE.txt, .csv or .json instead of printing, or the plot as FILE.svg; may be repeated',
        'write FILE.txt, .csv, .json, or the plot as .svg',
      ),
      csv: flag(z.boolean().default(false), 'print the callees (with --by caller: by caller) as CSV', {
        common: 'print the callees as CSV',
      }),
    }),
    ...group('Selection', {
      regex: regexFlag('FUNCTION'),
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

/** Returns the files of `-o`: plots, and tables, undefined if they are printed. */
export function latencyFiles({ output, timeline, heatmap }: Pick<LatencyOptions, 'output' | 'timeline' | 'heatmap'>) {
  const isPlot = (path: string) => path.toLowerCase().endsWith('.svg') || ((timeline || heatmap) && path === '-');
  return { plots: output?.filter(isPlot) ?? [], tables: output?.filter((path) => !isPlot(path)) };
}

export function latencyFormats(options: LatencyOptions): (AnswerFormat | 'svg')[] {
  const { plots, tables } = latencyFiles(options);
  return [...answerFormats({ ...options, output: tables }), ...plots.map(() => 'svg' as const)];
}

/** @throws PtflameError BAD_OPTION for an invalid regular expression */
export function latencyPattern({ function: text, regex: isRegex }: LatencyOptions): FunctionPattern {
  const pattern = isRegex ? expression(text) : parseFunction(text);
  if (pattern !== null) return pattern;
  throw new PtflameError('BAD_OPTION', `${text} is not a valid regular expression`, {
    hint: 'see ptflame latency --help',
  });
}
