/**
 * `ptflame waits`: shows why threads waited, where, and who woke them.
 */

import { patternText } from '../../src/pipeline/replay/find-functions.js';
import type { CallPattern } from '../../src/pipeline/replay/selection.js';
import { waitsAnswer } from '../../src/questions/waits/answer.js';
import { askWaits, type WaitsResult } from '../../src/questions/waits/ask-wait-summary.js';
import type { WaitStats, WaitsAnswer } from '../../src/questions/waits/schema.js';
import { formatBounds } from '../../src/render/format.js';
import { missingLines } from '../answers/missing-lines.js';
import { type HasLine, LINE_TITLES, lineCells } from '../answers/source-lines.js';
import { placeText, threadName, wakerText } from '../answers/wait-names.js';
import { waitsLines } from '../answers/waits.js';
import { type CommandInput, openInputs } from '../input/open-inputs.js';
import { requireTraces, withProgress } from '../input/traces.js';
import { WaitsOptions } from '../options/questions/waits.js';
import { openAnswer } from '../output/answer.js';
import { answerFormats } from '../output/answer-files.js';
import { notifyQuality } from '../output/lines.js';
import { notify } from '../terminal/notify.js';
import { defineCommand } from '../usage/define-command.js';
import { TRACES } from './arguments.js';

export const command = defineCommand({
  details:
    'The input must be recorded with ptflame record --waits. Functions are known if it has an Intel PT trace, too.',
  examples: [
    ['ptflame waits perf.data', 'by reason, by waker, by place and by thread'],
    ['ptflame waits perf.data --slowest 3', 'what the longest waits consisted of: who did what meanwhile'],
    ['ptflame waits perf.data --inside do_command --slowest 3', 'the same of calls of a function'],
    ['ptflame waits perf.data --points trx_commit,log_write,fsync', 'the stages of a commit'],
  ],
  arguments: [TRACES],
  schema: WaitsOptions,
  formats: answerFormats,
  run: waits,
});

export async function waits(options: WaitsOptions, signal: AbortSignal): Promise<void> {
  const inputs = await requireTraces(await openInputs(options.inputs, options, signal));
  const output = await openAnswer(options, options.inputs);
  const result = await askAbout(inputs, options, signal);
  const answer = waitsAnswer(result, options.points?.map(patternText));
  const inside = options.inside === undefined ? null : callsText(options.inside);
  const text = (width: number) => waitsLines(answer, { inside, width, top: options.top });
  await output.write({ json: () => answer, text, csv: () => csvRows(answer, options.srcline) });
  if (output.formats.includes('csv') && !options.quiet) for (const line of missingLines(answer.missing)) notify(line);
  if (result.profile !== null) await notifyQuality(result.profile, options);
}

function askAbout(inputs: readonly CommandInput[], options: WaitsOptions, signal: AbortSignal): Promise<WaitsResult> {
  const { inside, points, slowest, ...flags } = options;
  const question = { ...(inside !== undefined && { inside }), ...(points && { points }), slowest };
  return withProgress(inputs, { ...flags, foldRecursion: false }, signal, (analyzing) =>
    askWaits(inputs, question, { ...analyzing, trees: 'together' }),
  );
}

function callsText({ functions, ...bounds }: CallPattern): string {
  const durations = formatBounds(bounds);
  return patternText(functions) + (durations === '' ? '' : ` of ${durations}`);
}

const COLUMNS = [
  'waits totalNs blockedNs wakeUpNs preemptedNs unknownNs unexplainedNs',
  'avgNs minNs p50Ns p90Ns p99Ns maxNs openWaits longestOpenNs',
].flatMap((names) => names.split(' ')) as (keyof WaitStats)[];

type Cell = string | number | boolean | null;

/** A row for each row of all tables: only of reasons, and of all waits, is it counted how many were inferred; the stages have no open waits, and their durations are not only waits. */
function csvRows({ stats, reasons, wakers, places, threads, stages }: WaitsAnswer, hasLines: boolean): Cell[][] {
  const inferred = reasons.reduce((sum, row) => sum + row.inferred, 0);
  const cells = (row: Partial<WaitStats>, fn: HasLine | null = null, inferred: number | null = null) => [
    ...COLUMNS.map((column) => row[column] ?? null),
    inferred,
    ...(hasLines ? lineCells(fn ?? {}) : []),
  ];
  return [
    ['by', 'name', ...COLUMNS, 'inferred', ...(hasLines ? LINE_TITLES : [])],
    ['all', null, ...cells(stats, null, inferred)],
    ...reasons.map((row) => ['reason', row.reason, ...cells(row.stats, null, row.inferred)]),
    ...wakers.map((row) => ['waker', wakerText(row), ...cells(row.stats, row.function)]),
    ...places.map((row) => ['place', placeText(row), ...cells(row.stats, row.function)]),
    ...threads.map((row) => ['thread', threadName(row.thread), ...cells(row.stats)]),
    ...(stages?.rows ?? []).map((row) => ['stage', `${row.from} to ${row.to}`, ...cells(row)]),
  ];
}
