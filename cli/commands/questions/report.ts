/**
 * `ptflame report`: prints a table of functions.
 */

import { reportOf } from '../../../src/questions/report/answer.js';
import type { FunctionRow, Report } from '../../../src/questions/schema.js';
import { nameMatcher } from '../../../src/trace/records/thread-names.js';
import { reportLines } from '../../answers/report.js';
import { LINE_TITLES, lineCells } from '../../answers/source-lines.js';
import { openInputs } from '../../input/open-inputs.js';
import { loadTimedProfile } from '../../input/traces.js';
import type { ReportOptions } from '../../options/questions/report.js';
import { openAnswer } from '../../output/answer.js';
import { notifyQuality } from '../../output/lines.js';

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
