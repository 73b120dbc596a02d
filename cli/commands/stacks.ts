/**
 * `ptflame stacks`: shows the stack of every thread at one moment.
 */

import { askStacks } from '../../src/pipeline/analyze.js';
import { stacksAnswer } from '../../src/questions/stacks/answer.js';
import { stacksCsv, stacksLines } from '../answers/stacks.js';
import { openInputs } from '../input/open-inputs.js';
import { requireTraces, withProgress } from '../input/traces.js';
import { StacksOptions } from '../options/questions/stacks.js';
import { openAnswer } from '../output/answer.js';
import { answerFormats } from '../output/answer-files.js';
import { qualityLines } from '../output/lines.js';
import { notify } from '../terminal/notify.js';
import { defineCommand } from '../usage/define-command.js';
import { TRACES } from './arguments.js';

export const command = defineCommand({
  details: 'Shows what ran, what waited, and for how long.',
  examples: [
    ['ptflame stacks perf.data --at +10ms', '10 ms after the start of the recording'],
    ['ptflame stacks trace.txt --at 858572.850211', "on perf's clock"],
  ],
  arguments: [TRACES],
  schema: StacksOptions,
  formats: answerFormats,
  run: stacks,
});

export async function stacks(options: StacksOptions, signal: AbortSignal): Promise<void> {
  const inputs = await requireTraces(await openInputs(options.inputs, options, signal));
  const output = await openAnswer(options, options.inputs);
  const flags = { ...options, foldRecursion: false };
  const found = await withProgress(inputs, flags, signal, (analyzing) =>
    askStacks(inputs, options.at, { ...analyzing, trees: 'together' }),
  );
  const answer = stacksAnswer(found.profile, found.atNs, found.stacks);
  const csv = () => stacksCsv(answer, options.srcline);
  await output.write({ json: () => answer, text: (width) => stacksLines(answer, width), csv });
  if (!options.quiet) for (const line of qualityLines(found.profile)) notify(line);
}
