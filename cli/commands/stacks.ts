/**
 * `ptflame stacks`: what every thread did at a moment.
 */
import { stacksAnswer } from '../../src/answers.js';
import { askStacks } from '../../src/index.js';
import { writeAnswer } from '../answer-output.js';
import { openInputs } from '../inputs.js';
import type { StacksOptions } from '../question-options.js';
import { qualityLines } from '../terminal/quality.js';
import { tell } from '../terminal/say.js';
import { stacksLines } from '../terminal/stacks.js';
import { tableWidth } from '../terminal/width.js';
import { tracesOnly, withProgress } from '../traces.js';

export async function stacks(options: StacksOptions, signal: AbortSignal): Promise<void> {
  const inputs = await tracesOnly(await openInputs(options.inputs, options, signal));
  const flags = { ...options, foldRecursion: false };
  const found = await withProgress(inputs, flags, signal, (analyzing) =>
    askStacks(inputs, options.at, { ...analyzing, trees: 'together' }),
  );
  const answer = stacksAnswer(found.profile, found.atNs, found.stacks);
  await writeAnswer({ json: () => answer, text: () => stacksLines(answer, tableWidth()) }, options);
  if (!options.quiet) for (const line of qualityLines(found.profile)) tell(line);
}
