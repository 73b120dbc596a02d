/**
 * No answer about any fixture contains an impossible number, and everything written can be read back.
 */
import { expect, test } from 'vitest';
import { latencyAnswer, reportOf, stacksAnswer } from '../../src/answers.js';
import { type AnalyzeOptions, analyze, askLatency, askStacks, PtflameError } from '../../src/index.js';
import { jsonOf, readBack } from '../helpers/checks/files/profile-file.js';
import { tracesIn } from '../helpers/checks/round-trips.js';
import { wrongNumbers } from '../helpers/checks/wrong-numbers.js';
import { everyNth } from '../helpers/random/times.js';
import { beginningOf, inputOf } from '../helpers/traces/load.js';

const fixtures = tracesIn(['hardware', 'lab', 'constructed', 'damaged', 'truth', 'demo']);
const HALF = { from: { afterStartNs: 10 }, to: { afterStartNs: 1000 } };
const OPTIONS: readonly AnalyzeOptions[] = [
  { durations: true, extend: false },
  { window: HALF, tailCalls: 'replace', foldRecursion: true, trees: 'together', durations: true },
];
const ALONE = { jobs: 1, byCalls: true };

/** null: there is no answer. */
async function answered<Answer>(answer: Promise<Answer>): Promise<Answer | null> {
  return answer.catch((error) => {
    if (error instanceof PtflameError) return null;
    throw error;
  });
}

function expectPossible(answer: unknown): void {
  expect(wrongNumbers(JSON.stringify(answer))).toEqual([]);
}

test.each(everyNth(fixtures, 3, 1))('%s', async (name) => {
  const text = beginningOf(name);
  const input = () => [inputOf(text, name)];
  for (const options of OPTIONS) {
    const given = { ...ALONE, ...options };
    const profile = await answered(analyze(input(), given));
    if (profile === null) continue;
    const isOfTime = profile.meta.weight === 'ns';
    if (isOfTime) expectPossible(reportOf(profile));
    const stacks = isOfTime && (await answered(askStacks(input(), { afterStartNs: 20 }, given)));
    if (stacks) expectPossible(stacksAnswer(stacks.profile, stacks.atNs, stacks.stacks));
    const any = { functions: /./, slowest: 3 };
    const latency = isOfTime && (await answered(askLatency(input(), any, { ...given, trees: 'apart' })));
    if (latency) expectPossible(latencyAnswer(latency.profile, latency.calls, latency.functions));
    if (options.trees === 'together') continue;
    const json = jsonOf(profile);
    expect(wrongNumbers(json)).toEqual([]);
    expect(jsonOf(await readBack(json))).toBe(json);
  }
});
