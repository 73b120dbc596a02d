/**
 * `ptflame values`: shows which values an argument of a probe or tracepoint had, and how often.
 */

import { valuesAnswer } from '../../src/questions/values/answer.js';
import { askValues } from '../../src/questions/values/ask-values.js';
import type { ValueStatistics, ValuesAnswer } from '../../src/questions/values/schema.js';
import { threadText, valuesLines } from '../answers/values.js';
import { placeText } from '../answers/wait-names.js';
import { openInputs } from '../input/open-inputs.js';
import { requireTraces, withProgress } from '../input/traces.js';
import { ValuesOptions } from '../options/questions/values.js';
import { openAnswer } from '../output/answer.js';
import { answerFormats } from '../output/answer-files.js';
import { notifyQuality } from '../output/lines.js';
import { defineCommand } from '../usage/define-command.js';
import { TRACES } from './arguments.js';

export const command = defineCommand({
  details: 'Shows their distribution, by value, thread or function. The input needs no Intel PT trace.',
  examples: [
    ['ptflame values push:job perf.data', 'distribution of the argument job of the probe push'],
    ['ptflame values read:bytes perf.data --step 4096', 'in steps of 4096 instead of powers of two'],
    ['ptflame values sched:sched_switch:prev_state perf.data --by thread', 'a field of a tracepoint, for each thread'],
    ['ptflame values alloc:size perf.data --by function', 'from where the probed function was called'],
  ],
  arguments: [
    {
      property: 'field',
      placeholder: 'EVENT:FIELD',
      description: 'a probe or tracepoint, and one of its values; :FIELD may be omitted if it is the only one',
      short: 'a probe or tracepoint, and one of its values',
    },
    TRACES,
  ],
  schema: ValuesOptions,
  formats: answerFormats,
  run: values,
});

export async function values(options: ValuesOptions, signal: AbortSignal): Promise<void> {
  const { field, step, by, top } = options;
  const opening = { ...options, onlySamples: !needsTrace(options) };
  const inputs = await requireTraces(await openInputs(options.inputs, opening, signal));
  const output = await openAnswer(options, options.inputs);
  const question = { field, byFunction: by === 'function', ...(step !== undefined && { step }) };
  const result = await withProgress(inputs, { ...options, foldRecursion: false }, signal, (analyzing) =>
    askValues(inputs, question, { ...analyzing, trees: 'together' }),
  );
  const answer = valuesAnswer(result);
  const text = (width: number) => valuesLines(answer, { by, width, top, step: step ?? null });
  await output.write({ json: () => answer, text, csv: () => csvRows(answer, by) });
  if (result.profile !== null) await notifyQuality(result.profile, options);
}

/** Functions are known from the trace, and so is the start of the recording: its first branch. */
function needsTrace({ by, window }: ValuesOptions): boolean {
  const isRelative = [window?.from, window?.to].some((moment) => moment != null && 'afterStartNs' in moment);
  return by === 'function' || isRelative;
}

const COLUMNS = 'samples distinct avg min p50 p90 p99 max'.split(' ') as (keyof ValueStatistics)[];

function csvRows(answer: ValuesAnswer, by: ValuesOptions['by']): (string | number | null)[][] {
  const cells = (stats: ValueStatistics) => COLUMNS.map((column) => stats[column]);
  switch (by) {
    case 'value':
      return [['value', 'samples', 'threads'], ...answer.values.map((row) => [row.value, row.samples, row.threads])];
    case 'thread':
      return [['thread', ...COLUMNS], ...answer.threads.map((row) => [threadText(row), ...cells(row.stats)])];
    case 'function':
      return [
        ['function', ...COLUMNS],
        ...(answer.functions ?? []).map((row) => [placeText(row), ...cells(row.stats)]),
      ];
  }
}
