/**
 * `ptflame stacks`: shows the stack of every thread at one moment.
 */
import { stacksAnswer } from '../../../src/answers.js';
import { askStacks } from '../../../src/profiles.js';
import { stacksLines } from '../../answers/stacks.js';
import { openInputs } from '../../input/open-inputs.js';
import { requireTraces, withProgress } from '../../input/traces.js';
import type { StacksOptions } from '../../options/questions/stacks.js';
import { writeAnswer } from '../../output/answer.js';
import { qualityLines } from '../../quality/lines.js';
import { notify } from '../../terminal/notify.js';
import { tableWidth } from '../../terminal/width.js';

export async function stacks(options: StacksOptions, signal: AbortSignal): Promise<void> {
  const inputs = await requireTraces(await openInputs(options.inputs, options, signal));
  const flags = { ...options, foldRecursion: false };
  const found = await withProgress(inputs, flags, signal, (analyzing) =>
    askStacks(inputs, options.at, { ...analyzing, trees: 'together' }),
  );
  const answer = stacksAnswer(found.profile, found.atNs, found.stacks);
  await writeAnswer({ json: () => answer, text: () => stacksLines(answer, tableWidth()) }, options);
  if (!options.quiet) for (const line of qualityLines(found.profile)) notify(line);
}
