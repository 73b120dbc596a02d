/**
 * `ptflame values`: shows which values an argument of a probe or tracepoint had, and how often.
 */

import { valuesAnswer } from '../../../src/questions/values/answer.js';
import { askValues } from '../../../src/questions/values/ask-values.js';
import type { ValueStatistics, ValuesAnswer } from '../../../src/questions/values/schema.js';
import { threadText, valuesLines } from '../../answers/values.js';
import { placeText } from '../../answers/wait-names.js';
import { openInputs } from '../../input/open-inputs.js';
import { requireTraces, withProgress } from '../../input/traces.js';
import type { ValuesOptions } from '../../options/questions/values.js';
import { openAnswer } from '../../output/answer.js';
import { notifyQuality } from '../../output/lines.js';

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
