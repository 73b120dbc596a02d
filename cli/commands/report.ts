/**
 * `ptflame report`: prints a table of functions.
 */

import * as z from 'zod';
import { reportOf } from '../../src/questions/report/answer.js';
import type { FunctionRow, Report } from '../../src/questions/schema.js';
import { nameMatcher } from '../../src/trace/records/name-matcher.js';
import { reportLines } from '../answers/report.js';
import { LINE_TITLES, lineCells } from '../answers/source-lines.js';
import { openInputs } from '../input/open-inputs.js';
import { loadTimedProfile } from '../input/traces.js';
import { answering, inline, matching, reading, shown, srcline } from '../options/shared.js';
import { path } from '../options/values/values.js';
import { answerFormats, openAnswer } from '../output/answer.js';
import { notifyQuality } from '../output/lines.js';
import { defineCommand } from '../usage/define-command.js';
import { flag, group, memoize } from '../usage/flag.js';
import { INPUTS } from './arguments.js';

/** The options of `ptflame report`. */
export const ReportOptions = memoize(() =>
  z.object({
    inputs: z.array(path).min(1),
    ...group('Output', {
      sort: flag(
        z.enum(['total', 'self', 'outside', 'calls', 'avg', 'max', 'p99', 'name']).default('total'),
        'sort by this column',
        { common: true },
      ),
      top: flag(
        z.number('must be a number').int('must be a whole number').min(0, 'must be 0 or more').optional(),
        'maximum number of functions; 0: all (default: 40; JSON and CSV: all)',
        { common: 'maximum number of functions, 0 for all' },
      ),
      by: flag(z.enum(['none', 'thread']).default('none'), 'repeat the table for each thread', {
        common: true,
        formerly: { threads: 'thread' },
      }),
      ...answering(),
    }),
    ...srcline(),
    ...inline(),
    ...matching(),
    ...shown(),
    ...reading(),
  }),
);
export type ReportOptions = z.infer<ReturnType<typeof ReportOptions>>;

export const command = defineCommand({
  examples: [
    ['ptflame report perf.data --sort self --top 20', 'where the time goes'],
    ["ptflame report trace.txt --match '^mem_' --by thread", 'some functions, also per thread'],
    ["ptflame report trace.txt --inside 'do_command#1ms,'", 'where slow calls of a function spend their time'],
    ['ptflame report trace.txt -o report.csv', 'for spreadsheets; -o report.json for programs'],
  ],
  arguments: [INPUTS],
  schema: ReportOptions,
  formats: answerFormats,
  run: report,
});

/** Default number of rows of a text table. */
const DEFAULT_ROWS = 40;

export async function report(options: ReportOptions, signal: AbortSignal): Promise<void> {
  const { sort, match, by } = options;
  const threads = by === 'thread';
  const inputs = await openInputs(options.inputs, options, signal);
  const output = await openAnswer(options, options.inputs);
  const profile = await loadTimedProfile(
    inputs,
    options,
    { trees: threads ? 'apart' : 'together', durations: true },
    signal,
  );
  const isMatch = match && { match: nameMatcher(match, profile.symbols.name) };
  const all = reportOf(profile, { sort, threads, ...isMatch }); // a text table also states the number of other rows
  const top = () => (options.top ? reportOf(profile, { sort, threads, top: options.top, ...isMatch }) : all);
  await output.write({
    json: top,
    text: (width) => reportLines(all, width, options.top ?? DEFAULT_ROWS),
    csv: () => csvRows(top(), options.srcline),
  });
  await notifyQuality(profile, options);
}

const COLUMNS = [
  'name dso calls inferred totalNs selfNs outsideNs onCpuNs inferredNs avgNs minNs maxNs p50Ns p90Ns p99Ns',
  'unwound longestCutNs outsideSelfNs isStop', // later additions are appended: columns keep their positions
].flatMap((names) => names.split(' ')) as Exclude<keyof FunctionRow, 'srcline' | 'isInlined'>[];

/** With threads, each row begins with tid, pid and comm, which are empty for all threads together. */
function csvRows({ functions, threads }: Report, hasLines: boolean): (string | number | boolean | null)[][] {
  const columns = [...COLUMNS, ...(hasLines ? LINE_TITLES : [])];
  const cells = (row: FunctionRow) => [...COLUMNS.map((column) => row[column]), ...(hasLines ? lineCells(row) : [])];
  if (threads === undefined) return [columns, ...functions.map(cells)];
  const together = functions.map((row) => [null, null, null, ...cells(row)]);
  const apart = threads.flatMap(({ tid, pid, comm, functions: own }) =>
    own.map((row) => [tid, pid, comm, ...cells(row)]),
  );
  return [['tid', 'pid', 'comm', ...columns], ...together, ...apart];
}
